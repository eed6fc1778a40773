"""Combine the keys and clients with which one server communicates with platforms.

They are made once, and shared by the server's threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.lti.access_tokens import AccessTokenProvider
from autograder.lti.http_client import HttpClient
from autograder.lti.platform_client import PlatformClient
from autograder.lti.platform_keys import PlatformKeyCache
from autograder.lti.tool_keys import ToolSigningKeyFile
from autograder.store.lti.lti_platform_table import LtiPlatform


@dataclass(frozen=True, slots=True)
class LtiTool:
    """The keys and clients of this server as an LTI tool.

    Attributes:
        keys: the tool's own signing keys.
        http: sends requests.
        platform_keys: the platforms' public keys.
        tokens: gets access tokens for the platforms' services.
    """

    keys: ToolSigningKeyFile
    http: HttpClient
    platform_keys: PlatformKeyCache
    tokens: AccessTokenProvider

    def make_platform_client(self, platform: LtiPlatform) -> PlatformClient:
        """Return the client of a platform's services."""
        return PlatformClient(platform, self.tokens, self.http)


def make_lti_tool(keys_folder: Path) -> LtiTool:
    """Return the keys and clients of the server whose key file is in a folder, beside ``web-secret``."""
    keys, http = ToolSigningKeyFile(keys_folder), HttpClient()
    return LtiTool(keys, http, PlatformKeyCache(http), AccessTokenProvider(keys, http))
