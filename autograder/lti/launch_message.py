"""Read a verified launch: the person, their roles, the link, and the services that the platform offers.

Format: https://www.imsglobal.org/spec/lti/v1p3. Names, e-mails and titles may be missing, and are text to be shown.
"""

from __future__ import annotations

from typing import Any

import msgspec

from autograder.lti.json_response import drop_null_members
from autograder.lti.refused_lti_request import RefusedLtiRequest
from autograder.roster.lti_profile import LtiProfile, normalize_identifiers

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


def parse_verified_launch_claims(claims: dict[str, Any]) -> LaunchMessage:
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
