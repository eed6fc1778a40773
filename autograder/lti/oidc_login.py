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
class LoginRequest:
    """The parameters with which a platform begins a launch; none of them is signed."""

    issuer: str
    login_hint: str
    target_link_uri: str
    client_id: str
    deployment: str
    message_hint: str
    storage_target: str
    """The frame that keeps a state where cookies are blocked (LTI Platform Storage); empty where there is none."""


@dataclass(frozen=True, slots=True)
class LoginSecrets:
    """The secrets that the tool sends, and remembers until the launch."""

    state: str
    nonce: str
    binding: str
    """The secret that only this browser has, in a cookie or in the platform's storage."""


def read_login_request(request_fields: Mapping[str, str]) -> LoginRequest:
    """Return what a platform sent.

    Raises:
        RefusedLtiRequest: something is missing or too long.
    """
    names = ("iss", "login_hint", "target_link_uri", "client_id", "lti_deployment_id", "lti_message_hint")
    values = [request_fields.get(name, "") for name in (*names, "lti_storage_target")]
    if any(len(value) > MOST_TEXT or "\0" in value for value in values):
        raise RefusedLtiRequest("the login is longer than anything a platform sends")
    request = LoginRequest(*values)
    for name, value in (("iss", request.issuer), ("login_hint", request.login_hint)):
        if not value:
            raise RefusedLtiRequest(f"the login has no {name}", advice="open the assignment from your course")
    return request


def get_platform_of_login(platforms: LtiPlatformTable, request: LoginRequest) -> LtiPlatform:
    """Return the platform that began a login.

    Raises:
        RefusedLtiRequest: the platform is unknown, or the request fits several platforms.
    """
    candidates = platforms.list_active_by_issuer(request.issuer, request.client_id)
    if len(candidates) == 1:
        return candidates[0]
    issuer = escape_for_display(request.issuer, 200)
    if candidates:
        raise RefusedLtiRequest("the login names no client id, but the platform has several", issuer)
    if any(platform.issuer == request.issuer for platform in platforms.list_active()):
        raise RefusedLtiRequest(
            f"unknown client id '{escape_for_display(request.client_id, 200)}'",
            issuer,
            "ask an administrator to compare it with `autograder lti list`",
        )
    raise RefusedLtiRequest(
        f"unknown platform {issuer}", advice="ask an administrator to add it with `autograder lti add`"
    )


def make_login_secrets() -> LoginSecrets:
    """Return fresh secrets for one launch."""
    return LoginSecrets(*(secrets.token_urlsafe(32) for _ in range(3)))


def make_login_data_to_store(
    platform: LtiPlatform, request: LoginRequest, login_secrets: LoginSecrets
) -> dict[str, Any]:
    """Return the data to store until the launch.

    They are the platform that must sign it, the nonce that it must contain, the digest of the browser's secret, and
    the platform's storage frame.
    """
    return {
        "platform": platform.id,
        "nonce": login_secrets.nonce,
        "binding": hash_login_secret(login_secrets.binding),
        "storage": request.storage_target,
    }


def hash_login_secret(login_secret: str) -> str:
    """Return the digest that is kept of a browser's secret."""
    return hashlib.sha256(login_secret.encode()).hexdigest()


def make_authentication_url(
    platform: LtiPlatform, request: LoginRequest, login_secrets: LoginSecrets, redirect_uri: str
) -> str:
    """Return where the browser goes next."""
    fields = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": platform.client_id,
        "redirect_uri": redirect_uri,
        "state": login_secrets.state,
        "nonce": login_secrets.nonce,
        "login_hint": request.login_hint,
    }
    if request.message_hint:
        fields["lti_message_hint"] = request.message_hint
    return f"{platform.login_url}{'&' if '?' in platform.login_url else '?'}{urlencode(fields)}"


def get_storage_origin(platform: LtiPlatform) -> str:
    """Return the only origin that may receive the state: that of the platform's authentication URL."""
    return get_origin(platform.login_url)
