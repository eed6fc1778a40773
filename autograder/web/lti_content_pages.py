"""Let a teacher choose assignments for a course of an LMS (deep linking), in the frame that it opens for that."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from autograder.course import Assignment
from autograder.lti.address_guard import check_url, get_origin_or_empty
from autograder.lti.deep_linking import LINK, OfferedAssignment, describe_item, sign_deep_linking_response
from autograder.lti.launch_acceptance import Arrival
from autograder.lti.launch_message import LaunchMessage
from autograder.lti.refused_launch import RefusedLaunch
from autograder.store.lti_audit import Actor, add_lti_audit_event, make_change_event
from autograder.store.lti_platform_table import LtiPlatform
from autograder.web.context import get_course, get_course_key, get_settings, get_store
from autograder.web.lti_frames import get_tool, is_own_form, refuse, show_in_frame
from autograder.web.permissions import TEACHERS, Action, needs
from autograder.web.tokens import hash_token, is_token, make_token

pages = Blueprint("lti_content_pages", __name__, url_prefix="/lti")
LIFETIME = timedelta(minutes=30)
AGAIN = "Begin again in your course."


@pages.errorhandler(RefusedLaunch)
def show_refusal(refused: RefusedLaunch) -> ResponseReturnValue:
    """Say why nothing is chosen."""
    return refuse(f"{refused.where}: {refused.what}" if refused.where else refused.what, refused.advice)


def ask_for_content(platform: LtiPlatform, message: LaunchMessage, arrival: Arrival) -> ResponseReturnValue:
    """Show the assignments to a teacher.

    Raises:
        RefusedLaunch: it is no teacher, or the platform takes no links, or names no place to take them.
        RefusedAddress: that place is none.
    """
    wanted = message.deep_linking
    assert wanted is not None
    if arrival.enrolment.role not in TEACHERS:
        raise RefusedLaunch("only instructors choose content for a course")
    if wanted.accept_types and LINK not in wanted.accept_types:
        raise RefusedLaunch(
            "the platform takes no links to a tool here", advice="Add the tool as an activity instead."
        )
    check_url(wanted.deep_link_return_url, allow_private=platform.allow_private, resolve=False)
    kept = {
        "platform": platform.id,
        "deployment": message.deployment,
        "return_url": wanted.deep_link_return_url,
        "data": wanted.data,
        "multiple": wanted.accept_multiple,
        "line_items": wanted.accept_lineitem,
        "by": [f"web:{arrival.enrolment.login}", arrival.enrolment.name],
        "place": f"{platform.name}: {arrival.context.title or arrival.context.context}",
    }
    ticket = make_token()
    get_store().lti_tickets.add("content", hash_token(ticket), kept, LIFETIME)
    offered = [_offer(one) for one in get_course().assignments]
    return show_in_frame("lti_content.html.j2", ticket=ticket, offered=offered, multiple=wanted.accept_multiple)


@pages.post("/content")
@needs(Action.LAUNCH)
def choose() -> ResponseReturnValue:
    """Send what was chosen back to the platform, signed."""
    token, names = request.form.get("ticket", ""), request.form.getlist("assignment")
    kept = get_store().lti_tickets.use_up("content", hash_token(token)) if is_token(token) and is_own_form() else None
    platform = get_store().lti_platforms.find_by_id(kept["platform"]) if kept else None
    if kept is None or platform is None:
        raise RefusedLaunch("this choice was made already, or too late", advice=AGAIN)
    chosen = [_offer(one) for one in get_course().assignments if one.name in names]
    if not kept["multiple"] and len(chosen) > 1:
        raise RefusedLaunch("the platform takes one assignment at a time", advice=AGAIN)
    launch_url = f"{get_settings().url}/lti/launch"
    items = [describe_item(one, launch_url, with_line_item=kept["line_items"]) for one in chosen]
    signed = sign_deep_linking_response(get_tool().keys, platform, kept["deployment"], kept["data"], items)
    sent = make_change_event("content", "", ", ".join(one.name for one in chosen) or "nothing", place=kept["place"])
    add_lti_audit_event(get_store().audit, get_course_key(), Actor(*kept["by"]), sent, state="sending")
    return_url = kept["return_url"]
    return show_in_frame(
        "lti_return.html.j2",
        script=True,
        form_action=get_origin_or_empty(return_url),
        return_url=return_url,
        signed=signed,
    )


def _offer(assignment: Assignment) -> OfferedAssignment:
    deadline = assignment.deadline_rules.deadline
    return OfferedAssignment(assignment.name, assignment.title, assignment.max_score, deadline)
