"""Messages that somebody made up, stole or sent twice let nobody in."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from flask import Response

from autograder.web.store.lti.platforms import LtiPlatform
from autograder.web.store.server_store import ServerStore
from tests.web.lti.fake_platform import CLAIM, describe_key, make_key, serve_platform
from tests.web.lti_site import LtiSite

Forge = Callable[[LtiSite, dict[str, Any]], str]


def encode(part: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


def unsigned(lti: LtiSite, claims: dict[str, Any], alg: str = "none") -> str:
    return f"{encode({'alg': alg, 'kid': lti.fake.kid})}.{encode(claims)}."


def signed_with_the_public_key_as_a_secret(lti: LtiSite, claims: dict[str, Any]) -> str:
    public = lti.fake.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    text = f"{encode({'alg': 'HS256', 'kid': lti.fake.kid, 'typ': 'JWT'})}.{encode(claims)}"
    signature = hmac.new(public, text.encode(), hashlib.sha256).digest()
    return f"{text}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def signed_with_another_key(lti: LtiSite, claims: dict[str, Any]) -> str:
    return jwt.encode(claims, make_key(), "RS256", headers={"kid": lti.fake.kid})


def with_its_own_key(lti: LtiSite, claims: dict[str, Any]) -> str:
    own = make_key()
    headers = {"kid": lti.fake.kid, "jwk": describe_key(own, lti.fake.kid), "jku": "https://evil.example/keys"}
    return jwt.encode(claims, own, "RS256", headers=headers)


def changed_after_signing(lti: LtiSite, claims: dict[str, Any]) -> str:
    header, _, signature = lti.fake.sign(claims).split(".")
    return f"{header}.{encode({**claims, 'sub': '1'})}.{signature}"


FORGERIES: dict[str, Forge] = {
    "alg none": unsigned,
    "alg None": lambda lti, claims: unsigned(lti, claims, "None"),
    "no alg": lambda lti, claims: f"{encode({'kid': lti.fake.kid})}.{encode(claims)}.",
    "public key as a secret": signed_with_the_public_key_as_a_secret,
    "another key": signed_with_another_key,
    "a key of its own": with_its_own_key,
    "changed": changed_after_signing,
    "RS512": lambda lti, claims: jwt.encode(claims, lti.fake.key, "RS512", headers={"kid": lti.fake.kid}),
    "no kid": lambda lti, claims: jwt.encode(claims, lti.fake.key, "RS256"),
    "unknown kid": lambda lti, claims: lti.fake.sign(claims, kid="other"),
    "no token": lambda lti, claims: "x",
    "three dots": lambda lti, claims: "...",
    "too long": lambda lti, claims: lti.fake.sign({**claims, "x": "x" * 70_000}),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_what_the_platform_did_not_sign_lets_nobody_in(lti: LtiSite, forge: Forge) -> None:
    browser = lti.site.browser()
    sent = lti.begin(browser)
    answer = lti.post(browser, sent["state"], forge(lti, lti.fake.claims(sent["nonce"])))
    assert answer.status_code == 400
    assert browser.get("/").status_code == 303


NOW = int(time.time())
WRONG: dict[str, dict[str, Any]] = {
    "issuer": {"iss": "https://evil.example"},
    "no issuer": {"iss": None},
    "audience": {"aud": "another-tool"},
    "audiences": {"aud": ["another-tool"]},
    "two audiences, made for the other": {"aud": ["client-1", "another-tool"], "azp": "another-tool"},
    "two audiences, made for nobody": {"aud": ["client-1", "another-tool"]},
    "authorized party": {"azp": "another-tool"},
    "expired": {"exp": NOW - 120},
    "no end": {"exp": None},
    "no beginning": {"iat": None},
    "of tomorrow": {"iat": NOW + 86_400, "exp": NOW + 90_000},
    "end is a word": {"exp": "never"},
    "nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "nonce is a list": {"nonce": ["x"]},
    "no subject": {"sub": None},
    "empty subject": {"sub": ""},
    "subject too long": {"sub": "x" * 256},
    "version": {f"{CLAIM}version": "1.1"},
    "no version": {f"{CLAIM}version": None},
    "kind of message": {f"{CLAIM}message_type": "LtiSubmissionReviewRequest"},
    "deployment": {f"{CLAIM}deployment_id": "2"},
    "no deployment": {f"{CLAIM}deployment_id": None},
    "no link": {f"{CLAIM}resource_link": None},
    "open redirect": {f"{CLAIM}target_link_uri": "https://evil.example/"},
    "open redirect by user": {f"{CLAIM}target_link_uri": "http://127.0.0.1:8000@evil.example/"},
    "open redirect without scheme": {f"{CLAIM}target_link_uri": "//evil.example/"},
    "open redirect by script": {f"{CLAIM}target_link_uri": "javascript:alert(1)"},
    "another port": {f"{CLAIM}target_link_uri": "http://127.0.0.1:8001/"},
    "roles are a word": {f"{CLAIM}roles": "Learner"},
    "context is a word": {f"{CLAIM}context": "2"},
}


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG)
def test_each_claim_is_checked(lti: LtiSite, changes: dict[str, Any]) -> None:
    browser = lti.site.browser()
    answer = lti.launch(browser, **changes)
    assert (answer.status_code, "Location" in answer.headers) == (400, False)
    assert browser.get("/").status_code == 303


@pytest.mark.parametrize(
    "changes", [{"iat": NOW + 45}, {"exp": NOW - 30, "iat": NOW - 90}, {"aud": ["x", "client-1"], "azp": "client-1"}]
)
def test_clocks_may_differ_by_a_minute_and_a_token_may_be_for_two(lti: LtiSite, changes: dict[str, Any]) -> None:
    if "iat" in changes:
        changes = {name: value + int(time.time()) - NOW for name, value in changes.items()}
    assert lti.launch(**changes).status_code == 303


def test_a_state_works_once(lti: LtiSite) -> None:
    browser = lti.site.browser()
    sent = lti.begin(browser)
    token = lti.fake.sign(lti.fake.claims(sent["nonce"]))
    kept = next(
        iter((browser.client._cookies or {}).values())
    )  # the cookie is deleted after the launch, but not by a thief
    assert lti.post(browser, sent["state"], token).status_code == 303
    browser.post("/sign-out", page="/")
    browser.client.set_cookie(kept.key, kept.value)
    answer = lti.post(browser, sent["state"], token)
    assert (answer.status_code, "used already" in answer.text) == (400, True)
    assert browser.get("/").status_code == 303


def test_a_nonce_belongs_to_its_own_login(lti: LtiSite) -> None:
    browser = lti.site.browser()
    first, second = lti.begin(browser), lti.begin(browser)
    assert lti.post(browser, second["state"], lti.fake.sign(lti.fake.claims(first["nonce"]))).status_code == 400


def test_a_launch_that_another_browser_began_signs_nobody_in(lti: LtiSite) -> None:
    attacker, victim = lti.site.browser(), lti.site.browser()
    sent = lti.begin(attacker)
    token = lti.fake.sign(lti.fake.claims(sent["nonce"]))
    lti.begin(victim)  # has a cookie of its own
    answer = lti.post(victim, sent["state"], token)
    assert (answer.status_code, "another browser began it" in answer.text) == (400, True)
    assert victim.get("/").status_code == 303


@pytest.mark.parametrize("binding", ["", "x", "x" * 43, "ä", "\0"])
def test_a_secret_that_is_guessed_is_refused(lti: LtiSite, binding: str) -> None:
    page = lti.log_in(lti.site.browser(), lti_storage_target="_parent").text
    found = re.search(r"state=([\w-]+)&amp;nonce=([\w-]+)", page)
    assert found
    victim = lti.site.browser()
    answer = lti.post(victim, found[1], lti.fake.sign(lti.fake.claims(found[2])), binding=binding)
    assert answer.status_code == 400


@pytest.mark.parametrize("state", ["", "x", "x" * 43, "' OR 1=1 --", "\0", "ä" * 43])
def test_a_state_that_nobody_made_is_refused(lti: LtiSite, state: str) -> None:
    assert lti.post(lti.site.browser(), state, "a.b.c").status_code == 400


def test_another_platform_cannot_answer_a_login(lti: LtiSite) -> None:
    """Mix-up: the login was begun at one platform, and another that is known here, too, signs the launch."""
    with serve_platform(client_id="client-2") as other:
        let_in(lti, replace(other.platform, name="other"))
        for make_claims in (other.claims, lti.fake.claims):
            browser = lti.site.browser()
            sent = lti.begin(browser)
            answer = lti.post(browser, sent["state"], other.sign(make_claims(sent["nonce"])))
            assert (answer.status_code, "connected" in answer.text) == (400, False)
            assert browser.get("/").status_code == 303
        assert lti.site.in_store(lambda store: store.lti_people.list_all()) == []


def let_in(lti: LtiSite, platform: LtiPlatform) -> None:
    """Let a course of another platform in: nothing but the check of messages keeps its people out."""

    def action(store: ServerStore) -> None:
        saved = store.lti_platforms.save_platform(platform)
        found = store.lti_contexts.add_or_update_context(saved.id, "1", "2", "")
        store.lti_contexts.set_connected(found.id, is_connected=True)

    lti.site.in_store(action)


def test_a_secret_or_short_key_in_a_key_set_verifies_nothing(lti: LtiSite) -> None:
    secret = encode("secret")
    keys = [
        {"kty": "oct", "k": secret, "kid": lti.fake.kid, "alg": "HS256"},
        {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": lti.fake.kid},
        {"kty": "RSA", "kid": lti.fake.kid}, "x", None, {"kty": "RSA", "n": 7, "e": [], "kid": lti.fake.kid},
    ]  # fmt: skip
    lti.fake.answers["keys"] = Response(json.dumps({"keys": keys}))
    browser = lti.site.browser()
    sent = lti.begin(browser)
    token = jwt.encode(
        lti.fake.claims(sent["nonce"]),
        base64.urlsafe_b64decode(secret + "==").ljust(32),
        "HS256",
        {"kid": lti.fake.kid},
    )
    assert lti.post(browser, sent["state"], token).status_code == 400
    assert lti.launch().status_code == 400


NESTED = '{"keys": ' + "[" * 100_000 + "]" * 100_000 + "}"


@pytest.mark.first_cases(3)
@pytest.mark.parametrize("shown", [NESTED, "", "[]", "{}", '{"keys": 7}', "<html>", '{"keys": []}'])
def test_a_key_set_that_is_none_lets_nobody_in(lti: LtiSite, shown: str) -> None:
    lti.fake.answers["keys"] = Response(shown)
    assert lti.launch().status_code == 400


def test_a_new_key_of_the_platform_is_found_at_once_and_not_asked_for_again_and_again(lti: LtiSite) -> None:
    assert lti.launch().status_code == 303
    lti.fake.key, lti.fake.kid = make_key(), "key-2"
    assert lti.launch().status_code == 303
    assert len(lti.fake.asked("keys")) == 2
    for _ in range(5):
        browser = lti.site.browser()
        sent = lti.begin(browser)
        lti.post(browser, sent["state"], lti.fake.sign(lti.fake.claims(sent["nonce"]), kid="made-up"))
    assert len(lti.fake.asked("keys")) == 3
    assert lti.launch().status_code == 303


@pytest.mark.parametrize(
    "fields",
    [
        {"iss": ""}, {"login_hint": ""}, {"iss": "https://evil.example"}, {"client_id": "other"}, {"iss": "x\0"},
        {"login_hint": "x" * 4001},
    ],
)  # fmt: skip
def test_a_login_of_nobody_known_goes_nowhere(lti: LtiSite, fields: dict[str, str]) -> None:
    answer = lti.log_in(lti.site.browser(), **fields)
    assert (answer.status_code, "Location" in answer.headers) == (400, False)


def test_a_login_never_leads_anywhere_but_to_the_platforms_own_address(lti: LtiSite) -> None:
    answer = lti.log_in(
        lti.site.browser(), target_link_uri="https://evil.example/", redirect_uri="https://evil.example/"
    )
    assert answer.headers["Location"].startswith(f"{lti.fake.url}/auth?")
    assert "evil" not in answer.headers["Location"]


def test_what_a_platform_says_of_an_error_is_text(lti: LtiSite) -> None:
    answer = lti.site.browser().client.post(
        "/lti/launch", data={"error": "x", "error_description": "<script>alert(1)"}
    )
    assert answer.status_code == 400
    assert "&lt;script&gt;alert(1)" in answer.text


def test_a_deployment_that_is_not_accepted_lets_nobody_in_even_from_a_connected_course(lti: LtiSite) -> None:
    lti.change(deployments=("1", "2"))
    lti.connect(deployment="2")
    assert lti.launch(**{f"{CLAIM}deployment_id": "2"}).status_code == 303
    lti.change(deployments=("1",))
    assert lti.launch(**{f"{CLAIM}deployment_id": "2"}).status_code == 400


def test_a_platform_that_was_removed_lets_nobody_in(lti: LtiSite) -> None:
    browser = lti.site.browser()
    sent = lti.begin(browser)
    lti.site.in_store(lambda store: store.lti_platforms.retire(lti.platform))
    assert lti.post(browser, sent["state"], lti.fake.sign(lti.fake.claims(sent["nonce"]))).status_code == 400
    assert lti.log_in(browser).status_code == 400


def test_tokens_states_and_nonces_are_in_no_log(lti: LtiSite, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    browser = lti.site.browser()
    sent = lti.begin(browser)
    token = lti.fake.sign(lti.fake.claims("wrong"))
    assert lti.post(browser, sent["state"], token).status_code == 400
    lti.launch(browser)
    assert "LTI: refused" in caplog.text
    for secret in (token, token.split(".")[2], sent["state"], sent["nonce"], "PRIVATE"):
        assert secret not in caplog.text
