"""Let an instructor choose assignments for a course of an LMS (deep linking), in the frame that it opens for that."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from autograder.course import Assignment
from autograder.lti.address_guard import get_origin, require_permitted_url
from autograder.lti.deep_linking_response import (
    LINK,
    OfferedAssignment,
    make_content_item,
    make_signed_deep_linking_response,
)
from autograder.lti.launch_acceptance import AcceptedLaunch
from autograder.lti.launch_message import LaunchMessage
from autograder.lti.refused_lti_request import RefusedLtiRequest
from autograder.store.lti.lti_audit_events import LtiActor, record_lti_change
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.web.lms.current_lti_tool import get_lti_tool
from autograder.web.lms.lti_frames import (
    render_fault_as_lti_refusal,
    render_lms_frame_page,
    take_ticket_of_own_form,
)
from autograder.web.random_tokens import hash_token, make_random_token
from autograder.web.request_context import get_course, get_course_key_in_store, get_served_course_settings, get_store
from autograder.web.role_permissions import INSTRUCTORS, Permission, requires

deep_linking_pages = Blueprint("lti_deep_linking_pages", __name__, url_prefix="/lti")
LIFETIME = timedelta(minutes=30)
BEGIN_AGAIN = "Begin again in your course."
deep_linking_pages.register_error_handler(RefusedLtiRequest, render_fault_as_lti_refusal)


def render_assignment_choice(
    platform: LtiPlatform, message: LaunchMessage, accepted_launch: AcceptedLaunch
) -> ResponseReturnValue:
    """Show the assignments to an instructor.

    Raises:
        RefusedLtiRequest: the person is no instructor, or the platform accepts no links.
        RefusedAddress: the platform's return URL is not permitted.
    """
    link_request = message.deep_linking
    assert link_request is not None
    if accepted_launch.enrolment.role not in INSTRUCTORS:
        raise RefusedLtiRequest("only instructors choose content for a course")
    if link_request.accept_types and LINK not in link_request.accept_types:
        raise RefusedLtiRequest(
            "the platform takes no links to a tool here", advice="Add the tool as an activity instead."
        )
    require_permitted_url(link_request.deep_link_return_url, allow_private=platform.allow_private, look_up_host=False)
    ticket_data = {
        "platform": platform.id,
        "deployment": message.deployment,
        "return_url": link_request.deep_link_return_url,
        "data": link_request.data,
        "multiple": link_request.accept_multiple,
        "line_items": link_request.accept_lineitem,
        "by": [accepted_launch.enrolment.audit_account, accepted_launch.enrolment.name],
        "place": f"{platform.name}: {accepted_launch.context.label}",
    }
    ticket = make_random_token()
    get_store().lti_tickets.add("content", hash_token(ticket), ticket_data, LIFETIME)
    offers = [_make_offer(assignment) for assignment in get_course().assignments]
    return render_lms_frame_page(
        "lti_content.html.j2", ticket=ticket, offered=offers, multiple=link_request.accept_multiple
    )


@deep_linking_pages.post("/content")
@requires(Permission.LAUNCH)
def send_chosen_assignments() -> ResponseReturnValue:
    """Send what was chosen back to the platform, signed."""
    names, ticket_data = request.form.getlist("assignment"), take_ticket_of_own_form("content")
    platform = get_store().lti_platforms.find_active_by_id(ticket_data["platform"]) if ticket_data else None
    if ticket_data is None or platform is None:
        raise RefusedLtiRequest("this choice was made already or too late", advice=BEGIN_AGAIN)
    offers = [_make_offer(assignment) for assignment in get_course().assignments if assignment.name in names]
    if not ticket_data["multiple"] and len(offers) > 1:
        raise RefusedLtiRequest("the platform takes one assignment at a time", advice=BEGIN_AGAIN)
    launch_url = f"{get_served_course_settings().course_url}/lti/launch"
    items = [make_content_item(offer, launch_url, with_line_item=ticket_data["line_items"]) for offer in offers]
    signed_response = make_signed_deep_linking_response(
        get_lti_tool().keys, platform, ticket_data["deployment"], ticket_data["data"], items
    )
    chosen, actor = ", ".join(offer.name for offer in offers) or "nothing", LtiActor(*ticket_data["by"])
    audit, course, place = get_store().audit, get_course_key_in_store(), ticket_data["place"]
    record_lti_change(audit, course, actor, "content", "", chosen, place=place, state="sending")
    return_url = ticket_data["return_url"]
    return render_lms_frame_page(
        "lti_return.html.j2",
        allow_launch_script=True,
        form_target_origin=get_origin(return_url),
        return_url=return_url,
        signed=signed_response,
    )


def _make_offer(assignment: Assignment) -> OfferedAssignment:
    deadline = assignment.deadline_rules.deadline
    return OfferedAssignment(assignment.name, assignment.title, assignment.max_score, deadline)
