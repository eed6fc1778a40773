"""Get access tokens from platforms: ``client_credentials``, proved by a token that the tool signs (RFC 7523)."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Collection
from typing import Any
from urllib.parse import urlencode

from autograder.faults import ServiceFault
from autograder.lti.address_guard import redact_url_query
from autograder.lti.http_client import HttpClient, is_retryable_status
from autograder.lti.tool_keys import ToolSigningKeyFile
from autograder.safe_text import escape_for_display
from autograder.store.lti.lti_platform_table import LtiPlatform

ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ASSERTION_SECONDS = 60
MARGIN_SECONDS = 60
"""A token is replaced so many seconds before it expires."""
LONGEST_SECONDS = 3600


class AccessTokenNotGranted(ServiceFault):
    """A platform gave no access token.

    Attributes:
        status: the HTTP status of its answer.
    """

    def __init__(self, status: int, reason: str, where: str) -> None:
        advice = "check the client id and the key set URL there"
        if is_retryable_status(status):
            advice = "try again in some minutes"
        elif "invalid_scope" in reason:
            advice = "allow the tool these services in its settings there"
        super().__init__(f"the platform gives no access token: status {status}{reason}", where, advice)
        self.status = status


class AccessTokenProvider:
    """Gets access tokens, and remembers them for each platform and set of scopes. Threads may share it."""

    def __init__(
        self, tool_keys: ToolSigningKeyFile, http: HttpClient, clock: Callable[[], float] = time.time
    ) -> None:
        self._keys, self._http, self._clock = tool_keys, http, clock
        self._locks: dict[tuple[object, ...], threading.Lock] = {}
        self._cached_tokens: dict[tuple[object, ...], tuple[str, float]] = {}

    def get_token(self, platform: LtiPlatform, scopes: Collection[str]) -> str:
        """Return a token for scopes. Never show it or log it.

        Raises:
            AccessTokenNotGranted: the platform gives none.
            UnansweredRequest: it does not answer.
            RefusedAddress: its token URL may not be asked.
        """
        key = _make_cache_key(platform, scopes)
        with self._get_lock(key):  # one thread requests the token, and the others reuse it
            token, end = self._cached_tokens.get(key, ("", 0.0))
            if self._clock() >= end:
                token, seconds = self._request_token(platform, scopes)
                self._cached_tokens[key] = token, self._clock() + min(seconds, LONGEST_SECONDS) - MARGIN_SECONDS
            return token

    def forget_cached_token(self, platform: LtiPlatform, scopes: Collection[str]) -> None:
        """Forget a token that the platform refused."""
        key = _make_cache_key(platform, scopes)
        with self._get_lock(key):
            self._cached_tokens.pop(key, None)

    def _get_lock(self, key: tuple[object, ...]) -> threading.Lock:
        """Return the lock of one token; a platform that answers slowly holds up no other."""
        return self._locks.setdefault(key, threading.Lock())

    def _request_token(self, platform: LtiPlatform, scopes: Collection[str]) -> tuple[str, float]:
        now = int(self._clock())
        claims = {
            "iss": platform.client_id,
            "sub": platform.client_id,
            "aud": platform.token_audience or platform.token_url,
            "iat": now,
            "exp": now + ASSERTION_SECONDS,
            "jti": secrets.token_urlsafe(24),
        }
        form = {
            "grant_type": "client_credentials",
            "client_assertion_type": ASSERTION,
            "client_assertion": self._keys.sign_jwt(claims),
            "scope": " ".join(sorted(scopes)),
        }
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        content = urlencode(form).encode()
        response = self._http.send(
            "POST", platform.token_url, headers=headers, content=content, allow_private=platform.allow_private
        )
        location = redact_url_query(platform.token_url)
        try:
            answer = response.decode_json()
        except ValueError:
            answer = None
        if not response.is_ok or not isinstance(answer, dict) or not isinstance(answer.get("access_token"), str):
            raise AccessTokenNotGranted(response.status, _find_reason(answer), location)
        seconds = answer.get("expires_in")
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        return answer["access_token"], float(seconds) if is_number and seconds is not None else 0.0


def _make_cache_key(platform: LtiPlatform, scopes: Collection[str]) -> tuple[object, ...]:
    return platform.id, platform.token_url, platform.client_id, frozenset(scopes)


def _find_reason(answer: Any) -> str:
    """Return the OAuth error code without its description, which may repeat the secrets of the request."""
    code = answer.get("error") if isinstance(answer, dict) else None
    return f", {escape_for_display(code, 60)}" if isinstance(code, str) else ""
