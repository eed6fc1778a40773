"""Fetch the keys with which platforms sign, and remember them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.algorithms import RSAAlgorithm

from autograder.faults import Fault
from autograder.lti.address_guard import redact_url_query
from autograder.lti.http_client import HttpClient
from autograder.lti.refused_lti_request import RefusedLtiRequest
from autograder.store.lti.lti_platform_table import LtiPlatform

MAX_AGE = 3600.0
"""Seconds after which a key set is fetched again, so that a withdrawn key stops working."""
PAUSE = 10.0
"""After a key was not found, or no key set came: seconds in which the set is not fetched again for an unknown key."""
LEAST_BITS = 2048
_CacheKey = tuple[int, str]


class PlatformKeyCache:
    """The public keys of platforms, by platform and key set URL. Threads may share it."""

    def __init__(self, http: HttpClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._http, self._clock = http, clock
        self._locks: dict[_CacheKey, threading.Lock] = {}
        self._key_sets: dict[_CacheKey, tuple[dict[str, RSAPublicKey], float]] = {}
        self._last_misses: dict[_CacheKey, tuple[Fault | None, float]] = {}
        """The last time at which a key was not found, and the fault if no key set came."""

    def get_key(self, platform: LtiPlatform, key_id: str) -> RSAPublicKey:
        """Return a platform's key from its cached key set.

        The set is fetched anew if it is older than ``MAX_AGE``, or if it lacks the key, unless a search for an
        unknown key failed in the last ``PAUSE`` seconds. A platform that answers slowly holds up no launch from
        another one, and none that is signed with a cached key.

        Raises:
            RefusedLtiRequest: the platform has no such key, or shows none.
            UnansweredRequest: it does not answer.
            RefusedAddress: its key set URL may not be asked.
        """
        cache_key = platform.id, platform.keys_url
        cached_key = self._find_cached_key(cache_key, key_id)
        if cached_key is not None:
            return cached_key
        with self._locks.setdefault(cache_key, threading.Lock()):  # one thread fetches, and the others reuse it
            cached_key = self._find_cached_key(cache_key, key_id) or self._fetch_key(platform, cache_key, key_id)
        if cached_key is None:
            raise RefusedLtiRequest("the launch is signed with a key that the platform does not show")
        return cached_key

    def _find_cached_key(self, cache_key: _CacheKey, key_id: str) -> RSAPublicKey | None:
        keys, fetched_at = self._key_sets.get(cache_key, ({}, -MAX_AGE))
        return keys.get(key_id) if self._clock() - fetched_at < MAX_AGE else None

    def _fetch_key(self, platform: LtiPlatform, cache_key: _CacheKey, key_id: str) -> RSAPublicKey | None:
        """Fetch a key set and return a key from it; None if it lacks the key, or lacked one a moment ago."""
        last_fault, missed_at = self._last_misses.get(cache_key, (None, -PAUSE))
        if self._clock() - missed_at < PAUSE:
            if last_fault is not None:
                raise last_fault.with_traceback(None)
            return None
        try:
            keys = self.fetch_fresh_keys(platform)
        except Fault as fault:
            self._last_misses[cache_key] = fault, self._clock()
            raise
        self._key_sets[cache_key] = keys, self._clock()
        if key_id not in keys:
            self._last_misses[cache_key] = None, self._clock()
        return keys.get(key_id)

    def fetch_fresh_keys(self, platform: LtiPlatform) -> dict[str, RSAPublicKey]:
        """Return the keys that a platform shows now, by their ids.

        The cache is neither read nor filled. Raises as ``get_key`` does.
        """
        headers = {"Accept": "application/json"}
        response = self._http.send("GET", platform.keys_url, headers=headers, allow_private=platform.allow_private)
        location = redact_url_query(platform.keys_url)
        try:
            jwks = response.decode_json()["keys"] if response.is_ok else None
        except (ValueError, TypeError, KeyError):
            jwks = None
        if not isinstance(jwks, list):
            raise RefusedLtiRequest("the answer is not a key set", location, "check the key set URL of the platform")
        return {str(jwk["kid"]): key for jwk in jwks if (key := _parse_key(jwk)) is not None}


def _parse_key(jwk: Any) -> RSAPublicKey | None:
    """Return a key; None if it is not accepted: a shared secret, another algorithm, private, or too short."""
    if not isinstance(jwk, dict) or jwk.get("kty") != "RSA" or not isinstance(jwk.get("kid"), str):
        return None
    if jwk.get("use", "sig") != "sig":
        return None
    if "d" in jwk:  # searching the factors of a long private key would stop the whole server for minutes
        return None
    try:
        key = RSAAlgorithm.from_jwk(jwk)
    except (jwt.InvalidKeyError, ValueError, TypeError):
        return None
    return key if isinstance(key, RSAPublicKey) and key.key_size >= LEAST_BITS else None
