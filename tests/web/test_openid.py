"""People sign in with an account that they have elsewhere: at a real OpenID provider, at a stand-in for GitHub."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from autograder.faults import CallerFault
from autograder.web import openid
from autograder.web.settings import OpenIdSettings
from autograder.web.store.server_store import open_server_store
from tests.web.conftest import Browser, Site, wait_until

ADDRESS = "ada@uni.example"


@dataclass
class Provider:
    """An OpenID provider, and the people it knows."""

    url: str

    def knows(self, subject: str, **claims: object) -> None:
        body = json.dumps(claims).encode()
        request = urllib.request.Request(
            f"{self.url}/users/{urllib.parse.quote(subject)}",
            body,
            {"Content-Type": "application/json"},
            method="PUT",
        )
        with urllib.request.urlopen(request, timeout=300):
            pass

    def let_in(self, page: str, subject: str) -> str:
        """Send the provider's own form, and return where the browser is sent then."""
        form = urllib.parse.urlencode({"sub": subject}).encode()
        opener = urllib.request.build_opener(NoRedirect)
        try:
            opener.open(urllib.request.Request(page, form), timeout=300)
        except urllib.error.HTTPError as answer:
            return str(answer.headers["Location"])
        raise AssertionError("the provider shows its form again")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


@pytest.fixture(scope="module")
def provider(free_port: int) -> Iterator[Provider]:
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(free_port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        made = Provider(f"http://127.0.0.1:{free_port}")

        def answers() -> bool:
            try:
                made.knows("nobody")
            except OSError:
                return False
            return True

        try:
            wait_until(answers, "the provider answers")
            yield made
        finally:
            server.terminate()


def serve(site: Site, settings: OpenIdSettings, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.setenv("AUTOGRADER_CLIENT_SECRET", "a secret")
    with open_server_store(site.settings.location) as store:
        person = store.accounts.find_enrolment("", "ada")
        assert person is not None
        store.mail_settings.save_address(person.account, ADDRESS)
    return Site(replace(site.settings, openid=settings))


@pytest.fixture
def openid_site(site: Site, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Site:
    return serve(site, OpenIdSettings(provider.url, "grader"), monkeypatch)


def come_back(browser: Browser, provider: Provider, subject: str) -> Any:
    """Go to the provider, sign in there, and come back with what it says."""
    there = browser.get("/sign-in/elsewhere")
    assert there.status_code == 302, there.text
    return browser.get(provider.let_in(there.headers["Location"], subject).removeprefix("http://127.0.0.1:8000"))


def test_a_member_signs_in_with_a_verified_address(openid_site: Site, provider: Provider) -> None:
    provider.knows("4711", email=ADDRESS.title(), email_verified=True)
    ada = openid_site.browser()
    assert "Sign in with 127.0.0.1" in ada.get("/sign-in").text
    assert come_back(ada, provider, "4711").headers["Location"] == "/"
    assert "ada" in ada.get("/account").text


@pytest.mark.parametrize(
    ("claims", "sentence"),
    [
        ({"email": ADDRESS, "email_verified": False}, "names no verified email"),
        ({"email": ADDRESS}, "names no verified email"),
        ({"email": ADDRESS, "email_verified": "yes"}, "names no verified email"),
        ({}, "names no verified email"),
        ({"email": "eve@uni.example", "email_verified": True}, "no member of this course"),
    ],
)
def test_who_is_no_verified_member_stays_outside(
    openid_site: Site, provider: Provider, claims: dict[str, object], sentence: str
) -> None:
    provider.knows("4712", **claims)
    eve = openid_site.browser()
    answer = come_back(eve, provider, "4712")
    assert answer.status_code == 403
    assert sentence in answer.text
    assert eve.get("/").status_code == 303


def test_a_university_names_people_by_their_login(
    site: Site, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_login = serve(site, OpenIdSettings(provider.url, "grader", "preferred_username"), monkeypatch)
    provider.knows("4713", preferred_username="tess")
    tess = by_login.browser()
    come_back(tess, provider, "4713")
    assert "teaching assistant" in tess.get("/account").text


def test_what_comes_back_to_another_browser_or_twice_signs_nobody_in(openid_site: Site, provider: Provider) -> None:
    provider.knows("4714", email=ADDRESS, email_verified=True)
    ada, eve = openid_site.browser(), openid_site.browser()
    there = ada.get("/sign-in/elsewhere").headers["Location"]
    back = provider.let_in(there, "4714").removeprefix("http://127.0.0.1:8000")
    assert eve.get(back).status_code == 502
    assert eve.get("/").status_code == 303
    assert ada.get(back).status_code == 303
    assert openid_site.browser().get(back).status_code == 502


@pytest.mark.parametrize("query", ["", "?code=x", "?code=x&state=y", "?error=access_denied"])
def test_what_no_provider_sent_signs_nobody_in(openid_site: Site, query: str) -> None:
    browser = openid_site.browser()
    assert browser.get(f"/sign-in/elsewhere/done{query}").status_code == 502
    assert browser.get("/").status_code == 303


def test_a_provider_that_is_away_is_said(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    away = serve(site, OpenIdSettings("http://127.0.0.1:9", "grader"), monkeypatch)
    answer = away.browser().get("/sign-in/elsewhere")
    assert answer.status_code == 502
    assert "did not answer" in answer.text


def test_without_a_provider_there_is_no_such_page(site: Site) -> None:
    assert "Sign in with" not in site.browser().get("/sign-in").text
    assert site.browser().get("/sign-in/elsewhere").status_code == 404


def test_a_server_does_not_start_without_its_secret(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUTOGRADER_CLIENT_SECRET", raising=False)
    with pytest.raises(CallerFault, match="secret for this server is missing"):
        Site(replace(site.settings, openid=OpenIdSettings("github", "grader")))


@pytest.mark.parametrize("provider", ["", "idp.uni.example", "http://idp.uni.example", "ftp://127.0.0.1:1"])
def test_what_is_no_provider_is_refused(provider: str) -> None:
    with pytest.raises(CallerFault, match="names no provider"):
        OpenIdSettings(provider, "grader")


class GitHub(BaseHTTPRequestHandler):
    """Answers as GitHub documents it."""

    emails: object = (
        {"email": "mallory@uni.example", "verified": False, "primary": True},
        {"email": ADDRESS, "verified": True, "primary": False},
    )

    def do_POST(self) -> None:
        self._answer({"access_token": "t", "token_type": "bearer", "scope": "user:email"})

    def do_GET(self) -> None:
        assert self.headers["Authorization"] == "Bearer t"
        self._answer(self.emails)

    def _answer(self, value: object) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def log_message(self, *_: object) -> None:
        pass


def begin_at_github(site: Site, url: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Browser, str]:
    """A browser on its way to a stand-in at an address, and the state that it has to bring back."""
    addresses = {name: re.sub(r"https://(api\.)?github\.com", url, one) for name, one in openid.GITHUB.items()}
    monkeypatch.setattr(openid, "GITHUB", addresses)
    browser = serve(site, OpenIdSettings("github", "grader"), monkeypatch).browser()
    there = urllib.parse.urlsplit(browser.get("/sign-in/elsewhere").headers["Location"])
    asked = dict(urllib.parse.parse_qsl(there.query))
    assert asked["scope"] == "user:email"
    return browser, asked["state"]


@contextmanager
def served_github() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), GitHub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_answer_of_another_form_is_the_providers_fault(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GitHub, "emails", {"message": "rate limit exceeded"})
    with served_github() as url:
        eve, state = begin_at_github(site, url, monkeypatch)
        assert eve.get(f"/sign-in/elsewhere/done?code=c&state={state}").status_code == 502
        assert eve.get("/").status_code == 303


def test_any_verified_address_at_github_counts(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    with served_github() as url:
        ada, state = begin_at_github(site, url, monkeypatch)
        assert ada.get(f"/sign-in/elsewhere/done?code=c&state={state}").headers["Location"] == "/"
        assert "ada" in ada.get("/account").text
