"""Register this tool with a platform that offers it (LTI Dynamic Registration; Moodle does).

Format: https://www.imsglobal.org/spec/lti-dr/v1p0. The address of the platform's configuration comes from a browser,
so it is fetched within the bounds of ``http_client``, and only by a link that an administrator made.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from autograder.faults import CallerFault
from autograder.lti.address_guard import get_origin, redact_url_query, require_permitted_url
from autograder.lti.http_client import HttpClient, HttpResponse
from autograder.lti.json_response import decode_json_response
from autograder.lti.tool_description import ToolDescription
from autograder.safe_text import escape_for_display
from autograder.store.lti.lti_platform_table import KINDS, LtiPlatform

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
