"""Let a teacher choose assignments for a course of an LMS (deep linking), in the frame that it opens for that."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from autograder.course import Assignment
from autograder.lti.address_guard import get_origin_or_empty, require_permitted_url
from autograder.lti.deep_linking_response import (
    LINK,
    OfferedAssignment,
    make_content_item,
    make_signed_deep_linking_response,
)
from autograder.lti.launch_message import LaunchMessage
from autograder.lti.refused_lti_request import RefusedLtiRequest
from autograder.lti.verified_launch_acceptance import AcceptedLaunch
from autograder.store.lti.lti_audit_events import LtiActor, add_lti_audit_event, make_lti_change_event
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.web.lms.current_lti_tool import get_lti_tool
from autograder.web.lms.lti_frames import (
    is_form_sent_by_own_page,
    log_and_render_fault_as_lti_refusal,
    render_lms_frame_page,
)
from autograder.web.request_context import (
    get_course,
    get_course_name_in_store,
    get_served_course_settings,
    get_store,
)
from autograder.web.tokens import hash_token, is_well_formed_token, make_random_token
from autograder.web.view_permissions import TEACHERS, Permission, requires

pages = Blueprint("lti_deep_linking_pages", __name__, url_prefix="/lti")
LIFETIME = timedelta(minutes=30)
AGAIN = "Begin again in your course."
pages.register_error_handler(RefusedLtiRequest, log_and_render_fault_as_lti_refusal)


def render_assignment_choice(
    platform: LtiPlatform, message: LaunchMessage, accepted_launch: AcceptedLaunch
) -> ResponseReturnValue:
    """Show the assignments to a teacher.

    Raises:
        RefusedLtiRequest: the person is no teacher, or the platform accepts no links.
        RefusedAddress: the platform's return URL is not permitted.
    """
    wanted = message.deep_linking
    assert wanted is not None
    if accepted_launch.enrolment.role not in TEACHERS:
        raise RefusedLtiRequest("only instructors choose content for a course")
    if wanted.accept_types and LINK not in wanted.accept_types:
        raise RefusedLtiRequest(
            "the platform takes no links to a tool here", advice="Add the tool as an activity instead."
        )
    require_permitted_url(wanted.deep_link_return_url, allow_private=platform.allow_private, look_up_host=False)
    kept = {
        "platform": platform.id,
        "deployment": message.deployment,
        "return_url": wanted.deep_link_return_url,
        "data": wanted.data,
        "multiple": wanted.accept_multiple,
        "line_items": wanted.accept_lineitem,
        "by": [f"web:{accepted_launch.enrolment.login}", accepted_launch.enrolment.name],
        "place": f"{platform.name}: {accepted_launch.context.title or accepted_launch.context.context}",
    }
    ticket = make_random_token()
    get_store().lti_tickets.add("content", hash_token(ticket), kept, LIFETIME)
    offered = [_offer(one) for one in get_course().assignments]
    return render_lms_frame_page(
        "lti_content.html.j2", ticket=ticket, offered=offered, multiple=wanted.accept_multiple
    )


@pages.post("/content")
@requires(Permission.LAUNCH)
def send_chosen_assignments() -> ResponseReturnValue:
    """Send what was chosen back to the platform, signed."""
    token, names = request.form.get("ticket", ""), request.form.getlist("assignment")
    kept = (
        get_store().lti_tickets.take_ticket_data_or_none("content", hash_token(token))
        if is_well_formed_token(token) and is_form_sent_by_own_page()
        else None
    )
    platform = get_store().lti_platforms.find_active_by_id(kept["platform"]) if kept else None
    if kept is None or platform is None:
        raise RefusedLtiRequest("this choice was made already or too late", advice=AGAIN)
    chosen = [_offer(one) for one in get_course().assignments if one.name in names]
    if not kept["multiple"] and len(chosen) > 1:
        raise RefusedLtiRequest("the platform takes one assignment at a time", advice=AGAIN)
    launch_url = f"{get_served_course_settings().course_url}/lti/launch"
    items = [make_content_item(one, launch_url, with_line_item=kept["line_items"]) for one in chosen]
    signed = make_signed_deep_linking_response(get_lti_tool().keys, platform, kept["deployment"], kept["data"], items)
    sent = make_lti_change_event(
        "content", "", ", ".join(one.name for one in chosen) or "nothing", platform_or_lms_course=kept["place"]
    )
    add_lti_audit_event(get_store().audit, get_course_name_in_store(), LtiActor(*kept["by"]), sent, state="sending")
    return_url = kept["return_url"]
    return render_lms_frame_page(
        "lti_return.html.j2",
        allow_launch_script=True,
        form_target_origin=get_origin_or_empty(return_url),
        return_url=return_url,
        signed=signed,
    )


def _offer(assignment: Assignment) -> OfferedAssignment:
    deadline = assignment.deadline_rules.deadline
    return OfferedAssignment(assignment.name, assignment.title, assignment.max_score, deadline)
