"""The administrator's page on LMSs: what to paste there, which are known, and which of their courses are let in."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from autograder.lti.audit_texts import make_connection_event
from autograder.lti.connection_check import CheckedStep, iterate_connection_checks
from autograder.store.lti_audit import add_lti_audit_event, make_web_actor
from autograder.store.lti_context_table import LtiContext
from autograder.store.lti_platform_table import LtiPlatform
from autograder.web.context import get_course_key, get_person, get_store
from autograder.web.lti_frames import get_tool
from autograder.web.lti_key_pages import make_tool_description
from autograder.web.permissions import Action, needs
from autograder.web.registration_links import add_registration_link_path

pages = Blueprint("lms_pages", __name__)


@pages.get("/lms")
@needs(Action.SET_UP_LMS)
def show() -> ResponseReturnValue:
    """Show it."""
    return _show()


@pages.post("/lms/registration-link")
@needs(Action.SET_UP_LMS)
def make_link() -> ResponseReturnValue:
    """Make an address with which one platform registers this tool by itself."""
    by = make_web_actor(get_person())
    path = add_registration_link_path(
        get_store(), get_course_key(), by, allow_private=False
    )  # more by the command line
    return _show(link=f"{make_tool_description().url}{path}")


@pages.post("/lms/platforms/<int:number>/test")
@needs(Action.SET_UP_LMS)
def test(number: int) -> ResponseReturnValue:
    """See whether a platform answers; nothing is changed there."""
    platform = get_store().lti_platforms.find_by_id(number) or abort(404)
    steps = [*iterate_connection_checks(get_store(), get_course_key(), get_tool(), platform)]
    return _show(tested=platform, steps=steps)


@pages.post("/lms/contexts/<int:number>/connect")
@needs(Action.SET_UP_LMS)
def connect_or_disconnect_lms_course(number: int) -> ResponseReturnValue:
    """Let a course of a platform in, or not any more."""
    found = get_store().lti_contexts.find_by_id(number)
    if found is None or found.course != get_course_key():
        abort(404)
    is_connected = request.form.get("connected") == "yes"
    get_store().lti_contexts.set_connected(number, is_connected=is_connected)
    if is_connected != found.is_connected:
        change = make_connection_event(get_store(), found, is_connected=is_connected)
        add_lti_audit_event(get_store().audit, get_course_key(), make_web_actor(get_person()), change)
    return redirect(url_for(".show"), 303)


@pages.get("/lms/log")
@needs(Action.AUDIT)
def show_lti_audit_log() -> ResponseReturnValue:
    """Show everything that was changed or sent by LTI and is of no single assignment, the last first."""
    events = get_store().audit.load_audit_rows(get_course_key(), "")
    return render_template("log.html.j2", assignment=None, events=events[::-1])


def _show(link: str = "", tested: LtiPlatform | None = None, steps: list[CheckedStep] | None = None) -> str:
    store = get_store()
    platforms = store.lti_platforms.list_active()
    known = {one.id: one for one in platforms}
    contexts: list[tuple[LtiContext, LtiPlatform]] = [
        (one, known[one.platform])
        for one in store.lti_contexts.list_contexts_of_course(get_course_key())
        if one.platform in known
    ]
    return render_template(
        "lms.html.j2",
        addresses=make_tool_description().list_addresses(),
        keys=get_tool().keys.list_published_ids_and_times(),
        platforms=platforms,
        contexts=sorted(contexts, key=lambda one: one[0].is_connected),
        link=link,
        tested=tested,
        steps=steps or [],
    )
