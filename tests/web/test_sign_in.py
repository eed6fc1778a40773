"""People sign in by a personal link or by a proxy that is trusted, and in no other way."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import timedelta

import pytest

from autograder.faults import CallerFault
from autograder.web.people import (
    enrol_with_sign_in_link,
    revoke_access,
)
from autograder.web.settings import CourseServerSettings
from autograder.web.store.accounts import hash_token
from autograder.web.store.roll import MemberDetails
from tests.web.conftest import Browser, Site


def is_signed_in(browser: Browser) -> bool:
    return browser.get("/").status_code == 200


def test_looking_at_a_link_does_not_use_it_up(site: Site) -> None:
    link = site.invite("ada")
    scanner, ada = site.browser(), site.browser()
    for _ in range(3):
        assert "Sign in here" in scanner.get(link).text
    assert not is_signed_in(scanner)
    assert ada.post(link).headers["Location"] == "/"
    assert is_signed_in(ada)


def test_a_link_works_once(site: Site) -> None:
    link = site.invite("ada")
    late, token = site.browser(), ""
    token = late.token(link)
    site.browser().post(link)
    assert late.client.post(link, data={"csrf_token": token}).status_code == 404
    assert "does not work" in late.get(link).text
    assert not is_signed_in(late)


def test_a_new_link_ends_the_old_one(site: Site) -> None:
    old, new = site.invite("ada"), site.invite("ada")
    assert (site.browser().get(old).status_code, site.browser().get(new).status_code) == (404, 200)


def test_a_link_that_is_too_old_does_not_work(site: Site) -> None:
    def make(store):  # type: ignore[no-untyped-def]
        person = store.accounts.find_enrolment("", "ada")
        store.accounts.replace_invitation(person.account, "x" * 43, timedelta(seconds=-1))

    site.in_store(make)
    assert site.browser().get(f"/link/{'x' * 43}").status_code == 404


def test_whoever_is_revoked_is_out_at_once(site: Site) -> None:
    ada, link = site.browser("ada"), site.invite("ada")
    site.in_store(lambda store: revoke_access(store, "", "ada"))
    assert not is_signed_in(ada)
    assert site.browser().get(link).status_code == 404


@pytest.mark.parametrize("token", ["", "x", "x" * 43, "../../etc/passwd", "' OR 1=1 --", "x" * 5000, "\0"])
def test_what_is_no_link_signs_nobody_in(site: Site, token: str) -> None:
    browser = site.browser()
    csrf = browser.token(site.invite("bob"))
    path = f"/link/{token}"
    assert browser.get(path).status_code in (404, 308)
    assert browser.client.post(path, data={"csrf_token": csrf}).status_code in (404, 405)
    assert not is_signed_in(browser)


def test_the_store_holds_no_token_that_signs_somebody_in(site: Site) -> None:
    link = site.invite("bob").rpartition("/")[2]
    ada = site.browser("ada")
    cookie = ada.client.get_cookie("autograder")
    assert cookie is not None
    with sqlite3.connect(site.settings.location.output_folder / "results.sqlite") as connection:
        dump = "\n".join(connection.iterdump())
    with site.app.test_request_context():
        session = site.app.session_interface.get_signing_serializer(site.app).loads(cookie.value)  # type: ignore
    assert hash_token(link) in dump
    assert hash_token(session["token"]) in dump
    assert link not in dump
    assert session["token"] not in dump


def test_a_cookie_that_was_planted_is_worth_nothing_after_the_sign_in(site: Site) -> None:
    attacker = site.browser()
    attacker.get("/sign-in")
    link = site.invite("ada")
    attacker.get(link)
    planted = attacker.client.get_cookie("autograder")
    assert planted is not None
    ada = site.browser()
    ada.client.set_cookie("autograder", planted.value)
    ada.post(link)
    now = ada.client.get_cookie("autograder")
    assert is_signed_in(ada)
    assert now is not None
    assert now.value != planted.value
    assert not is_signed_in(attacker)


def test_signing_in_as_somebody_else_ends_nothing_of_theirs_and_begins_anew(site: Site) -> None:
    browser = site.browser("ada")
    before = browser.client.get_cookie("autograder")
    browser.post(site.invite("bob"))
    assert "Bob" in browser.get("/").text
    assert before != browser.client.get_cookie("autograder")


def test_a_copied_cookie_is_worth_nothing_once_its_owner_signed_out(site: Site) -> None:
    ada, thief = site.browser("ada"), site.browser()
    cookie = ada.client.get_cookie("autograder")
    assert cookie is not None
    thief.client.set_cookie("autograder", cookie.value)
    assert is_signed_in(thief)
    ada.post("/sign-out", page="/")
    assert not is_signed_in(thief)


def test_a_cookie_that_somebody_made_is_not_believed(site: Site) -> None:
    browser = site.browser()
    for value in ("", "x", "eyJ0b2tlbiI6IngifQ.Z.Z", "a" * 3000):
        browser.client.set_cookie("autograder", value)
        assert not is_signed_in(browser)


@pytest.mark.parametrize("path", ["/sign-in?next=//evil.example", "/link/{}?next=https://evil.example"])
def test_nobody_is_sent_to_another_site(site: Site, path: str) -> None:
    link = path.format(site.invite("ada").rpartition("/")[2])
    browser = site.browser()
    answer = browser.post(link) if "link" in link else browser.get(link)
    assert "evil" not in answer.headers.get("Location", "")
    assert "evil" not in answer.text


def test_a_proxy_that_is_trusted_says_who_somebody_is(with_proxy: Site) -> None:
    browser = Browser(with_proxy.app.test_client(), {"X-Remote-User": "Tess"})
    answer = browser.get("/", environ_base={"REMOTE_ADDR": "10.1.2.3"})
    assert "Tess, teaching assistant" in answer.text


@pytest.mark.parametrize("peer", ["127.0.0.1", "10.1.2.30", "10.1.2.3, 1.1.1.1", ""])
def test_the_proxys_header_from_anybody_else_is_refused(with_proxy: Site, peer: str) -> None:
    headers = {"X-Remote-User": "root", "X-Forwarded-For": "10.1.2.3", "Forwarded": "for=10.1.2.3"}
    answer = with_proxy.app.test_client().get("/", headers=headers, environ_base={"REMOTE_ADDR": peer})
    assert answer.status_code == 403
    assert "administrator" not in answer.text


def test_without_a_trusted_proxy_its_header_says_nothing(site: Site) -> None:
    assert site.browser(**{"X-Remote-User": "root"}).get("/").status_code == 303


def test_browsers_behind_a_trusted_proxy_are_counted_one_by_one(site: Site) -> None:
    behind = Site(replace(site.settings, trusted_proxy="127.0.0.1"))
    answers = []
    for number in range(25):
        browser = Browser(behind.app.test_client(), {"X-Forwarded-For": f"6.6.6.6, 10.9.8.{number}"})
        browser.client.environ_base["REMOTE_ADDR"] = "127.0.0.1"
        answers.append(browser.post(behind.invite("ada")).status_code)
    assert {*answers} == {303}
    forging = Browser(behind.app.test_client(), {"X-Remote-User": "root"})
    assert forging.get("/", environ_base={"REMOTE_ADDR": "127.0.0.1"}).status_code == 303


@pytest.mark.parametrize("names", [[""], ["nobody-here"], ["root,tess"], ["root\t"], ["' OR 1=1"], ["root", "tess"]])
def test_a_proxy_that_names_no_member_of_the_course_or_two_lets_nobody_in(with_proxy: Site, names: list[str]) -> None:
    headers = [("X-Remote-User", name) for name in names]
    answer = with_proxy.app.test_client().get("/", headers=headers, environ_base={"REMOTE_ADDR": "10.1.2.3"})
    assert answer.status_code == (200 if names == ["root\t"] else 403)


def test_only_a_demo_lets_anybody_be_anybody_and_it_says_so_on_every_page(site: Site) -> None:
    assert site.browser("ada").post("/demo", page="/", login="root").status_code == 404
    demo = Site(replace(site.settings, demo=True))
    browser = demo.browser()
    assert browser.post("/demo", page="/sign-in", login="root").status_code == 303
    for path in ("/", "/class/toy", "/sign-in", "/nowhere", f"/hand-ins/{site.key('ada-1')}"):
        assert "Demo: anybody" in browser.get(path).text
        assert "Demo: anybody" not in site.browser("root").get(path).text


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "grader.uni.example"])
def test_a_demo_is_served_to_this_machine_alone(site: Site, host: str) -> None:
    with pytest.raises(CallerFault, match="only this machine"):
        replace(site.settings, demo=True, host=host)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"user_header": "X-User"}, "anybody could send the header"),
        ({"trusted_proxy": "proxy", "user_header": "X-User"}, "not an IP address"),
        ({"public_url": "grader.uni.example"}, "not the address of a server"),
        ({"public_url": "https://a/b"}, "not the address of a server"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(site: Site, settings: dict[str, str], message: str) -> None:
    with pytest.raises(CallerFault, match=message):
        CourseServerSettings(site.settings.course, site.settings.location, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("login", ["", "a b", "../x", "+b", "-x", "'a", "Ä", "a/b", "x" * 81])
def test_a_login_is_what_can_stand_in_a_file_name(site: Site, login: str) -> None:
    with pytest.raises(CallerFault, match="not a login"):
        site.in_store(lambda store: enrol_with_sign_in_link(store, "", MemberDetails(login)))
