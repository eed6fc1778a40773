"""Describe this server to platforms: the addresses to paste, the JSON that Canvas reads, a dynamic registration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from autograder.lti.launch_deadlines import DEADLINE_VARIABLES
from autograder.lti.launch_message import DEEP_LINKING, RESOURCE_LINK
from autograder.lti.platform_client import ALL_SCOPES

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
