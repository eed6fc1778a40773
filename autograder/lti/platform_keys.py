"""Fetch the keys with which platforms sign, and remember them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.algorithms import RSAAlgorithm

from autograder.lti.address_guard import format_url
from autograder.lti.http_client import HttpClient
from autograder.lti.refused_lti_request import RefusedLtiRequest
from autograder.store.lti.lti_platform_table import LtiPlatform

MAX_AGE = 3600.0
"""Seconds after which a key set is fetched again, so that a withdrawn key stops working."""
PAUSE = 10.0
"""After a key was not found: seconds in which the set is not fetched again because of another unknown key."""
LEAST_BITS = 2048


class PlatformKeyCache:
    """The public keys of platforms, by platform and key set URL. Threads may share it."""

    def __init__(self, http: HttpClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._http, self._clock = http, clock
        self._lock = threading.Lock()
        self._key_sets: dict[tuple[int, str], tuple[dict[str, RSAPublicKey], float]] = {}
        self._last_miss_times: dict[tuple[int, str], float] = {}

    def get_key(self, platform: LtiPlatform, key_id: str) -> RSAPublicKey:
        """Return a platform's key from its cached key set.

        The set is fetched anew if it is older than ``MAX_AGE``, or if it lacks the key, unless a search for an
        unknown key failed in the last ``PAUSE`` seconds.

        Raises:
            RefusedLtiRequest: the platform has no such key, or shows none.
            UnansweredRequest: it does not answer.
            RefusedAddress: its key set URL may not be asked.
        """
        cache_key = platform.id, platform.keys_url
        with self._lock:
            keys, fetched_at = self._key_sets.get(cache_key, ({}, -MAX_AGE))
            now = self._clock()
            is_old = now - fetched_at >= MAX_AGE
            if is_old or (key_id not in keys and now - self._last_miss_times.get(cache_key, -PAUSE) >= PAUSE):
                keys = self.fetch_fresh_keys(platform)
                self._key_sets[cache_key] = keys, now
                if key_id not in keys:
                    self._last_miss_times[cache_key] = now
        if key_id not in keys:
            raise RefusedLtiRequest("the launch is signed with a key that the platform does not show")
        return keys[key_id]

    def fetch_fresh_keys(self, platform: LtiPlatform) -> dict[str, RSAPublicKey]:
        """Return the keys that a platform shows now, by their ids.

        The cache is neither read nor filled. Raises as ``get_key`` does.
        """
        headers = {"Accept": "application/json"}
        reply = self._http.send("GET", platform.keys_url, headers=headers, allow_private=platform.allow_private)
        location = format_url(platform.keys_url)
        try:
            jwks = reply.decode_json()["keys"] if reply.is_ok else None
        except (ValueError, TypeError, KeyError):
            jwks = None
        if not isinstance(jwks, list):
            raise RefusedLtiRequest("the answer is not a key set", location, "check the key set URL of the platform")
        return {str(jwk["kid"]): key for jwk in jwks if (key := _parse_key(jwk)) is not None}


def _parse_key(jwk: Any) -> RSAPublicKey | None:
    """Return a key; None if it is not accepted: a shared secret, another algorithm, or too short."""
    if not isinstance(jwk, dict) or jwk.get("kty") != "RSA" or not isinstance(jwk.get("kid"), str):
        return None
    if jwk.get("use", "sig") != "sig":
        return None
    try:
        key = RSAAlgorithm.from_jwk(jwk)
    except (jwt.InvalidKeyError, ValueError, TypeError):
        return None
    return key if isinstance(key, RSAPublicKey) and key.key_size >= LEAST_BITS else None
