"""Begin a launch: a login initiated by a third party (OpenID Connect).

Format: https://www.imsglobal.org/spec/security/v1p0/#platform-originating-messages. The platform names itself and the
tool; the tool sends the browser back with a state and a nonce, and the platform posts a signed token to the tool.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from autograder.lti.address_guard import get_origin
from autograder.lti.refused_lti_request import RefusedLtiRequest
from autograder.safe_text import escape_for_display
from autograder.store.lti.lti_platform_table import LtiPlatform, LtiPlatformTable

MOST_TEXT = 4000
"""Characters of a parameter; Moodle puts JSON into one."""


@dataclass(frozen=True, slots=True)
class BegunLogin:
    """A login that waits for its launch."""

    state: str
    """Names the login."""
    binding: str
    """The secret that only this browser has, in a cookie or in the platform's storage."""
    platform: LtiPlatform
    storage: str
    """The platform's frame that keeps a state where cookies are blocked (LTI Platform Storage); empty without one."""
    next_url: str
    """Where the browser goes next."""
    stored: dict[str, Any]
    """What is kept until the launch: the platform that must sign it, the nonce that it must contain, the digest of
    the browser's secret, and the platform's storage frame."""


def begin_login(platforms: LtiPlatformTable, request_fields: Mapping[str, str], redirect_uri: str) -> BegunLogin:
    """Return a login with fresh secrets, as a platform asked for it; nothing of what it sent is signed.

    Raises:
        RefusedLtiRequest: something is missing or too long, the platform is unknown, or the request fits several.
    """
    names = ("iss", "login_hint", "target_link_uri", "client_id", "lti_deployment_id", "lti_message_hint")
    fields = {name: request_fields.get(name, "") for name in (*names, "lti_storage_target")}
    if any(len(value) > MOST_TEXT or "\0" in value for value in fields.values()):
        raise RefusedLtiRequest("the login is longer than anything a platform sends")
    for name in ("iss", "login_hint"):
        if not fields[name]:
            raise RefusedLtiRequest(f"the login has no {name}", advice="open the assignment from your course")
    platform, storage = _get_platform(platforms, fields["iss"], fields["client_id"]), fields["lti_storage_target"]
    state, nonce, binding = (secrets.token_urlsafe(32) for _ in range(3))
    query = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": platform.client_id,
        "redirect_uri": redirect_uri,
        "state": state,
        "nonce": nonce,
        "login_hint": fields["login_hint"],
    }
    if fields["lti_message_hint"]:
        query["lti_message_hint"] = fields["lti_message_hint"]
    next_url = f"{platform.login_url}{'&' if '?' in platform.login_url else '?'}{urlencode(query)}"
    stored = {
        "platform": platform.id, "nonce": nonce, "binding": hash_login_secret(binding), "storage": storage,
    }  # fmt: skip
    return BegunLogin(state, binding, platform, storage, next_url, stored)


def _get_platform(platforms: LtiPlatformTable, issuer: str, client_id: str) -> LtiPlatform:
    candidates = platforms.list_active_by_issuer(issuer, client_id)
    if len(candidates) == 1:
        return candidates[0]
    shown_issuer = escape_for_display(issuer, 200)
    if candidates:
        raise RefusedLtiRequest("the login names no client id, but the platform has several", shown_issuer)
    if platforms.list_active_by_issuer(issuer):
        raise RefusedLtiRequest(
            f"unknown client id '{escape_for_display(client_id, 200)}'",
            shown_issuer,
            "ask an administrator to compare it with `autograder lti list`",
        )
    raise RefusedLtiRequest(
        f"unknown platform {shown_issuer}", advice="ask an administrator to add it with `autograder lti add`"
    )


def hash_login_secret(login_secret: str) -> str:
    """Return the digest that is kept of a browser's secret."""
    return hashlib.sha256(login_secret.encode()).hexdigest()


def get_storage_origin(platform: LtiPlatform) -> str:
    """Return the only origin that may receive the state: that of the platform's authentication URL."""
    return get_origin(platform.login_url)
