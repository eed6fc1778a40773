"""Access tokens are asked for as RFC 7523 says, remembered for their time, and told to nobody."""

from __future__ import annotations

import logging
from dataclasses import replace
from urllib.parse import parse_qs

import jwt
import pytest
from flask import Response

from autograder.web.lti.http import HttpClient, UnansweredRequest
from autograder.web.lti.tool import (
    ASSERTION,
    SCORE,
    AccessTokenNotGranted,
    AccessTokenProvider,
    PlatformClient,
    ToolSigningKeyFile,
)
from tests.web.lti.fake_platform import FakePlatform


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_the_request_is_signed_by_the_tool_for_this_token_url(
    fake: FakePlatform, keys: ToolSigningKeyFile, tokens: AccessTokenProvider
) -> None:
    assert tokens.get_token(fake.platform, ["b", "a"]) == "secret-token-1"
    ((_, _, headers, body),) = fake.asked("token")
    form = {name: value[0] for name, value in parse_qs(body.decode()).items()}
    assertion = form.pop("client_assertion")
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert form == {"grant_type": "client_credentials", "client_assertion_type": ASSERTION, "scope": "a b"}
    key = jwt.PyJWKSet.from_dict(keys.get_or_make_public_jwks())[jwt.get_unverified_header(assertion)["kid"]]
    claims = jwt.decode(assertion, key.key, ["RS256"], audience=fake.platform.token_url)
    assert (claims["iss"], claims["sub"], claims["exp"] - claims["iat"]) == ("client-1", "client-1", 60)


def test_a_platform_may_want_another_audience(fake: FakePlatform, tokens: AccessTokenProvider) -> None:
    tokens.get_token(replace(fake.platform, token_audience="https://lms.example"), ["a"])
    assertion = parse_qs(fake.asked("token")[0][3].decode())["client_assertion"][0]
    assert jwt.decode(assertion, options={"verify_signature": False})["aud"] == "https://lms.example"


def test_a_token_is_remembered_until_shortly_before_its_end(
    fake: FakePlatform, keys: ToolSigningKeyFile, clock: Clock
) -> None:
    tokens = AccessTokenProvider(keys, HttpClient(), clock)
    assert {tokens.get_token(fake.platform, ["a"]) for _ in range(3)} == {"secret-token-1"}
    clock.now += 3600 - 61
    assert tokens.get_token(fake.platform, ["a"]) == "secret-token-1"
    clock.now += 2
    assert tokens.get_token(fake.platform, ["a"]) == "secret-token-2"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, '{"error": "invalid_client", "error_description": "SECRET"}'), (500, "SECRET"), (200, "[]"), (200, "{"),
        (200, '{"access_token": 7}'), (302, ""),
    ],
)  # fmt: skip
def test_a_platform_that_gives_no_token_is_told_without_what_it_said_at_length(
    fake: FakePlatform, tokens: AccessTokenProvider, status: int, body: str
) -> None:
    fake.answers["token"] = Response(body, status)
    with pytest.raises(AccessTokenNotGranted, match=f"status {status}") as caught:
        tokens.get_token(fake.platform, ["a"])
    assert "SECRET" not in str(caught.value)
    assert ("invalid_client" in str(caught.value)) == ("invalid_client" in body)


@pytest.mark.parametrize(
    ("status", "body", "advice"),
    [
        (401, '{"error": "invalid_client"}', "check the client id"), (429, "", "try again in some minutes"),
        (400, '{"error": "invalid_scope"}', "allow the tool these services"),
    ],
)  # fmt: skip
def test_the_advice_fits_the_reason_why_no_token_is_given(
    fake: FakePlatform, tokens: AccessTokenProvider, status: int, body: str, advice: str
) -> None:
    fake.answers["token"] = Response(body, status)
    with pytest.raises(AccessTokenNotGranted, match=advice):
        tokens.get_token(fake.platform, ["a"])


def test_key_and_token_are_in_no_log_and_no_error(
    fake: FakePlatform, keys: ToolSigningKeyFile, tokens: AccessTokenProvider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client = PlatformClient(fake.platform, tokens, HttpClient(read_seconds=0.2))
    client.send_authorized_request("GET", f"{fake.url}/items", [SCORE])
    fake.delay = 1.0
    with pytest.raises(UnansweredRequest) as caught:
        client.send_authorized_request("POST", f"{fake.url}/items", [SCORE], content=b"{}", content_type="x")
    assertion = parse_qs(fake.asked("token")[0][3].decode())["client_assertion"][0]
    told = caplog.text + str(caught.value) + repr(caught.value) + repr(keys._load_or_make()) + repr(tokens)
    assert caplog.records  # urllib3 says what it connects to
    for secret in ("secret-token", assertion, "PRIVATE"):
        assert secret not in told
    assert "secret-token-1" in fake.asked("items")[0][2]["Authorization"]


@pytest.mark.parametrize(("status", "body"), [(401, ""), (403, '{"detail":"Invalid token signature."}')])
def test_a_token_that_is_refused_is_replaced_once(
    fake: FakePlatform, tokens: AccessTokenProvider, status: int, body: str
) -> None:
    fake.answers["items"] = Response(body, status)
    client = PlatformClient(fake.platform, tokens, HttpClient())
    assert client.send_authorized_request("GET", f"{fake.url}/items", [SCORE]).status == status
    assert [one[2]["Authorization"] for one in fake.asked("items")] == [f"Bearer secret-token-{n}" for n in (1, 2)]
