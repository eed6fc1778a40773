"""Tell platforms what this tool is and what it offers, and register it with them."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any
from urllib.parse import urlsplit

import msgspec

from autograder.course import Assignment
from autograder.faults import CallerFault
from autograder.text import escape_for_display
from autograder.web.lti.http import (
    HttpClient,
    HttpResponse,
    decode_json_response,
    get_origin,
    redact_url_query,
    require_permitted_url,
)
from autograder.web.lti.launch import CLAIM, DEEP_LINKING, RESOURCE_LINK
from autograder.web.lti.launch_acceptance import DEADLINE_VARIABLES
from autograder.web.lti.tool import ALL_SCOPES, ToolSigningKeyFile
from autograder.web.store.lti.platforms import KINDS, LtiPlatform

CLAIMS = ["iss", "sub", "name", "given_name", "family_name", "email"]
PLACEMENTS = ("assignment_selection", "link_selection")
"""Where Canvas offers the choice of assignments: when an assignment is made, and in a module."""
DESCRIPTION = "Hand in programming assignments, and read what was found in them."


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """The description of this server for platforms."""

    title: str
    url: str
    """The server as browsers and platforms reach it, without a slash at its end."""

    @property
    def launch_url(self) -> str:
        """Return the redirect URI, target link URI and deep linking URL: they are one."""
        return f"{self.url}/lti/launch"

    @property
    def login_url(self) -> str:
        """Return where platforms begin a login (OpenID Connect initiation)."""
        return f"{self.url}/lti/login"

    @property
    def keys_url(self) -> str:
        """Return the key set URL."""
        return f"{self.url}/lti/keys"

    def list_setup_fields(self) -> list[tuple[str, str]]:
        """Return what somebody pastes into a platform, by the names that platforms use."""
        return [
            ("Tool URL, target link URI, launch URL", self.launch_url),
            ("Login URL, initiate login URL, OpenID Connect initiation URL", self.login_url),
            ("Redirect URI", self.launch_url),
            ("Public key set, JWKS URL, keyset URL", self.keys_url),
            ("Deep linking URL, content selection URL", self.launch_url),
            ("Domain", urlsplit(self.url).netloc),
            ("Canvas: configuration URL of an LTI key", f"{self.url}/lti/canvas.json"),
        ]

    def make_canvas_configuration(self) -> dict[str, Any]:
        """Return a configuration as Canvas reads it.

        Format: https://canvas.instructure.com/doc/api/file.lti_dev_key_config.html
        """
        placements = [
            {"placement": placement, "message_type": DEEP_LINKING, "target_link_uri": self.launch_url}
            for placement in PLACEMENTS
        ]
        domain = urlsplit(self.url).netloc
        settings = {"platform": "canvas.instructure.com", "text": self.title, "placements": placements}
        extension = {"platform": "canvas.instructure.com", "domain": domain, "privacy_level": "public"}
        return {
            "title": self.title,
            "description": DESCRIPTION,
            "oidc_initiation_url": self.login_url,
            "target_link_uri": self.launch_url,
            "public_jwk_url": self.keys_url,
            "scopes": [*ALL_SCOPES],
            "custom_fields": dict(DEADLINE_VARIABLES),
            "extensions": [{**extension, "settings": settings}],
        }

    def make_registration_request(self) -> dict[str, Any]:
        """Return what a dynamic registration sends.

        Format: https://www.imsglobal.org/spec/lti-dr/v1p0#tool-configuration
        """
        return {
            "application_type": "web",
            "response_types": ["id_token"],
            "grant_types": ["implicit", "client_credentials"],
            "initiate_login_uri": self.login_url,
            "redirect_uris": [self.launch_url],
            "client_name": self.title,
            "jwks_uri": self.keys_url,
            "token_endpoint_auth_method": "private_key_jwt",
            "scope": " ".join(ALL_SCOPES),
            "https://purl.imsglobal.org/spec/lti-tool-configuration": {
                "domain": urlsplit(self.url).netloc,
                "description": DESCRIPTION,
                "target_link_uri": self.launch_url,
                "claims": CLAIMS,
                "custom_parameters": dict(DEADLINE_VARIABLES),
                "messages": [
                    {"type": RESOURCE_LINK, "target_link_uri": self.launch_url},
                    {"type": DEEP_LINKING, "target_link_uri": self.launch_url},
                ],
            },
        }


PLATFORM_CLAIM = "https://purl.imsglobal.org/spec/lti-platform-configuration"
TOOL_CLAIM = "https://purl.imsglobal.org/spec/lti-tool-configuration"
MOST_TEXT = 2000
AGAIN = "begin the registration again on the platform, or use `autograder lti add`"


class _Product(msgspec.Struct, frozen=True):
    product_family_code: str = ""


class PlatformConfiguration(msgspec.Struct, frozen=True):
    """A platform's description of itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    registration_endpoint: str
    authorization_server: str = ""
    product: _Product = msgspec.field(name=PLATFORM_CLAIM, default=_Product())


def fetch_platform_configuration(
    http: HttpClient, configuration_url: str, *, allow_private: bool
) -> PlatformConfiguration:
    """Fetch the platform configuration at an address that a browser sent.

    Raises:
        CallerFault: there is no configuration, or it names another server's issuer or registration endpoint.
        RefusedAddress: it may not be asked, or names addresses that may not be.
        UnansweredRequest: nothing answers.
    """
    response = http.send(
        "GET", configuration_url, headers={"Accept": "application/json"}, allow_private=allow_private
    )
    configuration: PlatformConfiguration = _decode_response(response, PlatformConfiguration, configuration_url)
    own_origin = get_origin(configuration_url)
    if (
        get_origin(configuration.issuer) != own_origin
        or get_origin(configuration.registration_endpoint) != own_origin
    ):
        raise CallerFault(
            "the configuration names another server",
            escape_for_display(configuration_url, 200),
            "register from the platform's own page",
        )
    for url in (
        configuration.authorization_endpoint,
        configuration.token_endpoint,
        configuration.jwks_uri,
        configuration.registration_endpoint,
    ):
        require_permitted_url(url, allow_private=allow_private)
    return configuration


def register_tool(
    http: HttpClient,
    configuration: PlatformConfiguration,
    registration_token_or_empty: str,
    tool_description: ToolDescription,
    *,
    allow_private: bool,
) -> LtiPlatform:
    """Register the tool, and return the platform, ready to be saved.

    Args:
        http: sends the request.
        configuration: the platform's configuration.
        registration_token_or_empty: what the platform gave the browser for this one registration; empty where it
            gave none.
        tool_description: the description of this tool.
        allow_private: whether the administrator allowed private networks.

    Raises:
        CallerFault: the platform does not take it.
        UnansweredRequest: it does not answer.
    """
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if registration_token_or_empty:
        headers["Authorization"] = f"Bearer {registration_token_or_empty}"
    content = msgspec.json.encode(tool_description.make_registration_request())
    response = http.send(
        "POST", configuration.registration_endpoint, headers=headers, content=content, allow_private=allow_private
    )
    answer: dict[str, Any] = _decode_response(response, dict[str, Any], configuration.registration_endpoint)
    client_id, tool_claim = answer.get("client_id"), answer.get(TOOL_CLAIM)
    if not isinstance(client_id, str) or not client_id or len(client_id) > MOST_TEXT:
        raise CallerFault(
            "the platform gives no client id", escape_for_display(configuration.registration_endpoint, 200), AGAIN
        )
    deployment = tool_claim.get("deployment_id") if isinstance(tool_claim, dict) else None
    family = re.sub(r"[^a-z0-9]", "", configuration.product.product_family_code.lower())[:20]
    return LtiPlatform(
        family or "lms",
        configuration.issuer,
        client_id,
        configuration.authorization_endpoint,
        configuration.token_endpoint,
        configuration.jwks_uri,
        (str(deployment),) if deployment else (),
        next((kind for kind in KINDS if kind == family), "other"),
        configuration.authorization_server,
        allow_private,
    )


def _decode_response(response: HttpResponse, target_type: Any, url: str) -> Any:
    location = redact_url_query(url)
    if not response.is_ok:
        raise CallerFault(
            f"the platform answers with status {response.status}",
            location,
            "begin the registration again on the platform",
        )
    try:
        return decode_json_response(response.body, target_type)
    except ValueError:
        raise CallerFault("the answer is not what LTI expects", location, AGAIN) from None


LINK = "ltiResourceLink"
DL_CLAIM = "https://purl.imsglobal.org/spec/lti-dl/claim/"
LIFETIME = 300
TAG = "autograder"


def make_content_item(offered: Assignment, launch_url: str, *, with_line_item: bool) -> dict[str, Any]:
    """Return one link: where it leads, and the column that goes with it."""
    item: dict[str, Any] = {
        "type": LINK,
        "title": offered.title,
        "url": launch_url,
        "custom": {"assignment": offered.name, **DEADLINE_VARIABLES},
    }
    if with_line_item and offered.max_score > 0:
        item["lineItem"] = {
            "label": offered.title,
            "scoreMaximum": offered.max_score,
            "resourceId": offered.name,
            "tag": TAG,
        }
    deadline = offered.deadline_rules.deadline
    if deadline:
        item["submission"] = {"endDateTime": deadline.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
    return item


def make_signed_deep_linking_response(
    tool_keys: ToolSigningKeyFile,
    platform: LtiPlatform,
    deployment_id: str,
    opaque_platform_data: str | None,
    content_items: Sequence[dict[str, Any]],
) -> str:
    """Return the signed response; ``opaque_platform_data`` is returned to the platform unchanged."""
    now = int(time.time())
    claims: dict[str, Any] = {
        "iss": platform.client_id,
        "aud": [platform.issuer],
        "iat": now,
        "exp": now + LIFETIME,
        "nonce": secrets.token_urlsafe(24),
        f"{CLAIM}deployment_id": deployment_id,
        f"{CLAIM}message_type": "LtiDeepLinkingResponse",
        f"{CLAIM}version": "1.3.0",
        f"{DL_CLAIM}content_items": list(content_items),
    }
    if opaque_platform_data is not None:
        claims[f"{DL_CLAIM}data"] = opaque_platform_data
    return tool_keys.sign_jwt(claims)
