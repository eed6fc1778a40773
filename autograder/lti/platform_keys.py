"""Fetch the keys with which platforms sign, and remember them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
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


@dataclass
class _KeySet:
    """What is known of one platform's keys."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    keys: dict[str, RSAPublicKey] = field(default_factory=dict)
    fetched_at: float = -MAX_AGE
    missed_at: float = -PAUSE
    """The last time at which a key was not found."""
    fault: Fault | None = None
    """Why no key set came then."""


class PlatformKeyCache:
    """The public keys of platforms, by platform and key set URL. Threads may share it."""

    def __init__(self, http: HttpClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._http, self._clock = http, clock
        self._key_sets: dict[tuple[int, str], _KeySet] = {}

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
        known = self._key_sets.setdefault((platform.id, platform.keys_url), _KeySet())
        if not self._has_key(known, key_id):
            with known.lock:  # one thread fetches, and the others reuse it
                if not self._has_key(known, key_id) and self._clock() - known.missed_at >= PAUSE:
                    self._refresh(platform, known, key_id)
        if self._has_key(known, key_id):
            return known.keys[key_id]
        if known.fault is not None:
            raise known.fault.with_traceback(None)
        raise RefusedLtiRequest("the launch is signed with a key that the platform does not show")

    def _has_key(self, known: _KeySet, key_id: str) -> bool:
        return key_id in known.keys and self._clock() - known.fetched_at < MAX_AGE

    def _refresh(self, platform: LtiPlatform, known: _KeySet, key_id: str) -> None:
        known.fault = None
        try:
            known.keys = self.fetch_fresh_keys(platform)
            known.fetched_at = self._clock()
        except Fault as fault:
            known.fault = fault
        if key_id not in known.keys or known.fault is not None:
            known.missed_at = self._clock()

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
