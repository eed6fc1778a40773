"""Put together the keys and clients with which one server speaks with platforms.

They are made once, and shared by its threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.lti.access_tokens import AccessTokenProvider
from autograder.lti.http_client import HttpClient
from autograder.lti.platform_keys import PlatformKeyCache
from autograder.lti.platform_service import PlatformService
from autograder.lti.tool_keys import ToolSigningKeyFile
from autograder.store.lti_platform_table import LtiPlatform


@dataclass(frozen=True, slots=True)
class LtiKeysAndClients:
    """What this server, as an LTI tool, signs and checks with, and calls platforms with.

    Attributes:
        keys: what it signs with.
        http: how it sends requests.
        platform_keys: what platforms sign with.
        tokens: with what it may call their services.
    """

    keys: ToolSigningKeyFile
    http: HttpClient
    platform_keys: PlatformKeyCache
    tokens: AccessTokenProvider

    def make_platform_service(self, platform: LtiPlatform) -> PlatformService:
        """Return a platform's services."""
        return PlatformService(platform, self.tokens, self.http)


def make_lti_keys_and_clients(keys_folder: Path) -> LtiKeysAndClients:
    """Return the tool whose keys are in a folder, beside ``web-secret``."""
    keys, http = ToolSigningKeyFile(keys_folder), HttpClient()
    return LtiKeysAndClients(keys, http, PlatformKeyCache(http), AccessTokenProvider(keys, http))
