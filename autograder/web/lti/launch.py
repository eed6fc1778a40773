"""Begin a login, and verify the launch that answers it."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import jwt
import msgspec

from autograder.roster.roster_file import LtiProfile, normalize_identifiers
from autograder.text import escape_for_display
from autograder.web.lti.http import drop_null_members, get_origin
from autograder.web.lti.tool import ALGORITHM, PlatformKeyCache, RefusedLtiRequest
from autograder.web.store.accounts import Role, hash_token
from autograder.web.store.lti.platforms import LtiPlatform, LtiPlatformTable

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
        "platform": platform.id, "nonce": nonce, "binding": hash_token(binding), "storage": storage,
    }  # fmt: skip
    return BegunLogin(state, binding, platform, storage, next_url, stored)


def _get_platform(platforms: LtiPlatformTable, issuer: str, client_id: str) -> LtiPlatform:
    platforms_of_issuer = platforms.list_active(issuer=issuer)
    candidates = [one for one in platforms_of_issuer if client_id in ("", one.client_id)]
    if len(candidates) == 1:
        return candidates[0]
    shown_issuer = escape_for_display(issuer, 200)
    if candidates:
        raise RefusedLtiRequest("the login names no client id, but the platform has several", shown_issuer)
    if platforms_of_issuer:
        raise RefusedLtiRequest(
            f"unknown client id '{escape_for_display(client_id, 200)}'",
            shown_issuer,
            "ask an administrator to compare it with `autograder lti list`",
        )
    raise RefusedLtiRequest(
        f"unknown platform {shown_issuer}", advice="ask an administrator to add it with `autograder lti add`"
    )


CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
RESOURCE_LINK, DEEP_LINKING = "LtiResourceLinkRequest", "LtiDeepLinkingRequest"


class _Part(msgspec.Struct, frozen=True):
    """A part of a message; unknown fields are ignored."""


class LaunchContext(_Part, frozen=True):
    """The course of the platform."""

    id: str
    title: str | None = None
    label: str | None = None


class ResourceLink(_Part, frozen=True):
    """The link that was followed."""

    id: str
    title: str | None = None


class GradeServicesClaim(_Part, frozen=True):
    """Assignment and Grade Services: the gradebook's columns."""

    scope: tuple[str, ...] = ()
    lineitems: str = ""
    lineitem: str = ""


class NamesAndRolesClaim(_Part, frozen=True):
    """Names and Role Provisioning Services: the list of members."""

    context_memberships_url: str = ""


class DeepLinkingSettings(_Part, frozen=True):
    """The kinds of content that the platform accepts, and the URL to return them to."""

    deep_link_return_url: str
    accept_types: tuple[str, ...] = ()
    accept_multiple: bool = True
    accept_lineitem: bool = True
    data: str | None = None


class _Lis(_Part, frozen=True):
    person_sourcedid: str | None = None


class _Extension(_Part, frozen=True):
    user_username: str | None = None


class LaunchMessage(LtiProfile, _Part, frozen=True, kw_only=True):
    """A launch or a request for content, of a user in a course of a platform."""

    sub: str = ""
    message_type: str = msgspec.field(name=f"{CLAIM}message_type")
    version: str = msgspec.field(name=f"{CLAIM}version")
    deployment: str = msgspec.field(name=f"{CLAIM}deployment_id")
    roles: tuple[str, ...] = msgspec.field(name=f"{CLAIM}roles", default=())
    target_link_uri: str = msgspec.field(name=f"{CLAIM}target_link_uri", default="")
    context: LaunchContext | None = msgspec.field(name=f"{CLAIM}context", default=None)
    resource_link: ResourceLink | None = msgspec.field(name=f"{CLAIM}resource_link", default=None)
    custom: dict[str, Any] | None = msgspec.field(name=f"{CLAIM}custom", default=None)
    lis: _Lis | None = msgspec.field(name=f"{CLAIM}lis", default=None)
    extension: _Extension | None = msgspec.field(name=f"{CLAIM}ext", default=None)
    grades: GradeServicesClaim | None = msgspec.field(
        name="https://purl.imsglobal.org/spec/lti-ags/claim/endpoint", default=None
    )
    members: NamesAndRolesClaim | None = msgspec.field(
        name="https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice", default=None
    )
    deep_linking: DeepLinkingSettings | None = msgspec.field(
        name="https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings", default=None
    )
    preferred_username: str | None = None

    @property
    def unverified_roster_identifiers(self) -> list[str]:
        """Return further identifiers by which a roster may list this person; none of them is verified."""
        username = self.extension.user_username if self.extension else None
        person_id = self.lis.person_sourcedid if self.lis else None
        return normalize_identifiers(self.preferred_username, username, self.email, person_id)


def _parse_verified_launch_claims(claims: dict[str, Any]) -> LaunchMessage:
    """Return a message whose signature was verified.

    Raises:
        RefusedLtiRequest: the claims are not a valid launch message.
    """
    try:
        message = msgspec.convert(drop_null_members(claims), LaunchMessage)
    except msgspec.ValidationError as error:
        raise RefusedLtiRequest(f"the launch is not an LTI 1.3 message: {error}") from None
    if message.version != "1.3.0":
        raise RefusedLtiRequest("the launch has another LTI version than 1.3.0")
    if message.message_type not in (RESOURCE_LINK, DEEP_LINKING):
        raise RefusedLtiRequest("the launch has a message type that this tool does not know")
    if not message.sub or len(message.sub) > 255:
        raise RefusedLtiRequest("the launch names no user", advice="let the platform send the user's id")
    if message.message_type == RESOURCE_LINK and (message.resource_link is None or not message.resource_link.id):
        raise RefusedLtiRequest("the launch names no resource link")
    if message.message_type == DEEP_LINKING and message.deep_linking is None:
        raise RefusedLtiRequest("the launch has no deep linking settings")
    return message


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
    message = _parse_verified_launch_claims(claims)
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


MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
TEST_USER = "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"


def find_role_for_lti_roles(lti_roles: Iterable[str]) -> Role | None:
    """Return the role here that follows from a person's LTI roles; None if none does.

    A teaching assistant is an instructor with a sub-role, and has both roles. The administrator of a course becomes
    an instructor here: administrators of this server are made on its command line alone.

    >>> find_role_for_lti_roles([f"{MEMBERSHIP}#Instructor", f"{MEMBERSHIP}/Instructor#TeachingAssistant"])
    'teaching assistant'
    """
    names = {_find_name(role) for role in lti_roles}
    if "TeachingAssistant" in names:
        return "teaching assistant"
    if names & {"Instructor", "Administrator"}:
        return "instructor"
    return "student" if "Learner" in names else None


def is_test_user(lti_roles: Iterable[str]) -> bool:
    """Return whether a platform marks this as a test user, such as the student view of Canvas."""
    return TEST_USER in lti_roles


def _find_name(role: str) -> str:
    """Return the name of a role in a course; empty for a role elsewhere."""
    space, _, name = role.rpartition("#")
    if not space:
        return name if "/" not in name and ":" not in name else ""
    if space == MEMBERSHIP:
        return name
    principal = space.removeprefix(f"{MEMBERSHIP}/")
    if principal == space:
        return ""
    return "TeachingAssistant" if (principal, name) == ("Instructor", "TeachingAssistant") else principal
