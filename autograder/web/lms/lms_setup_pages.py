"""The administrator's page on LMSs: what to paste there, which are known, and which of their courses are let in."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.lti.connection_check import ConnectionCheckStepResult, iterate_connection_checks
from autograder.lti.platform_audit_events import set_course_connected
from autograder.store.lti.lti_context_table import LtiContext
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.web.lms.current_lti_tool import get_lti_actor, get_lti_tool
from autograder.web.lms.lti_registration_pages import make_tool_description
from autograder.web.lms.registration_links import create_registration_link
from autograder.web.request_context import get_course_key_in_store, get_store, see_other
from autograder.web.role_permissions import Permission, requires

setup_pages = Blueprint("lms_setup_pages", __name__)


@setup_pages.get("/lms")
@requires(Permission.SET_UP_LMS)
def show_lms_setup() -> ResponseReturnValue:
    """Show the page for connecting the course with an LMS."""
    return _render_page()


@setup_pages.post("/lms/registration-link")
@requires(Permission.SET_UP_LMS)
def show_new_registration_link() -> ResponseReturnValue:
    """Make an address with which one platform registers this tool by itself."""
    # the command line offers more options
    path = create_registration_link(get_store(), get_course_key_in_store(), get_lti_actor(), allow_private=False)
    return _render_page(link=f"{make_tool_description().url}{path}")


@setup_pages.post("/lms/platforms/<int:platform_id>/test")
@requires(Permission.SET_UP_LMS)
def check_platform_connection(platform_id: int) -> ResponseReturnValue:
    """Check whether a platform answers; nothing is changed there."""
    platform = get_store().lti_platforms.find_active_by_id(platform_id) or abort(404)
    steps = [*iterate_connection_checks(get_store(), get_course_key_in_store(), get_lti_tool(), platform)]
    return _render_page(tested_platform=platform, steps=steps)


@setup_pages.post("/lms/contexts/<int:context_id>/connect")
@requires(Permission.SET_UP_LMS)
def set_lms_course_connected(context_id: int) -> ResponseReturnValue:
    """Connect a course of a platform, or disconnect it."""
    context = get_store().lti_contexts.find_by_id(context_id)
    if context is None or context.course != get_course_key_in_store():
        abort(404)
    is_connected = request.form.get("connected") == "yes"
    set_course_connected(get_store(), get_course_key_in_store(), get_lti_actor(), context, is_connected=is_connected)
    return see_other(".show_lms_setup")


@setup_pages.get("/lms/log")
@requires(Permission.AUDIT)
def show_course_lti_log() -> ResponseReturnValue:
    """Show the audit rows of LTI that belong to no single assignment, the latest first."""
    events = get_store().audit.load_audit_rows(get_course_key_in_store(), "")
    return render_template("log.html.j2", assignment=None, events=events[::-1])


def _render_page(
    link: str = "", tested_platform: LtiPlatform | None = None, steps: list[ConnectionCheckStepResult] | None = None
) -> str:
    store = get_store()
    platforms = store.lti_platforms.list_active()
    platform_by_id = {platform.id: platform for platform in platforms}
    contexts: list[tuple[LtiContext, LtiPlatform]] = [
        (context, platform_by_id[context.platform])
        for context in store.lti_contexts.list_contexts_of_course(get_course_key_in_store())
        if context.platform in platform_by_id
    ]
    return render_template(
        "lms.html.j2",
        addresses=make_tool_description().list_setup_fields(),
        keys=get_lti_tool().keys.list_published_ids_and_times(),
        platforms=platforms,
        contexts=sorted(contexts, key=lambda pair: pair[0].is_connected),
        link=link,
        tested=tested_platform,
        steps=steps or [],
    )
