"""Sign in people from an LMS: begin the login, accept the launch, and leave the LMS's frame."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from autograder.faults import KitFault
from autograder.lti.address_guard import get_origin
from autograder.lti.launch_acceptance import AcceptedLaunch, accept_verified_launch
from autograder.lti.launch_check import verify_launch
from autograder.lti.launch_message import DEEP_LINKING
from autograder.lti.oidc_login import begin_login
from autograder.lti.refused_lti_request import RefusedLtiRequest
from autograder.safe_text import escape_for_display
from autograder.web.authentication import sign_in
from autograder.web.fault_logging import log_and_save_fault
from autograder.web.lms.current_lti_tool import get_lti_tool
from autograder.web.lms.lti_deep_linking_pages import render_assignment_choice
from autograder.web.lms.lti_frames import (
    is_shown_in_frame,
    render_fault_as_lti_refusal,
    render_lms_frame_page,
    render_lti_refusal,
    take_ticket_of_own_form,
)
from autograder.web.lms.lti_login_binding import (
    AGAIN,
    LOGIN_LIFETIME,
    consume_login,
    make_login_cookie_attributes,
    make_login_cookie_name,
    render_page_fetching_login_secret,
    render_page_storing_login_secret,
    set_binding_cookie,
)
from autograder.web.random_tokens import hash_token, is_well_formed_token, make_random_token
from autograder.web.request_context import get_course, get_course_key_in_store, get_served_course_settings, get_store
from autograder.web.role_permissions import STAFF, Permission, requires

launch_pages = Blueprint("lti_launch_pages", __name__, url_prefix="/lti")
TICKET_LIFETIME = timedelta(minutes=5)
launch_pages.register_error_handler(RefusedLtiRequest, render_fault_as_lti_refusal)


@launch_pages.errorhandler(KitFault)
def handle_launch_fault(fault: KitFault) -> ResponseReturnValue:
    """Show that the platform or the store does not answer, and log the fault."""
    log_and_save_fault(str(fault))
    return render_lti_refusal(
        "The platform or this server does not answer as it should; the staff can see why.", AGAIN, 503
    )


@launch_pages.route("/login", methods=["GET", "POST"])
@requires(Permission.LAUNCH)
def begin_lti_login() -> ResponseReturnValue:
    """Send the browser back to its platform, with a state that works once and in this browser alone."""
    launch_url = f"{get_served_course_settings().course_url}/lti/launch"  # which has the course's name already
    login = begin_login(get_store().lti_platforms, request.values, launch_url)
    get_store().lti_tickets.add("login", hash_token(login.state), login.stored, LOGIN_LIFETIME)
    response = render_page_storing_login_secret(login) if login.storage else redirect(login.next_url, 302)
    set_binding_cookie(response, login)
    return response


@launch_pages.post("/launch")
@requires(Permission.LAUNCH)
def accept_lti_launch() -> ResponseReturnValue:
    """Sign in a person by a message that the platform signed for this browser."""
    if request.form.get("error"):
        error_text = request.form.get("error_description") or request.form["error"]
        raise RefusedLtiRequest(
            f"the platform refused the sign-in: {escape_for_display(error_text, 300)}", advice=AGAIN
        )
    state, token = request.form.get("state", ""), request.form.get("id_token", "")
    if not is_well_formed_token(state) or not token:
        raise RefusedLtiRequest("this request is not a launch from an LMS", advice=AGAIN)
    binding = request.cookies.get(make_login_cookie_name(state)) or request.form.get("binding", "")
    login_data = get_store().lti_tickets.find_ticket_data("login", hash_token(state))
    if login_data and login_data["storage"] and not binding and "binding" not in request.form:
        return render_page_fetching_login_secret(login_data, state, token)
    login_data = consume_login(state, binding)
    platform = get_store().lti_platforms.find_active_by_id(login_data["platform"])
    if platform is None:
        raise RefusedLtiRequest("the platform was removed in the meantime")
    own_origin = get_origin(get_served_course_settings().course_url)
    message = verify_launch(token, platform, login_data["nonce"], get_lti_tool().platform_keys, own_origin)
    names = [assignment.name for assignment in get_course().assignments]
    launch = accept_verified_launch(get_store(), get_course_key_in_store(), names, platform, message)
    if message.message_type == DEEP_LINKING:
        return render_assignment_choice(platform, message, launch)
    response = _finish_launch(launch)
    response.delete_cookie(make_login_cookie_name(state), **make_login_cookie_attributes())
    return response


@launch_pages.get("/launch")
@requires(Permission.LAUNCH)
def explain_launch_address() -> ResponseReturnValue:
    """Explain how to sign in to a person who opens the launch address directly."""
    advice = "Open the assignment from your course."
    return render_lms_frame_page("lti_refused.html.j2", 400, why="Only an LMS can open this address.", advice=advice)


@launch_pages.post("/enter")
@requires(Permission.LAUNCH)
def sign_in_with_ticket() -> ResponseReturnValue:
    """Sign in the new window that the page in the frame opened."""
    ticket_data = take_ticket_of_own_form("sign-in")
    if ticket_data is None:
        raise RefusedLtiRequest("this window was opened already, or too late", advice=AGAIN)
    sign_in(ticket_data["account"])
    return redirect(ticket_data["path"], 303)


def _finish_launch(launch: AcceptedLaunch) -> Response:
    """Sign in, or offer a new window where a frame would lose the cookie."""
    path = url_for("student_assignment_pages.show_assignments")
    if launch.assignment and launch.enrolment.role in STAFF:
        path = url_for("staff_class_pages.show_class", assignment_name=launch.assignment)
    elif launch.assignment:
        path = url_for("student_assignment_pages.show_assignment", assignment_name=launch.assignment)
    if not is_shown_in_frame():
        sign_in(launch.enrolment.account)
        response: Any = redirect(path, 303)
        return Response(response.get_data(), response.status_code, response.headers)
    ticket = make_random_token()
    ticket_data = {"account": launch.enrolment.account, "path": path}
    get_store().lti_tickets.add("sign-in", hash_token(ticket), ticket_data, TICKET_LIFETIME)
    return render_lms_frame_page("lti_enter.html.j2", ticket=ticket, arrived=launch.enrolment)
