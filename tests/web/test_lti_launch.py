"""People come in from an LMS: who they are, where they land, and that nobody else comes in with them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import Browser, Site
from tests.web.lti.fake_platform import CLAIM, MEMBERSHIP, serve_platform
from tests.web.lti_site import LtiSite, read_query

DATA = Path(__file__).parents[1] / "data" / "lti"
ROLES = f"{CLAIM}roles"
TEACHER = {ROLES: [f"{MEMBERSHIP}#Instructor"]}


def who(browser: Browser) -> str:
    """Who is signed in, as the page says."""
    found = re.search(r'<a href="/account">([^<]+)</a>', browser.get("/").text)
    return found[1] if found else ""


def test_the_browser_is_sent_back_with_what_the_platform_needs(lti: LtiSite) -> None:
    answer = lti.log_in(lti.site.browser())
    assert answer.headers["Location"].startswith(f"{lti.fake.url}/auth?from=fake&scope=openid&")
    sent = lti.begin(lti.site.browser())
    assert {name: value for name, value in sent.items() if name not in ("state", "nonce")} == {
        "from": "fake",
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": "client-1",
        "redirect_uri": "http://127.0.0.1:8000/lti/launch",
        "login_hint": "5",
        "lti_message_hint": '{"launchid":"ltilaunch_ContentItemSelectionRequest2134796305"}',
    }


def test_a_login_may_come_as_an_address(lti: LtiSite) -> None:
    query = {"iss": lti.fake.url, "login_hint": "5"}
    assert lti.site.browser().client.get("/lti/login", query_string=query).status_code == 302


def test_a_student_lands_on_the_assignment_with_an_account_of_their_own(lti: LtiSite) -> None:
    browser = lti.site.browser()
    answer = lti.launch(browser)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/assignments/toy")
    assert who(browser) == "小龙 李, student"
    assert browser.get("/assignments/toy").status_code == 200
    enrolled = lti.site.in_store(lambda store: store.accounts.find_enrolment("", "fake-7"))
    assert (enrolled.role, enrolled.name) == ("student", "小龙 李")


@pytest.mark.first_cases(2)
@pytest.mark.parametrize(
    ("roles", "shown"),
    [
        ([f"{MEMBERSHIP}#Instructor"], "instructor"),
        ([f"{MEMBERSHIP}#Instructor", f"{MEMBERSHIP}/Instructor#TeachingAssistant"], "teaching assistant"),
        ([f"{MEMBERSHIP}#Administrator"], "instructor"),
        ([f"{MEMBERSHIP}#Learner", f"{MEMBERSHIP}#Instructor"], "instructor"),
    ],
)
def test_staff_lands_on_the_page_of_the_class(lti: LtiSite, roles: list[str], shown: str) -> None:
    browser = lti.site.browser()
    assert lti.launch(browser, **{ROLES: roles}).headers["Location"] == "/class/toy"
    assert who(browser).endswith(f", {shown}")
    assert browser.get("/class/toy").status_code == 200


@pytest.mark.first_cases(3)
@pytest.mark.parametrize(
    "roles",
    [
        [],
        ["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Administrator"],
        ["http://purl.imsglobal.org/vocab/lis/v2/system/person#SysAdmin"],
        ["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"],
        [f"{MEMBERSHIP}#Mentor"],
        ["http://evil.example/membership#Instructor"],
        [f"{MEMBERSHIP}.evil/Instructor#TeachingAssistant"],
        [f"{MEMBERSHIP}#instructor"],
    ],
)
def test_a_role_elsewhere_is_no_role_here(lti: LtiSite, roles: list[str]) -> None:
    browser = lti.site.browser()
    answer = lti.launch(browser, **{ROLES: roles})
    assert answer.status_code == 400
    assert "does not say that you are a student or a member of the staff" in answer.text
    assert not who(browser)


def test_the_same_person_comes_back_to_the_same_account_whatever_they_are_called_now(lti: LtiSite) -> None:
    lti.launch()
    browser = lti.site.browser()
    lti.launch(browser, name="Xiaolong Li", email="new@uni.example")
    assert who(browser) == "Xiaolong Li, student"
    assert len(lti.site.in_store(lambda store: store.lti_people.list_all())) == 1


def test_the_same_number_in_another_deployment_is_somebody_else(lti: LtiSite) -> None:
    lti.change(deployments=("1", "2"))
    lti.connect(deployment="2")
    lti.launch()
    lti.launch(**{f"{CLAIM}deployment_id": "2"})
    accounts = {one.account for one in lti.site.in_store(lambda store: store.lti_people.list_all())}
    assert len(accounts) == 2


@pytest.mark.parametrize(
    "claims", [{"email": "ada"}, {"preferred_username": "ADA"}, {f"{CLAIM}lis": {"person_sourcedid": "ada"}}]
)
def test_a_student_who_is_called_like_one_of_the_class_is_proposed_and_nothing_more(
    lti: LtiSite, claims: dict[str, Any]
) -> None:
    browser = lti.site.browser()
    lti.launch(browser, **claims)
    assert browser.get(f"/hand-ins/{lti.site.key('ada-1')}").status_code == 404
    (person,) = lti.site.in_store(lambda store: store.lti_people.list_all())
    assert person.state == "proposed"
    assert person.account != person.proposed_account


def test_a_student_whom_the_staff_linked_comes_in_as_the_one_of_the_class(lti: LtiSite) -> None:
    lti.launch(email="ada")

    def link(store: Any) -> None:
        store.lti_people.link_to_proposed_account(store.lti_people.list_all()[0])

    lti.site.in_store(link)
    browser = lti.site.browser()
    lti.launch(browser, email="ada", name="Somebody Else")
    assert browser.get(f"/hand-ins/{lti.site.key('ada-1')}").status_code == 200
    assert lti.site.in_store(lambda store: store.accounts.find_enrolment("", "ada")).name == "Ada <b>Okafor</b>"


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("name", ["root", "ines", "tess", "nobody-here", "' OR 1=1 --", "ada\0"])
def test_nobody_is_proposed_as_staff_or_as_nobody(lti: LtiSite, name: str) -> None:
    lti.launch(email=name, **{f"{CLAIM}lis": {"person_sourcedid": name}})
    lti.launch(sub="8", email="ada", **TEACHER)
    people = lti.site.in_store(lambda store: store.lti_people.list_all())
    assert [one.state for one in people] == ["own", "own"]


def test_an_account_that_is_called_as_a_new_one_would_be_stays_its_owners(lti: LtiSite) -> None:
    before = lti.site.in_store(lambda store: store.accounts.upsert_enrolment("", "fake-7", "administrator", "Owner"))
    browser = lti.site.browser()
    lti.launch(browser)
    assert who(browser) == "小龙 李, student"
    assert lti.site.in_store(lambda store: store.accounts.find_enrolment("", "fake-7")) == before


def test_who_is_no_teacher_any_more_is_none_here_at_the_next_launch(lti: LtiSite) -> None:
    lti.launch(**TEACHER)
    browser = lti.site.browser()
    lti.launch(browser)
    assert browser.get("/class/toy").status_code == 403


def test_nobody_comes_in_from_a_course_that_is_not_connected(lti: LtiSite) -> None:
    browser = lti.site.browser()
    answer = lti.launch(browser, **TEACHER, **{f"{CLAIM}context": {"id": "99", "title": "Pottery <b>"}})
    assert answer.status_code == 400
    assert "Pottery &lt;b&gt;" in answer.text
    assert "is not connected with this one yet" in answer.text
    assert not who(browser)
    asked = lti.site.in_store(lambda store: store.lti_contexts.list_all(course=""))
    assert [(one.context, one.is_connected) for one in asked] == [("2", True), ("99", False)]
    assert lti.site.in_store(lambda store: store.lti_people.list_all()) == []


def test_a_link_keeps_its_line_item_and_what_may_be_done_there(lti: LtiSite) -> None:
    endpoint = {"lineitem": "https://x/2?type_id=1", "lineitems": "https://x?type_id=1", "scope": ["s"]}
    lti.launch(**{"https://purl.imsglobal.org/spec/lti-ags/claim/endpoint": endpoint})
    (kept,) = lti.site.in_store(lambda store: store.lti_links.list_in_connected_courses("", "toy"))
    assert (kept.resource_link, kept.line_item_url, kept.line_items_url, kept.scopes) == (
        "link-1", "https://x/2?type_id=1", "https://x?type_id=1", ("s",),
    )  # fmt: skip


@pytest.mark.first_cases(3)
@pytest.mark.parametrize(
    ("custom", "target", "path"),
    [
        ({"assignment": "toy"}, "", "/assignments/toy"),
        (None, "http://127.0.0.1:8000/lti/launch?assignment=toy", "/assignments/toy"),
        ({"assignment": None}, "http://127.0.0.1:8000/lti/launch?assignment=toy", "/assignments/toy"),
        (None, "", "/"),
        ({"assignment": "../../health"}, "", "/"),
        ({"assignment": ["toy"]}, "", "/"),
        ({}, "http://127.0.0.1:8000/lti/launch?assignment=https://evil.example", "/"),
    ],
)
def test_a_link_leads_to_an_assignment_of_this_course_or_to_the_list(
    lti: LtiSite, custom: Any, target: str, path: str
) -> None:
    changes = {f"{CLAIM}custom": custom, f"{CLAIM}target_link_uri": target or None}
    assert lti.launch(**changes).headers["Location"] == path


@pytest.mark.parametrize("name", ["moodle", "edx"])
def test_what_real_platforms_sent_is_understood(lti: LtiSite, name: str) -> None:
    """Recorded from Moodle 4.3 and from Open edX's consumer; issuer, audience, times and course are this test's."""
    claims = json.loads((DATA / f"{name}_id_token_claims.json").read_text(encoding="utf-8"))
    browser = lti.site.browser()
    sent = lti.begin(browser)
    ours = lti.fake.claims(sent["nonce"])
    claims |= {key: ours[key] for key in ("iss", "aud", "nonce", "iat", "exp", f"{CLAIM}target_link_uri")}
    claims |= {"azp": ours["aud"]} if "azp" in claims else {}
    lti.connect(claims[f"{CLAIM}context"]["id"])
    answer = lti.post(browser, sent["state"], lti.fake.sign(claims))
    assert answer.headers["Location"] == "/"  # their homework is not of this course
    assert who(browser) in ("小龙 李, student", "User 9, student")
    contexts = lti.site.in_store(lambda store: store.lti_contexts.list_all(course=""))
    assert contexts[-1].members_url.endswith("/memberships")


NULLS: dict[str, Any] = {
    "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint": {"scope": None, "lineitems": None, "lineitem": None},
    "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice": {"context_memberships_url": None},
    f"{CLAIM}context": {"id": "2", "title": None, "label": None},
    f"{CLAIM}target_link_uri": None,
    "email": None,
}


def test_what_a_platform_leaves_null_is_as_if_it_were_left_out(lti: LtiSite) -> None:
    browser = lti.site.browser()
    sent = lti.begin(browser)
    answer = lti.post(browser, sent["state"], lti.fake.sign({**lti.fake.claims(sent["nonce"]), **NULLS}))
    assert answer.headers.get("Location") == "/assignments/toy", answer.text


def test_a_launch_without_a_user_says_so(lti: LtiSite) -> None:
    assert "The launch names no user" in lti.launch(sub=None).text


def test_a_login_with_another_client_id_does_not_call_the_platform_unknown(lti: LtiSite) -> None:
    answer = lti.log_in(lti.site.browser(), client_id="client-2")
    assert "unknown client id &#39;client-2&#39;" in answer.text


def test_a_launch_in_a_frame_signs_in_a_new_window_and_not_the_frame(lti: LtiSite) -> None:
    frame = lti.site.browser()
    answer = lti.launch(frame, {"Sec-Fetch-Dest": "iframe"})
    assert answer.status_code == 200
    assert not who(frame)
    found = re.search(r'name="ticket" value="([^"]+)"', answer.text)
    assert found
    window = lti.site.browser()
    opened = window.client.post("/lti/enter", data={"ticket": found[1]}, headers={"Origin": "http://localhost"})
    assert opened.headers["Location"] == "/assignments/toy"
    assert who(window) == "小龙 李, student"
    again = window.client.post("/lti/enter", data={"ticket": found[1]}, headers={"Origin": "http://localhost"})
    assert again.status_code == 400


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "", "http://localhost.evil.example"])
def test_another_site_cannot_sign_a_browser_in_as_somebody(lti: LtiSite, origin: str) -> None:
    answer = lti.launch(None, {"Sec-Fetch-Dest": "iframe"})
    found = re.search(r'name="ticket" value="([^"]+)"', answer.text)
    assert found
    victim = lti.site.browser()
    headers = {"Origin": origin} if origin else {}
    assert victim.client.post("/lti/enter", data={"ticket": found[1]}, headers=headers).status_code == 400
    assert not who(victim)


def test_pages_in_a_frame_run_no_script_and_are_not_for_who_is_signed_in(lti: LtiSite) -> None:
    answer = lti.launch(None, {"Sec-Fetch-Dest": "iframe"})
    policy = answer.headers["Content-Security-Policy"]
    assert "script-src 'none'" in policy
    assert "frame-ancestors https: http:" in policy
    assert "X-Frame-Options" not in answer.headers
    assert lti.site.browser("ada").get("/").headers["X-Frame-Options"] == "DENY"


def test_where_cookies_are_blocked_the_platforms_storage_keeps_the_secret(lti: LtiSite) -> None:
    frame = lti.site.browser()
    page = lti.log_in(frame, lti_storage_target="_parent")
    assert page.status_code == 200
    assert f'data-origin="{lti.fake.url}"' in page.text
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    secret = re.search(r'data-value="([^"]+)"', page.text)
    target = re.search(r'data-next="([^"]+)"', page.text)
    assert secret
    assert target
    sent = read_query(target[1].replace("&amp;", "&"))
    token = lti.fake.sign(lti.fake.claims(sent["nonce"]))
    blocked = lti.site.browser()  # without the cookie
    asked = lti.post(blocked, sent["state"], token)
    assert 'data-action="get"' in asked.text
    assert secret[1] not in asked.text
    headers = {"Sec-Fetch-Dest": "iframe"}
    assert "Open</button>" in lti.post(blocked, sent["state"], token, headers, binding=secret[1]).text


def test_the_cookie_of_a_launch_comes_with_another_sites_form_where_there_is_tls(site: Site) -> None:
    secure = Site(replace(site.settings, public_url="https://grader.uni.example"))
    with serve_platform() as fake:
        lti = LtiSite(secure, fake)
        data = {"iss": fake.url, "login_hint": "5"}
        answer = secure.app.test_client().post("/lti/login", data=data, base_url="https://grader.uni.example")
        assert lti.platform.id
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Host-lti-")
    for part in ("Secure", "HttpOnly", "SameSite=None", "Partitioned", "Path=/"):
        assert part in cookie
