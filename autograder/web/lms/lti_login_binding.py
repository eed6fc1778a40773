"""Bind a launch to the browser that began it: by a cookie, and by the platform's storage where cookies are blocked.

Format: https://www.imsglobal.org/spec/lti-cs-pm/v0p1 (LTI Platform Storage).
"""

from __future__ import annotations

import hashlib
import hmac
from datetime import timedelta
from typing import Any

from flask import Response, url_for

from autograder.lti.oidc_login import BegunLogin, get_storage_origin, hash_login_secret
from autograder.lti.refused_lti_request import RefusedLtiRequest
from autograder.web.lms.lti_frames import render_lms_frame_page
from autograder.web.random_tokens import hash_token
from autograder.web.request_context import get_served_course_settings, get_store

LOGIN_LIFETIME = timedelta(minutes=10)
AGAIN = "Open the assignment from your course again."


def render_page_storing_login_secret(login: BegunLogin) -> Response:
    """Return a page that keeps the browser's secret in the platform's storage, and goes on."""
    return render_lms_frame_page(
        "lti_storage.html.j2", allow_launch_script=True, action="put", target=login.storage, next_url=login.next_url,
        origin=get_storage_origin(login.platform), key=make_login_cookie_name(login.state), value=login.binding,
        fields={},
    )  # fmt: skip


def render_page_fetching_login_secret(stored_login: dict[str, Any], state: str, id_token: str) -> Response:
    """Return a page that fetches the browser's secret from the platform's storage, and posts the launch with it."""
    platform = get_store().lti_platforms.find_active_by_id(stored_login["platform"])
    return render_lms_frame_page(
        "lti_storage.html.j2", allow_launch_script=True, action="get", target=stored_login["storage"],
        next_url=url_for("lti_launch_pages.accept_lti_launch"),
        origin=get_storage_origin(platform) if platform else "",
        key=make_login_cookie_name(state), value="", fields={"state": state, "id_token": id_token},
    )  # fmt: skip


def consume_login(state: str, login_secret: str) -> dict[str, Any]:
    """Use a login up, and return its stored data.

    Args:
        state: names the login.
        login_secret: the browser's secret, from its cookie or the platform's storage.

    Raises:
        RefusedLtiRequest: it was used already, or another browser began it.
    """
    login_data = get_store().lti_tickets.take_ticket_data_or_none("login", hash_token(state))
    if login_data is None:
        raise RefusedLtiRequest("this launch was used already, or is too old", advice=AGAIN)
    if not hmac.compare_digest(hash_login_secret(login_secret), login_data["binding"]):
        raise RefusedLtiRequest(
            "your browser does not send the cookie of this launch, or another browser began it",
            advice="Let the LMS open this tool in a new window, or allow cookies of other sites in its frame.",
        )
    return login_data


def make_login_cookie_name(state: str) -> str:
    """Return what the cookie of a login is called."""
    prefix = "__Host-" if get_served_course_settings().is_https else ""
    return f"{prefix}lti-{hashlib.sha256(state.encode()).hexdigest()[:16]}"


def set_binding_cookie(response: Any, login: BegunLogin) -> None:
    """Add the cookie with the browser's secret to a response."""
    name, seconds = make_login_cookie_name(login.state), int(LOGIN_LIFETIME.total_seconds())
    response.set_cookie(name, login.binding, max_age=seconds, **make_login_cookie_attributes())


def make_login_cookie_attributes() -> dict[str, Any]:
    """Return the login cookie's attributes.

    The launch is a form that another site posts, so the cookie needs ``SameSite=None`` and ``Secure``. Browsers
    refuse such a cookie without TLS; there ``Lax`` is used, which is enough if platform and tool run on the same
    machine.
    """
    if get_served_course_settings().is_https:
        return {"secure": True, "httponly": True, "samesite": "None", "partitioned": True}
    return {"httponly": True, "samesite": "Lax"}
