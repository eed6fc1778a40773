"""Keep the tool's keys, the platforms' keys and access tokens, and call platforms' services with them."""

from __future__ import annotations

import functools
import json
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import jwt
import msgspec
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from jwt.algorithms import RSAAlgorithm

from autograder.faults import CallerFault, Fault, ServiceFault, make_file_fault
from autograder.files import write_secret_file
from autograder.text import escape_for_display
from autograder.web.lti.http import HttpClient, HttpResponse, is_retryable_status, iterate_pages, redact_url_query
from autograder.web.store.lti.platforms import LtiPlatform

FILE = "lti-keys.json"
ALGORITHM = "RS256"
"""The one algorithm that LTI's security framework requires of everybody."""
BITS = 2048
STILL_PUBLISHED = timedelta(days=30)
"""How long a key is published after another has replaced it: platforms remember key sets, and retry what failed."""


class ToolSigningKey(msgspec.Struct, frozen=True):
    """A key of the tool."""

    kid: str
    made_at: datetime
    pem: str
    replaced_at: datetime | None = None

    def __repr__(self) -> str:
        return f"ToolSigningKey({self.kid!r})"  # never the key


class ToolSigningKeyFile:
    """The keys of one server, the newest last."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def sign_jwt(self, claims: dict[str, Any]) -> str:
        """Return claims as a JSON Web Token, signed with the newest key; the first key is made when it is needed."""
        key = self._load_or_make()[-1]
        return jwt.encode(claims, _load_private_key(key.pem), ALGORITHM, headers={"kid": key.kid})

    def get_or_make_public_jwks(self) -> dict[str, Any]:
        """Return the JSON Web Key Set that platforms fetch; make and save the first key if there is none."""
        return {"keys": [_make_jwk(key) for key in self._load_or_make() if _is_published(key)]}

    def list_published_ids_and_times(self) -> list[tuple[str, datetime]]:
        """Return the published keys' ids and when each was made; make and save the first key if there is none."""
        return [(key.kid, key.made_at) for key in self._load_or_make() if _is_published(key)]

    def rotate_key(self) -> str:
        """Sign with a new key from now on, and return its id; the old ones stay published for a while."""
        now = datetime.now(UTC)
        old_keys = [
            msgspec.structs.replace(key, replaced_at=key.replaced_at or now)
            for key in self._load_or_make()
            if _is_published(key)
        ]
        new_key = _make_key()
        self._write_keys([*old_keys, new_key], replace=True)
        return new_key.kid

    def _load_or_make(self) -> list[ToolSigningKey]:
        try:
            if not self._path.exists():
                self._write_keys([_make_key()], replace=False)
            return msgspec.json.decode(self._path.read_bytes(), type=list[ToolSigningKey])
        except OSError as error:
            raise make_file_fault(error, self._path, action="open") from None
        except msgspec.DecodeError:  # without its text, which may hold a part of the file
            raise CallerFault(
                "the file does not hold the tool's keys",
                str(self._path),
                "restore it from a back-up, or delete it to make new keys",
            ) from None

    def _write_keys(self, keys: list[ToolSigningKey], *, replace: bool) -> None:
        write_secret_file(self._path, msgspec.json.encode(keys), replace=replace)


def _make_key() -> ToolSigningKey:
    private_key = generate_private_key(public_exponent=65537, key_size=BITS)
    pem = private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return ToolSigningKey(secrets.token_hex(8), datetime.now(UTC), pem)


@functools.lru_cache(maxsize=8)  # reading one takes a hundred times as long as signing
def _load_private_key(pem: str) -> RSAPrivateKey:
    private_key = load_pem_private_key(pem.encode(), password=None)
    assert isinstance(private_key, RSAPrivateKey)
    return private_key


def _make_jwk(key: ToolSigningKey) -> dict[str, Any]:
    numbers = json.loads(RSAAlgorithm.to_jwk(_load_private_key(key.pem).public_key()))
    return {"kty": "RSA", "kid": key.kid, "alg": ALGORITHM, "use": "sig", "n": numbers["n"], "e": numbers["e"]}


def _is_published(key: ToolSigningKey) -> bool:
    return key.replaced_at is None or datetime.now(UTC) - key.replaced_at < STILL_PUBLISHED


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
        self._cached_tokens: dict[tuple[object, ...], tuple[str, float]] = {}

    def get_token(self, platform: LtiPlatform, scopes: Collection[str]) -> str:
        """Return a token for scopes. Never show it or log it.

        Raises:
            AccessTokenNotGranted: the platform gives none.
            UnansweredRequest: it does not answer.
            RefusedAddress: its token URL may not be asked.
        """
        key = _make_cache_key(platform, scopes)
        token, end = self._cached_tokens.get(key, ("", 0.0))
        if self._clock() >= end:
            token, seconds = self._request_token(platform, scopes)
            self._cached_tokens[key] = token, self._clock() + min(seconds, LONGEST_SECONDS) - MARGIN_SECONDS
        return token

    def forget_cached_token(self, platform: LtiPlatform, scopes: Collection[str]) -> None:
        """Forget a token that the platform refused."""
        self._cached_tokens.pop(_make_cache_key(platform, scopes), None)

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


LINE_ITEM = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem"
LINE_ITEM_READ_ONLY = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem.readonly"
RESULT_READ_ONLY = "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly"
SCORE = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
MEMBERS_READ_ONLY = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
ALL_SCOPES = (LINE_ITEM, LINE_ITEM_READ_ONLY, RESULT_READ_ONLY, SCORE, MEMBERS_READ_ONLY)


class PlatformClient:
    """Calls the services of one platform with access tokens."""

    def __init__(self, platform: LtiPlatform, tokens: AccessTokenProvider, http: HttpClient) -> None:
        self.platform = platform
        self._tokens, self._http = tokens, http

    def send_authorized_request(
        self,
        method: str,
        url: str,
        scopes: Collection[str],
        *,
        accept: str = "application/json",
        content: bytes | None = None,
        content_type: str = "",
    ) -> HttpResponse:
        """Send a request; where its token is refused, send it once more with a new one.

        A refused request was not carried out, so it is safe to send it again. Open edX says 403 for a bad token.

        Raises:
            AccessTokenNotGranted: the platform gives no token.
            UnansweredRequest: it does not answer.
            RefusedAddress: nothing may be sent there.
        """
        response = self._send_once(method, url, scopes, accept, content, content_type)
        if response.status == 401 or (response.status == 403 and b"token" in response.body.lower()):
            self._tokens.forget_cached_token(self.platform, scopes)
            response = self._send_once(method, url, scopes, accept, content, content_type)
        return response

    def fetch_pages(
        self, list_url: str, scopes: Collection[str], accept: str, what_is_listed: str
    ) -> Iterator[HttpResponse]:
        """Yield the response with each page of a list. See ``iterate_pages``."""
        return iterate_pages(
            list_url, what_is_listed, lambda url: self.send_authorized_request("GET", url, scopes, accept=accept)
        )

    def _send_once(
        self, method: str, url: str, scopes: Collection[str], accept: str, content: bytes | None, content_type: str
    ) -> HttpResponse:
        headers = {"Authorization": f"Bearer {self._tokens.get_token(self.platform, scopes)}", "Accept": accept}
        if content is not None:
            headers["Content-Type"] = content_type
        return self._http.send(
            method, url, headers=headers, content=content, allow_private=self.platform.allow_private
        )


def append_path_segment_to_url(url: str, path_segment: str) -> str:
    """Return the URL of what belongs to a line item; its query stays at the end.

    >>> append_path_segment_to_url("https://lms.example/items/2/lineitem?type_id=1", "scores")
    'https://lms.example/items/2/lineitem/scores?type_id=1'
    """
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{path_segment}", fragment=""))


class RefusedLtiRequest(Fault):
    """A login or launch is refused. The person sees the message, so it must not hold a secret."""


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
