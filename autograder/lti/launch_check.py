"""Verify that a platform signed a launch recently, for this tool and for this browser's login."""

from __future__ import annotations

import hmac
from typing import Any

import jwt

from autograder.lti.address_guard import get_origin
from autograder.lti.launch_message import LaunchMessage, parse_verified_launch_claims
from autograder.lti.platform_keys import PlatformKeyCache
from autograder.lti.refused_lti_request import RefusedLtiRequest
from autograder.lti.tool_keys import ALGORITHM
from autograder.safe_text import escape_for_display
from autograder.store.lti.lti_platform_table import LtiPlatform

SKEW_SECONDS = 60
MOST_TOKEN = 64 * 1024
REQUIRED = ["iss", "aud", "exp", "iat", "nonce"]
"""Claims without which a token is refused; ``launch_message`` says more clearly that ``sub`` is missing."""


def verify_launch(
    id_token: str, platform: LtiPlatform, expected_nonce: str, platform_keys: PlatformKeyCache, own_origin: str
) -> LaunchMessage:
    """Verify an ``id_token``, and return its message.

    Args:
        id_token: the token that the platform posted.
        platform: the platform that began this login; no other may sign the token.
        expected_nonce: the nonce that this login sent.
        platform_keys: the platforms' keys.
        own_origin: the origin of this server; the launch's target must be there.

    Raises:
        RefusedLtiRequest: the signature, nonce, recipient, deployment or target is wrong, or the token is too old
            or malformed.
        ServiceFault: the platform's keys cannot be fetched.
    """
    claims = _verify_token(id_token, platform, platform_keys)
    if not hmac.compare_digest(str(claims["nonce"]), expected_nonce):
        raise RefusedLtiRequest(
            "the launch answers another login", advice="open the assignment from your course again"
        )
    _check_authorized_party(claims, platform)
    message = parse_verified_launch_claims(claims)
    if message.deployment not in platform.deployments:
        deployment = escape_for_display(message.deployment, 100)
        raise RefusedLtiRequest(
            f"deployment {deployment!r} of {platform.name} is not accepted here",
            advice=f"ask an administrator to run `autograder lti add {platform.name} --deployment ...`",
        )
    if message.target_link_uri and get_origin(message.target_link_uri) != own_origin:
        raise RefusedLtiRequest(
            "the launch leads to another server", advice="correct the tool's address on the platform"
        )
    return message


def _verify_token(token: str, platform: LtiPlatform, keys: PlatformKeyCache) -> dict[str, Any]:
    if len(token) > MOST_TOKEN:
        raise RefusedLtiRequest("the launch is too long")
    try:
        header = jwt.get_unverified_header(token)
    except jwt.InvalidTokenError:
        raise RefusedLtiRequest("the launch is not signed") from None
    kid = header.get("kid")
    if header.get("alg") != ALGORITHM or not isinstance(kid, str):  # before any key is fetched
        raise RefusedLtiRequest(f"the launch is not signed with {ALGORITHM} and a named key")
    try:
        return jwt.decode(
            token,
            keys.get_key(platform, kid),
            algorithms=[ALGORITHM],
            audience=platform.client_id,
            issuer=platform.issuer,
            leeway=SKEW_SECONDS,
            options={"require": REQUIRED},
        )
    except jwt.ExpiredSignatureError:
        raise RefusedLtiRequest(
            "the launch is too old", advice="open the assignment from your course again"
        ) from None
    except jwt.ImmatureSignatureError:
        raise RefusedLtiRequest(
            "the launch is dated in the future, so a clock is wrong", advice="set both clocks by NTP"
        ) from None
    except jwt.InvalidTokenError as error:
        raise RefusedLtiRequest(f"the launch cannot be verified: {type(error).__name__}") from None


def _check_authorized_party(claims: dict[str, Any], platform: LtiPlatform) -> None:
    """Check the authorized party of a token with several audiences (OpenID Connect Core, section 3.1.3.7)."""
    has_several_audiences = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if (has_several_audiences or "azp" in claims) and claims.get("azp") != platform.client_id:
        raise RefusedLtiRequest("the launch was made for another tool")
