"""Take in people who come from an LMS: login, launch, and out of its frame."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from autograder.faults import KitFault
from autograder.lti.address_guard import get_origin_or_empty
from autograder.lti.launch_acceptance import Arrival, accept_launch
from autograder.lti.launch_check import verify_and_read_launch
from autograder.lti.launch_message import DEEP_LINKING
from autograder.lti.oidc_login import (
    begin_login,
    get_platform_of_login,
    make_authentication_url,
    make_launch_expectations,
    read_login_request,
)
from autograder.lti.refused_launch import RefusedLaunch
from autograder.safe_text import escape_for_display
from autograder.web.context import get_course, get_course_key, get_settings, get_store
from autograder.web.fault_reports import log_and_save_fault
from autograder.web.lti_binding import (
    AGAIN,
    LOGIN_LIFETIME,
    make_login_cookie_attributes,
    name_cookie,
    render_storage_get_page,
    render_storage_put_page,
    set_cookie,
    use_up_pending_login,
)
from autograder.web.lti_content_pages import ask_for_content
from autograder.web.lti_frames import get_tool, is_in_frame, is_own_form, refuse, show_in_frame
from autograder.web.permissions import STAFF, Action, needs
from autograder.web.request_identity import sign_in
from autograder.web.tokens import hash_token, is_token, make_token

pages = Blueprint("lti_launch_pages", __name__, url_prefix="/lti")
TICKET_LIFETIME = timedelta(minutes=5)


@pages.errorhandler(RefusedLaunch)
def show_refusal(refused: RefusedLaunch) -> ResponseReturnValue:
    """Say why somebody does not come in."""
    return refuse(f"{refused.where}: {refused.what}" if refused.where else refused.what, refused.advice)


@pages.errorhandler(KitFault)
def show_fault(fault: KitFault) -> ResponseReturnValue:
    """Say that the platform or the store does not answer."""
    log_and_save_fault(str(fault))
    return refuse("The platform or this server does not answer as it should; the staff can see why.", AGAIN, 503)


@pages.route("/login", methods=["GET", "POST"])
@needs(Action.LAUNCH)
def log_in() -> ResponseReturnValue:
    """Send the browser back to its platform, with a state that works once and in this browser alone."""
    wanted = read_login_request(request.values)
    platform = get_platform_of_login(get_store().lti_platforms, wanted)
    pending = begin_login()
    kept = make_launch_expectations(platform, wanted, pending)
    get_store().lti_tickets.add("login", hash_token(pending.state), kept, LOGIN_LIFETIME)
    target = make_authentication_url(platform, wanted, pending, make_launch_url())
    answer = redirect(target, 302)
    if wanted.storage_target:
        answer = render_storage_put_page(platform, wanted.storage_target, target, pending)
    set_cookie(answer, pending)
    return answer


@pages.post("/launch")
@needs(Action.LAUNCH)
def launch() -> ResponseReturnValue:
    """Take in who comes with a message that the platform signed for this browser."""
    if request.form.get("error"):
        said = request.form.get("error_description") or request.form["error"]
        raise RefusedLaunch(f"the platform let nobody in: {escape_for_display(said, 300)}", advice=AGAIN)
    state, token = request.form.get("state", ""), request.form.get("id_token", "")
    if not is_token(state) or not token:
        raise RefusedLaunch("is no launch of an LMS", "this", AGAIN)
    binding = request.cookies.get(name_cookie(state)) or request.form.get("binding", "")
    kept = get_store().lti_tickets.find("login", hash_token(state))
    if kept and kept["storage"] and not binding and "binding" not in request.form:
        return render_storage_get_page(kept, state, token)
    kept = use_up_pending_login(state, binding)
    platform = get_store().lti_platforms.find_by_id(kept["platform"])
    if platform is None:
        raise RefusedLaunch("the platform was removed meanwhile")
    own_origin = get_origin_or_empty(get_settings().url)
    message = verify_and_read_launch(token, platform, kept["nonce"], get_tool().platform_keys, own_origin)
    names = [one.name for one in get_course().assignments]
    arrival = accept_launch(get_store(), get_course_key(), names, platform, message)
    if message.message_type == DEEP_LINKING:
        return ask_for_content(platform, message, arrival)
    answer = _enter(arrival)
    answer.delete_cookie(name_cookie(state), **make_login_cookie_attributes())
    return answer


@pages.get("/launch")
@needs(Action.LAUNCH)
def explain() -> ResponseReturnValue:
    """Say how to come in, to who opens the address itself."""
    advice = "Open the assignment from your course."
    return show_in_frame("lti_refused.html.j2", 400, why="This address is opened by an LMS.", advice=advice)


@pages.post("/enter")
@needs(Action.LAUNCH)
def enter() -> ResponseReturnValue:
    """Sign in the new window that the page in the frame opened."""
    token = request.form.get("ticket", "")
    kept = get_store().lti_tickets.use_up("sign-in", hash_token(token)) if is_token(token) and is_own_form() else None
    if kept is None:
        raise RefusedLaunch("this window was opened already, or too late", advice=AGAIN)
    sign_in(kept["account"])
    return redirect(kept["path"], 303)


def make_launch_url() -> str:
    """Return where platforms post launches, as browsers reach it."""
    return f"{get_settings().url}/lti/launch"  # which has the course's name already, where it has one


def _enter(arrival: Arrival) -> Response:
    """Sign in, or offer a new window where a frame would lose the cookie."""
    path = url_for("student_pages.show_assignments")
    if arrival.assignment and arrival.enrolment.role in STAFF:
        path = url_for("class_pages.show_class", name=arrival.assignment)
    elif arrival.assignment:
        path = url_for("student_pages.show_assignment", name=arrival.assignment)
    if not is_in_frame():
        sign_in(arrival.enrolment.account)
        answer: Any = redirect(path, 303)
        return Response(answer.get_data(), answer.status_code, answer.headers)
    ticket = make_token()
    kept = {"account": arrival.enrolment.account, "path": path}
    get_store().lti_tickets.add("sign-in", hash_token(ticket), kept, TICKET_LIFETIME)
    return show_in_frame("lti_enter.html.j2", ticket=ticket, arrived=arrival.enrolment)
