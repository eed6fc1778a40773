"""Tell platforms what this tool is, and register it with them."""

from __future__ import annotations

import re
from dataclasses import replace

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from autograder.faults import CallerFault, KitFault
from autograder.lti.address_guard import get_origin_or_empty
from autograder.lti.audit_texts import make_platform_change_event
from autograder.lti.refused_launch import RefusedLaunch
from autograder.lti.registration import fetch_configuration, register_tool_and_make_platform
from autograder.lti.tool_description import ToolDescription
from autograder.store.lti_audit import PLATFORM, add_lti_audit_event
from autograder.store.lti_platform_table import LtiPlatform
from autograder.web.context import get_course, get_course_key, get_settings, get_store
from autograder.web.lti_frames import get_tool, is_own_form, refuse, show_in_frame
from autograder.web.permissions import Action, needs
from autograder.web.tokens import hash_token, is_token

pages = Blueprint("lti_key_pages", __name__, url_prefix="/lti")
AGAIN = "An administrator makes a new link on the page LMS."


@pages.errorhandler(CallerFault)
@pages.errorhandler(RefusedLaunch)
@pages.errorhandler(KitFault)
def show_refusal(fault: CallerFault | RefusedLaunch | KitFault) -> ResponseReturnValue:
    """Say why nothing was registered."""
    return refuse(f"{fault.where}: {fault.what}" if fault.where else fault.what, fault.advice)


def make_tool_description() -> ToolDescription:
    """Return what platforms are told of this server."""
    return ToolDescription(get_course().title or "Autograder", get_settings().url)


@pages.get("/keys")
@needs(Action.LAUNCH)
def show_keys() -> ResponseReturnValue:
    """Show the public keys."""
    return jsonify(get_tool().keys.make_published_key_set())


@pages.get("/canvas.json")
@needs(Action.LAUNCH)
def show_canvas_configuration() -> ResponseReturnValue:
    """Show what Canvas reads when a developer key is made from an address."""
    return jsonify(make_tool_description().describe_to_canvas())


@pages.get("/register/<token>")
@needs(Action.LAUNCH)
def show_registration_request(token: str) -> ResponseReturnValue:
    """Show which platform wants to know the tool; the address in the query is not asked for yet."""
    if _find(token) is None:
        raise RefusedLaunch("this link to register was used already, or is too old", advice=AGAIN)
    url = request.args.get("openid_configuration", "")
    if not get_origin_or_empty(url):
        raise RefusedLaunch("this link is for a platform to open", advice="Paste it where the LMS registers tools.")
    return show_in_frame(
        "lti_register.html.j2", token=token, platform=get_origin_or_empty(url), url=url,
        registration_token=request.args.get("registration_token", ""),
    )  # fmt: skip


@pages.post("/register/<token>")
@needs(Action.LAUNCH)
def carry_out(token: str) -> ResponseReturnValue:
    """Register with a platform, once for a link, and keep it."""
    if not is_own_form() or (kept := _find(token)) is None:
        raise RefusedLaunch("this link to register was used already, or is too old", advice=AGAIN)
    url, secret = request.form.get("url", ""), request.form.get("registration_token", "")
    http, allowed = get_tool().http, bool(kept["allow_private"])
    if not re.fullmatch(r"[\x21-\x7e]{0,8000}", secret):
        raise RefusedLaunch("the platform's token is none")
    get_store().lti_tickets.use_up("registration", hash_token(token))
    found = fetch_configuration(http, url, allow_private=allowed)
    platform = register_tool_and_make_platform(http, found, secret, make_tool_description(), allow_private=allowed)
    named = replace(platform, name=_choose_name(platform))
    before = get_store().lti_platforms.find_by_name(named.name)
    saved = get_store().lti_platforms.save(named)
    add_lti_audit_event(get_store().audit, get_course_key(), PLATFORM, make_platform_change_event(before, saved))
    return show_in_frame("lti_registered.html.j2", script=True, saved=saved, origin=get_origin_or_empty(url))


def _find(token: str) -> dict[str, object] | None:
    return get_store().lti_tickets.find("registration", hash_token(token)) if is_token(token) else None


def _choose_name(platform: LtiPlatform) -> str:
    """Return a name that no other platform has; one with the same issuer and client id keeps its own."""
    known = {one.name: (one.issuer, one.client_id) for one in get_store().lti_platforms.list_active()}
    same = [name for name, identity in known.items() if identity == (platform.issuer, platform.client_id)]
    names = [*same, platform.name, *(f"{platform.name}-{number}" for number in range(2, len(known) + 3))]
    return next(name for name in names if name in same or name not in known)
