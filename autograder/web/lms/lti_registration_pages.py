"""Tell platforms what this tool is and which keys it signs with, and register it with them."""

from __future__ import annotations

import re
from dataclasses import replace

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from autograder.faults import CallerFault, KitFault
from autograder.lti.address_guard import get_origin
from autograder.lti.platform_audit_events import save_platform
from autograder.lti.refused_lti_request import RefusedLtiRequest
from autograder.lti.registration import fetch_platform_configuration, register_tool
from autograder.lti.tool_description import ToolDescription
from autograder.store.lti.lti_audit_events import PLATFORM
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.web.lms.current_lti_tool import get_lti_tool
from autograder.web.lms.lti_frames import (
    is_form_sent_by_own_page,
    render_fault_as_lti_refusal,
    render_lms_frame_page,
)
from autograder.web.random_tokens import hash_token, is_well_formed_token
from autograder.web.request_context import get_course, get_course_key_in_store, get_served_course_settings, get_store
from autograder.web.role_permissions import Permission, requires

registration_pages = Blueprint("lti_registration_pages", __name__, url_prefix="/lti")
AGAIN = "Ask an administrator to make a new link on the page LMS."
registration_pages.register_error_handler(CallerFault, render_fault_as_lti_refusal)
registration_pages.register_error_handler(RefusedLtiRequest, render_fault_as_lti_refusal)
registration_pages.register_error_handler(KitFault, render_fault_as_lti_refusal)


def make_tool_description() -> ToolDescription:
    """Return what platforms are told of this server."""
    return ToolDescription(get_course().title or "Autograder", get_served_course_settings().course_url)


@registration_pages.get("/keys")
@requires(Permission.LAUNCH)
def show_public_keys() -> ResponseReturnValue:
    """Show the public keys."""
    return jsonify(get_lti_tool().keys.get_or_make_public_jwks())


@registration_pages.get("/canvas.json")
@requires(Permission.LAUNCH)
def serve_canvas_json() -> ResponseReturnValue:
    """Serve the configuration that Canvas reads when a developer key is made from an address."""
    return jsonify(make_tool_description().make_canvas_configuration())


@registration_pages.get("/register/<token>")
@requires(Permission.LAUNCH)
def show_registration_confirmation(token: str) -> ResponseReturnValue:
    """Show which platform wants to register the tool; the address in the query is not fetched yet."""
    if _find_registration_data(token) is None:
        raise RefusedLtiRequest("this link to register was used already, or is too old", advice=AGAIN)
    url = request.args.get("openid_configuration", "")
    if not get_origin(url):
        raise RefusedLtiRequest(
            "only a platform can open this link", advice="Paste it where the LMS registers tools."
        )
    return render_lms_frame_page(
        "lti_register.html.j2", token=token, platform=get_origin(url), url=url,
        registration_token=request.args.get("registration_token", ""),
    )  # fmt: skip


@registration_pages.post("/register/<token>")
@requires(Permission.LAUNCH)
def register_with_platform(token: str) -> ResponseReturnValue:
    """Register with a platform, once for a link, and keep it."""
    if not is_form_sent_by_own_page() or (registration_data := _find_registration_data(token)) is None:
        raise RefusedLtiRequest("this link to register was used already, or is too old", advice=AGAIN)
    url, registration_token = request.form.get("url", ""), request.form.get("registration_token", "")
    http, allow_private = get_lti_tool().http, bool(registration_data["allow_private"])
    if not re.fullmatch(r"[\x21-\x7e]{0,8000}", registration_token):
        raise RefusedLtiRequest("the platform's registration token is malformed")
    get_store().lti_tickets.take_ticket_data_or_none("registration", hash_token(token))
    configuration = fetch_platform_configuration(http, url, allow_private=allow_private)
    platform = register_tool(
        http, configuration, registration_token, make_tool_description(), allow_private=allow_private
    )
    named_platform = replace(platform, name=_choose_name(platform))
    saved_platform = save_platform(get_store(), get_course_key_in_store(), PLATFORM, named_platform)
    return render_lms_frame_page(
        "lti_registered.html.j2", allow_launch_script=True, saved=saved_platform, origin=get_origin(url)
    )


def _find_registration_data(token: str) -> dict[str, object] | None:
    return (
        get_store().lti_tickets.find_ticket_data("registration", hash_token(token))
        if is_well_formed_token(token)
        else None
    )


def _choose_name(platform: LtiPlatform) -> str:
    """Return an unused name for a platform; one that is known by its issuer and client id keeps its name."""
    identity_by_name = {
        known_platform.name: (known_platform.issuer, known_platform.client_id)
        for known_platform in get_store().lti_platforms.list_active()
    }
    same_platform_names = [
        name for name, identity in identity_by_name.items() if identity == (platform.issuer, platform.client_id)
    ]
    names = [
        *same_platform_names,
        platform.name,
        *(f"{platform.name}-{number}" for number in range(2, len(identity_by_name) + 3)),
    ]
    return next(name for name in names if name in same_platform_names or name not in identity_by_name)
