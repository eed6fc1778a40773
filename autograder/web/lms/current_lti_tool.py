"""Find the keys and clients with which the server speaks LTI, and record what people change, inside of a request."""

from __future__ import annotations

from typing import Unpack

from flask import current_app

from autograder.lti.lti_tool import LtiTool, make_lti_tool
from autograder.store.lti.lti_audit_events import (
    ChangeDetails,
    LtiActor,
    make_lti_actor_from_enrolment,
    record_lti_change,
)
from autograder.web.request_context import (
    get_course_key_in_store,
    get_person_or_401,
    get_served_course_settings,
    get_store,
)

TOOL = "autograder-lti"


def get_lti_tool() -> LtiTool:
    """Return the keys and clients with which this server acts as an LTI tool; make them on first use."""
    if TOOL not in current_app.extensions:
        current_app.extensions[TOOL] = make_lti_tool(get_served_course_settings().location.output_folder)
    tool = current_app.extensions[TOOL]
    assert isinstance(tool, LtiTool)
    return tool


def get_lti_actor() -> LtiActor:
    """Return who is signed in, for the audit log."""
    return make_lti_actor_from_enrolment(get_person_or_401())


def record_lms_change(what: str, before: str, after: str, **details: Unpack[ChangeDetails]) -> None:
    """Record in the audit log what the person who is signed in changes. See ``record_lti_change``."""
    course, actor = get_course_key_in_store(), get_lti_actor()
    record_lti_change(get_store().audit, course, actor, what, before, after, **details)
