"""Administrators let courses of an LMS in, teachers say who is who, and platforms register by a link."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import jwt
import pytest
from flask import Response
from werkzeug.test import TestResponse

from autograder.store.lti.lti_audit_events import LtiActor
from autograder.web.lms.registration_links import create_registration_link
from tests.lti.fake_platform import CLAIM, MEMBERSHIP, FakePlatform, serve_platform
from tests.web.conftest import Browser, Site
from tests.web.lti_site import LtiSite

TICKET = re.compile(r'name="ticket" value="([^"]+)"')
SIGNED = re.compile(r'name="JWT" value="([^"]+)"')
DEEP = "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"
HERE = {"Origin": "http://localhost"}
TEACHER = {f"{CLAIM}roles": [f"{MEMBERSHIP}#Instructor"]}


def test_platforms_are_shown_the_public_keys(site: Site) -> None:
    shown = site.browser().get("/lti/keys").get_json()
    assert [{*one} for one in shown["keys"]] == [{"kty", "kid", "alg", "use", "n", "e"}]


def test_canvas_reads_a_configuration(site: Site) -> None:
    shown = site.browser().get("/lti/canvas.json").get_json()
    assert shown["oidc_initiation_url"] == "http://127.0.0.1:8000/lti/login"
    assert shown["public_jwk_url"] == "http://127.0.0.1:8000/lti/keys"
    assert {one["message_type"] for one in shown["extensions"][0]["settings"]["placements"]} == {
        "LtiDeepLinkingRequest"
    }


def test_an_administrator_lets_a_course_in(lti: LtiSite) -> None:
    stranger = lti.site.browser()
    assert lti.launch(stranger, **{f"{CLAIM}context": {"id": "9", "title": "Pottery <b>"}}).status_code == 400
    root = lti.site.browser("root")
    page = root.get("/lms").text
    assert "Pottery &lt;b&gt;" in page
    number = re.search(r'/lms/contexts/(\d+)/connect">\n<input[^>]*>\n<button[^>]* value="yes"', page)
    assert number
    root.post(f"/lms/contexts/{number[1]}/connect", page="/lms", connected="yes")
    assert lti.launch(**{f"{CLAIM}context": {"id": "9"}}).status_code == 303
    root.post(f"/lms/contexts/{number[1]}/connect", page="/lms", connected="no")
    assert lti.launch(**{f"{CLAIM}context": {"id": "9"}}).status_code == 400


def test_the_page_tests_a_connection(lti: LtiSite) -> None:
    root = lti.site.browser("root")
    shown = root.post(f"/lms/platforms/{lti.platform.id}/test", page="/lms").text
    assert "✓ keys of the platform: 1 found" in shown
    assert "✓ access token" in shown
    assert "secret-token" not in shown


def test_a_teacher_says_that_two_are_the_same_person(lti: LtiSite) -> None:
    student = lti.site.browser()
    lti.launch(student, email="ada")
    assert student.hand_in("x = 1\n").status_code == 303
    ines = lti.site.browser("ines")
    page = ines.get("/lms/people").text
    assert "1 hand-in as fake-7" in page
    assert "Ada &lt;b&gt;Okafor&lt;/b&gt;" in page
    number = re.search(r"/lms/people/(\d+)/link", page)
    assert number
    assert ines.post(f"/lms/people/{number[1]}/link", page="/lms/people", same="yes").status_code == 303
    assert "No person waits for a decision" in ines.get("/lms/people").text
    assert student.get("/").status_code == 303  # signed out, and comes again as the student of the class
    lti.launch(student, email="ada")
    assert student.get(f"/hand-ins/{lti.site.key('ada-1')}").status_code == 200
    assert ines.post(f"/lms/people/{number[1]}/link", page="/lms", same="yes").status_code == 404  # decided already


def test_a_teacher_says_that_two_are_not_the_same_person(lti: LtiSite) -> None:
    lti.launch(email="ada")
    ines = lti.site.browser("ines")
    number = re.search(r"/lms/people/(\d+)/link", ines.get("/lms/people").text)
    assert number
    ines.post(f"/lms/people/{number[1]}/link", page="/lms/people", same="no")
    student = lti.site.browser()
    lti.launch(student, email="ada")
    assert student.get(f"/hand-ins/{lti.site.key('ada-1')}").status_code == 404
    assert "No person waits for a decision" in ines.get("/lms/people").text


# Members


def members(*subjects: str, **headers: str) -> Response:
    listed = [{"user_id": one, "roles": ["Learner"], "name": f"<b>{one}</b>"} for one in subjects]
    return Response(json.dumps({"members": listed}), headers=headers)


def sync(lti: LtiSite) -> str:
    """Read the members as a teacher does, and return what the page says."""
    service = {"context_memberships_url": f"{lti.fake.url}/members"}
    lti.launch(**{"https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice": service})
    ines = lti.site.browser("ines")
    number = re.search(r"/lms/contexts/(\d+)/members", ines.get("/lms/people").text)
    assert number
    answer = ines.post(f"/lms/contexts/{number[1]}/members", page="/lms/people")
    found = re.search(r'<p class="(?:state|problem)" role="\w+">([^<]*)</p>', answer.text)
    assert found, answer.text
    return found[1]


def test_members_become_students_over_all_pages_and_leavers_stay_marked(lti: LtiSite) -> None:
    lti.fake.answers["members"] = members("7", "8", Link=f'<{lti.fake.url}/more?p=2>; rel="next"')
    lti.fake.answers["more"] = members("9")
    assert sync(lti).startswith("3 members: 3 new, 0 back, 0 left.")
    lti.fake.answers["more"] = members()
    assert sync(lti).startswith("2 members: 0 new, 0 back, 1 left.")
    page = lti.site.browser("ines").get("/lms/people").text
    assert "left, seen" in page
    assert "&lt;b&gt;9&lt;/b&gt;" in page
    assert lti.site.in_store(lambda store: store.accounts.find_enrolment("", "fake-9")).role == "student"
    lti.fake.answers["more"] = members("9")
    assert sync(lti).startswith("3 members: 0 new, 1 back, 0 left.")


@pytest.mark.parametrize(
    "following", ["http://localhost:{port}/more", "https://evil.example/more", "//evil.example/"]
)
def test_a_next_page_elsewhere_is_not_asked_and_nothing_changes(lti: LtiSite, following: str) -> None:
    port = lti.fake.url.rpartition(":")[2]
    lti.fake.answers["members"] = members("8", Link=f'<{following.format(port=port)}>; rel="next"')
    assert "next page of members is on another server" in sync(lti)
    assert lti.fake.asked("more") == []
    assert lti.site.in_store(lambda store: store.accounts.find_enrolment("", "fake-8")) is None


def test_a_teacher_whom_the_list_calls_a_learner_stays_a_teacher(lti: LtiSite) -> None:
    """Moodle 4.3 lists teachers who may not edit as learners, and says instructor when they come in."""
    lti.launch(sub="8", **TEACHER)
    lti.fake.answers["members"] = members("8")
    sync(lti)
    assert lti.site.in_store(lambda store: store.accounts.find_enrolment("", "fake-8")).role == "instructor"


@pytest.mark.parametrize("body", ["", "[]", '{"members": [{}]}', '{"members": [{"user_id": 7}]}', "<html>"])
def test_a_list_of_members_that_is_none_changes_nothing(lti: LtiSite, body: str) -> None:
    lti.fake.answers["members"] = Response(body)
    assert "the answer is not a list of members" in sync(lti)


def test_pages_that_go_round_end(lti: LtiSite) -> None:
    lti.fake.answers["members"] = members("8", Link=f'<{lti.fake.url}/members>; rel="next"')
    assert sync(lti).startswith("1 members: 1 new")


# Content


def ask_for_content(lti: LtiSite, **settings: Any) -> tuple[Browser, TestResponse]:
    browser = lti.site.browser()
    wanted = {
        "deep_link_return_url": f"{lti.fake.url}/return?course=2",
        "accept_types": ["ltiResourceLink"],
        **settings,
    }
    changes = {f"{CLAIM}message_type": "LtiDeepLinkingRequest", f"{CLAIM}resource_link": None, DEEP: wanted}
    return browser, lti.launch(browser, {"Sec-Fetch-Dest": "iframe"}, **{**TEACHER, **changes})


def choose(browser: Browser, page: str, *names: str, headers: Any = None) -> TestResponse:
    found = TICKET.search(page)
    assert found, page
    form = {"ticket": found[1], "assignment": [*names]}
    return browser.client.post("/lti/content", data=form, headers=headers or HERE)


def test_a_teacher_chooses_assignments_with_points_and_deadline(lti: LtiSite) -> None:
    browser, page = ask_for_content(lti, data="opaque ä")
    answer = choose(browser, page.text, "toy")
    signed = SIGNED.search(answer.text)
    assert signed
    assert f"form-action 'self' {lti.fake.url};" in answer.headers["Content-Security-Policy"]
    key = jwt.PyJWKSet.from_dict(lti.site.browser().get("/lti/keys").get_json()).keys[-1]
    claims = jwt.decode(signed[1], key.key, ["RS256"], audience=lti.fake.url, issuer="client-1")
    assert claims["https://purl.imsglobal.org/spec/lti-dl/claim/data"] == "opaque ä"
    assert claims[f"{CLAIM}deployment_id"] == "1"
    (item,) = claims["https://purl.imsglobal.org/spec/lti-dl/claim/content_items"]
    assert item["custom"] == {
        "assignment": "toy",
        "deadline": "$ResourceLink.submission.endDateTime",
        "own_deadline": "$ResourceLink.submission.user.endDateTime",
    }
    assert item["lineItem"] == {"label": "toy", "scoreMaximum": 10, "resourceId": "toy", "tag": "autograder"}
    assert item["submission"] == {"endDateTime": "2099-01-01T11:00:00Z"}
    assert choose(browser, page.text, "toy").status_code == 400  # once


def test_what_is_no_assignment_of_the_course_is_not_sent(lti: LtiSite) -> None:
    browser, page = ask_for_content(lti)
    signed = SIGNED.search(choose(browser, page.text, "toy", "other", "../x").text)
    assert signed
    claims = jwt.decode(signed[1], options={"verify_signature": False})
    assert len(claims["https://purl.imsglobal.org/spec/lti-dl/claim/content_items"]) == 1


def test_a_platform_that_takes_one_gets_one(lti: LtiSite) -> None:
    _, page = ask_for_content(lti, accept_multiple=False)
    assert 'type="radio"' in page.text


def test_a_platform_without_line_items_gets_none(lti: LtiSite) -> None:
    browser, page = ask_for_content(lti, accept_lineitem=False)
    signed = SIGNED.search(choose(browser, page.text, "toy").text)
    assert signed
    assert "lineItem" not in json.dumps(jwt.decode(signed[1], options={"verify_signature": False}))


@pytest.mark.parametrize(
    "settings",
    [
        {"accept_types": ["file"]}, {"deep_link_return_url": "javascript:alert(1)"}, {"deep_link_return_url": ""},
        {"deep_link_return_url": "//evil.example"}, {"deep_link_return_url": None},
    ],
)  # fmt: skip
def test_content_that_cannot_be_returned_is_not_asked_for(lti: LtiSite, settings: dict[str, Any]) -> None:
    assert ask_for_content(lti, **settings)[1].status_code in (400, 503)


def test_another_site_cannot_choose(lti: LtiSite) -> None:
    browser, page = ask_for_content(lti)
    assert choose(browser, page.text, "toy", headers={"Origin": "https://evil.example"}).status_code == 400


def test_students_choose_nothing(lti: LtiSite) -> None:
    wanted = {"deep_link_return_url": f"{lti.fake.url}/return"}
    changes = {f"{CLAIM}message_type": "LtiDeepLinkingRequest", f"{CLAIM}resource_link": None, DEEP: wanted}
    answer = lti.launch(**changes)
    assert (answer.status_code, "Only instructors" in answer.text) == (400, True)


# Registration


def configuration(fake: FakePlatform, **changes: str) -> Response:
    told = {
        "issuer": fake.url, "authorization_endpoint": f"{fake.url}/auth", "token_endpoint": f"{fake.url}/token",
        "jwks_uri": f"{fake.url}/keys", "registration_endpoint": f"{fake.url}/register",
        "https://purl.imsglobal.org/spec/lti-platform-configuration": {"product_family_code": "moodle"}, **changes,
    }  # fmt: skip
    return Response(json.dumps(told))


@pytest.fixture
def fake() -> Iterator[FakePlatform]:
    with serve_platform() as served:
        served.answers["configuration"] = configuration(served)
        tool = {"https://purl.imsglobal.org/spec/lti-tool-configuration": {"deployment_id": "5"}, "client_id": "new"}
        served.answers["register"] = Response(json.dumps(tool))
        yield served


def make_link(site: Site, *, allow_private: bool) -> str:
    """Make a link to register; that private networks are allowed is what the command line says."""
    made: str = site.in_store(
        lambda store: create_registration_link(store, "", LtiActor("test"), allow_private=allow_private)
    )
    return made


def send(site: Site, link: str, url: str, headers: Any = None) -> TestResponse:
    form = {"url": url, "registration_token": "reg-secret"}
    return site.browser().client.post(link, data=form, headers=headers or HERE)


def test_moodle_registers_by_a_link_once(site: Site, fake: FakePlatform) -> None:
    link, url = make_link(site, allow_private=True), f"{fake.url}/configuration"
    shown = site.browser().client.get(
        link, query_string={"openid_configuration": url, "registration_token": "reg-secret"}
    )
    assert fake.url in shown.text
    assert fake.requests == []  # looking at it asks nothing
    assert "is known here as moodle" in send(site, link, url).text
    (kept,) = site.in_store(lambda store: store.lti_platforms.list_active())
    assert (kept.issuer, kept.client_id, kept.deployments, kept.kind) == (fake.url, "new", ("5",), "moodle")
    ((_, _, headers, body),) = fake.asked("register")
    assert headers["Authorization"] == "Bearer reg-secret"
    assert json.loads(body)["token_endpoint_auth_method"] == "private_key_jwt"
    assert send(site, link, url).status_code == 400
    assert len(fake.asked("register")) == 1


def test_only_a_link_of_an_administrator_registers(site: Site, fake: FakePlatform) -> None:
    root = site.browser("root")
    shown = root.post("/lms/registration-link", page="/lms").text
    link = re.search(r"<code>http://127.0.0.1:8000(/lti/register/[^<]+)</code>", shown)
    assert link
    for made_up in ("x" * 43, "x", "../../lms"):
        assert send(site, f"/lti/register/{made_up}", f"{fake.url}/configuration").status_code in (400, 404, 405)
    assert fake.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "{fake}/configuration", "https://127.0.0.1/x", "https://169.254.169.254/latest/meta-data", "https://10.0.0.1/",
        "https://localhost/", "http://1.1.1.1/", "file:///etc/passwd", "", "https://[::ffff:10.0.0.1]/",
    ],
)  # fmt: skip
def test_a_registration_url_in_here_is_not_asked(site: Site, fake: FakePlatform, url: str) -> None:
    answer = send(site, make_link(site, allow_private=False), url.format(fake=fake.url))
    assert answer.status_code == 400
    assert fake.requests == []
    assert site.in_store(lambda store: store.lti_platforms.list_active()) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": "https://evil.example"}, {"registration_endpoint": "https://evil.example/register"},
        {"token_endpoint": "file:///etc/passwd"}, {"jwks_uri": ""}, {"issuer": 7},
    ],
)  # fmt: skip
def test_a_platform_that_speaks_for_another_is_not_believed(
    site: Site, fake: FakePlatform, changes: dict[str, Any]
) -> None:
    fake.answers["configuration"] = configuration(fake, **changes)
    assert send(site, make_link(site, allow_private=True), f"{fake.url}/configuration").status_code == 400
    assert fake.asked("register") == []
    assert site.in_store(lambda store: store.lti_platforms.list_active()) == []


@pytest.mark.parametrize(
    "answer", [Response(status=500), Response("{}"), Response("x"), Response('{"client_id": ""}')]
)
def test_a_registration_that_fails_keeps_nothing(site: Site, fake: FakePlatform, answer: Response) -> None:
    fake.answers["register"] = answer
    refused = send(site, make_link(site, allow_private=True), f"{fake.url}/configuration")
    assert refused.status_code == 400
    assert "reg-secret" not in refused.text
    assert site.in_store(lambda store: store.lti_platforms.list_active()) == []


def test_another_site_cannot_register(site: Site, fake: FakePlatform) -> None:
    link = make_link(site, allow_private=True)
    assert send(site, link, f"{fake.url}/configuration", {"Origin": "https://evil.example"}).status_code == 400
    assert fake.requests == []
