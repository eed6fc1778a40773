"""Sign in people from an LMS, and let instructors choose assignments for its course."""

from __future__ import annotations

import hashlib
import hmac
from datetime import timedelta
from typing import Any

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from autograder.faults import KitFault
from autograder.text import escape_for_display
from autograder.web.lms.frames import (
    FRAMES,
    get_lti_tool,
    render_fault_as_lti_refusal,
    render_lms_frame_page,
    render_lti_refusal,
    take_ticket_of_own_form,
)
from autograder.web.lti.http import get_origin, require_permitted_url
from autograder.web.lti.launch import (
    DEEP_LINKING,
    BegunLogin,
    LaunchMessage,
    begin_login,
    verify_launch,
)
from autograder.web.lti.launch_acceptance import AcceptedLaunch, accept_verified_launch
from autograder.web.lti.registration import (
    LINK,
    make_content_item,
    make_signed_deep_linking_response,
)
from autograder.web.lti.tool import RefusedLtiRequest
from autograder.web.people import make_random_token
from autograder.web.request import INSTRUCTORS, STAFF, Pages, Permission, current
from autograder.web.sign_in import sign_in
from autograder.web.store.accounts import hash_token
from autograder.web.store.lti.audit import LtiActor, record_lti_change
from autograder.web.store.lti.platforms import LtiPlatform

LOGIN_LIFETIME = timedelta(minutes=10)
AGAIN = "Open the assignment from your course again."


def _render_page_storing_login_secret(login: BegunLogin) -> Response:
    """Return a page that keeps the browser's secret in the platform's storage, and goes on."""
    return render_lms_frame_page(
        "lti_storage.html.j2", allow_launch_script=True, action="put", target=login.storage, next_url=login.next_url,
        origin=get_origin(login.platform.login_url), key=_make_login_cookie_name(login.state), value=login.binding,
        fields={},
    )  # fmt: skip


def _render_page_fetching_login_secret(stored_login: dict[str, Any], state: str, id_token: str) -> Response:
    """Return a page that fetches the browser's secret from the platform's storage, and posts the launch with it."""
    platform = current.store.lti_platforms.find_active(id=stored_login["platform"])
    return render_lms_frame_page(
        "lti_storage.html.j2", allow_launch_script=True, action="get", target=stored_login["storage"],
        next_url=url_for("lti_launch_pages.accept_lti_launch"),
        origin=get_origin(platform.login_url) if platform else "",
        key=_make_login_cookie_name(state), value="", fields={"state": state, "id_token": id_token},
    )  # fmt: skip


def _consume_login(state: str, login_secret: str) -> dict[str, Any]:
    """Use a login up, and return its stored data.

    Args:
        state: names the login.
        login_secret: the browser's secret, from its cookie or the platform's storage.

    Raises:
        RefusedLtiRequest: it was used already, or another browser began it.
    """
    login_data = current.store.lti_tickets.take_ticket_data_or_none("login", state)
    if login_data is None:
        raise RefusedLtiRequest("this launch was used already, or is too old", advice=AGAIN)
    if not hmac.compare_digest(hash_token(login_secret), login_data["binding"]):
        raise RefusedLtiRequest(
            "your browser does not send the cookie of this launch, or another browser began it",
            advice="Let the LMS open this tool in a new window, or allow cookies of other sites in its frame.",
        )
    return login_data


def _make_login_cookie_name(state: str) -> str:
    """Return what the cookie of a login is called."""
    prefix = "__Host-" if current.settings.is_https else ""
    return f"{prefix}lti-{hashlib.sha256(state.encode()).hexdigest()[:16]}"


def _make_login_cookie_attributes() -> dict[str, Any]:
    """Return the login cookie's attributes.

    The launch is a form that another site posts, so the cookie needs ``SameSite=None`` and ``Secure``. Browsers
    refuse such a cookie without TLS; there ``Lax`` is used, which is enough if platform and tool run on the same
    machine.
    """
    if current.settings.is_https:
        return {"secure": True, "httponly": True, "samesite": "None", "partitioned": True}
    return {"httponly": True, "samesite": "Lax"}


deep_linking_pages = Pages("lti_deep_linking_pages", __name__, url_prefix="/lti")
LIFETIME = timedelta(minutes=30)
BEGIN_AGAIN = "Begin again in your course."
deep_linking_pages.register_error_handler(RefusedLtiRequest, render_fault_as_lti_refusal)


def _render_assignment_choice(
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
    current.store.lti_tickets.add("content", ticket, ticket_data, LIFETIME)
    return render_lms_frame_page(
        "lti_content.html.j2",
        ticket=ticket,
        offered=current.course.assignments,
        multiple=link_request.accept_multiple,
    )


@deep_linking_pages.on_post("/content", Permission.LAUNCH)
def send_chosen_assignments() -> ResponseReturnValue:
    """Send what was chosen back to the platform, signed."""
    names, ticket_data = request.form.getlist("assignment"), take_ticket_of_own_form("content")
    platform = current.store.lti_platforms.find_active(id=ticket_data["platform"]) if ticket_data else None
    if ticket_data is None or platform is None:
        raise RefusedLtiRequest("this choice was made already or too late", advice=BEGIN_AGAIN)
    chosen_assignments = [assignment for assignment in current.course.assignments if assignment.name in names]
    if not ticket_data["multiple"] and len(chosen_assignments) > 1:
        raise RefusedLtiRequest("the platform takes one assignment at a time", advice=BEGIN_AGAIN)
    launch_url = f"{current.settings.course_url}/lti/launch"
    with_line_item = ticket_data["line_items"]
    items = [make_content_item(one, launch_url, with_line_item=with_line_item) for one in chosen_assignments]
    signed_response = make_signed_deep_linking_response(
        get_lti_tool().keys, platform, ticket_data["deployment"], ticket_data["data"], items
    )
    chosen, actor = ", ".join(one.name for one in chosen_assignments) or "nothing", LtiActor(*ticket_data["by"])
    audit, course, place = current.store.audit, current.course_key, ticket_data["place"]
    record_lti_change(audit, course, actor, "content", "", chosen, place=place, state="sending")
    return_url = ticket_data["return_url"]
    return render_lms_frame_page(
        "lti_return.html.j2",
        allow_launch_script=True,
        form_target_origin=get_origin(return_url),
        return_url=return_url,
        signed=signed_response,
    )


launch_pages = Pages("lti_launch_pages", __name__, url_prefix="/lti")
TICKET_LIFETIME = timedelta(minutes=5)
launch_pages.register_error_handler(RefusedLtiRequest, render_fault_as_lti_refusal)


@launch_pages.errorhandler(KitFault)
def handle_launch_fault(fault: KitFault) -> ResponseReturnValue:
    """Show that the platform or the store does not answer, and log the fault."""
    current.save_fault(str(fault))
    return render_lti_refusal(
        "The platform or this server does not answer as it should; the staff can see why.", AGAIN, 503
    )


@launch_pages.on_get("/login", Permission.LAUNCH)
@launch_pages.on_post("/login", Permission.LAUNCH)
def begin_lti_login() -> ResponseReturnValue:
    """Send the browser back to its platform, with a state that works once and in this browser alone."""
    launch_url = f"{current.settings.course_url}/lti/launch"  # which has the course's name already
    login = begin_login(current.store.lti_platforms, request.values, launch_url)
    current.store.lti_tickets.add("login", login.state, login.stored, LOGIN_LIFETIME)
    response = _render_page_storing_login_secret(login) if login.storage else redirect(login.next_url, 302)
    name, attributes = _make_login_cookie_name(login.state), _make_login_cookie_attributes()
    response.set_cookie(name, login.binding, max_age=LOGIN_LIFETIME, **attributes)
    return response


@launch_pages.on_post("/launch", Permission.LAUNCH)
def accept_lti_launch() -> ResponseReturnValue:
    """Sign in a person by a message that the platform signed for this browser."""
    if request.form.get("error"):
        error_text = request.form.get("error_description") or request.form["error"]
        raise RefusedLtiRequest(
            f"the platform refused the sign-in: {escape_for_display(error_text, 300)}", advice=AGAIN
        )
    state, token = request.form.get("state", ""), request.form.get("id_token", "")
    if not state or not token:
        raise RefusedLtiRequest("this request is not a launch from an LMS", advice=AGAIN)
    binding = request.cookies.get(_make_login_cookie_name(state)) or request.form.get("binding", "")
    login_data = current.store.lti_tickets.find_ticket_data("login", state)
    if login_data and login_data["storage"] and not binding and "binding" not in request.form:
        return _render_page_fetching_login_secret(login_data, state, token)
    login_data = _consume_login(state, binding)
    platform = current.store.lti_platforms.find_active(id=login_data["platform"])
    if platform is None:
        raise RefusedLtiRequest("the platform was removed in the meantime")
    own_origin = get_origin(current.settings.course_url)
    message = verify_launch(token, platform, login_data["nonce"], get_lti_tool().platform_keys, own_origin)
    names = [assignment.name for assignment in current.course.assignments]
    launch = accept_verified_launch(current.store, current.course_key, names, platform, message)
    if message.message_type == DEEP_LINKING:
        return _render_assignment_choice(platform, message, launch)
    response = _finish_launch(launch)
    response.delete_cookie(_make_login_cookie_name(state), **_make_login_cookie_attributes())
    return response


@launch_pages.on_get("/launch", Permission.LAUNCH)
def explain_launch_address() -> ResponseReturnValue:
    """Explain how to sign in to a person who opens the launch address directly."""
    advice = "Open the assignment from your course."
    return render_lms_frame_page("lti_refused.html.j2", 400, why="Only an LMS can open this address.", advice=advice)


@launch_pages.on_post("/enter", Permission.LAUNCH)
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
    if request.headers.get("Sec-Fetch-Dest", "") not in FRAMES:
        sign_in(launch.enrolment.account)
        response: Any = redirect(path, 303)
        return Response(response.get_data(), response.status_code, response.headers)
    ticket = make_random_token()
    ticket_data = {"account": launch.enrolment.account, "path": path}
    current.store.lti_tickets.add("sign-in", ticket, ticket_data, TICKET_LIFETIME)
    return render_lms_frame_page("lti_enter.html.j2", ticket=ticket, arrived=launch.enrolment)
