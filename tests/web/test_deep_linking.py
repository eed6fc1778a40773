"""Teachers choose assignments for a course of an LMS; the choice goes back signed, once."""

from __future__ import annotations

import json
import re
from typing import Any

import jwt
import pytest
from werkzeug.test import TestResponse

from tests.web.conftest import Browser
from tests.web.lti.fake_platform import CLAIM
from tests.web.lti_site import HERE, TEACHER, LtiSite

TICKET = re.compile(r'name="ticket" value="([^"]+)"')
SIGNED = re.compile(r'name="JWT" value="([^"]+)"')
DEEP = "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"


def content_request(lti: LtiSite, **settings: Any) -> dict[str, Any]:
    wanted = {"deep_link_return_url": f"{lti.fake.url}/return?course=2", **settings}
    return {f"{CLAIM}message_type": "LtiDeepLinkingRequest", f"{CLAIM}resource_link": None, DEEP: wanted}


def ask_for_content(lti: LtiSite, **settings: Any) -> tuple[Browser, TestResponse]:
    browser = lti.site.browser()
    asked = content_request(lti, **{"accept_types": ["ltiResourceLink"], **settings})
    return browser, lti.launch(browser, {"Sec-Fetch-Dest": "iframe"}, **TEACHER, **asked)


def choose(browser: Browser, page: str, *names: str, headers: Any = None) -> TestResponse:
    found = TICKET.search(page)
    assert found, page
    form = {"ticket": found[1], "assignment": [*names]}
    return browser.client.post("/lti/content", data=form, headers=headers or HERE)


def read_claims(answer: TestResponse, **verified: Any) -> dict[str, Any]:
    """The claims of a signed answer, and its signature verified where that is asked for."""
    signed = SIGNED.search(answer.text)
    assert signed, answer.text
    claims: dict[str, Any] = jwt.decode(signed[1], **verified or {"options": {"verify_signature": False}})
    return claims


def test_a_teacher_chooses_assignments_with_points_and_deadline(lti: LtiSite) -> None:
    browser, page = ask_for_content(lti, data="opaque ä")
    answer = choose(browser, page.text, "toy")
    assert f"form-action 'self' {lti.fake.url};" in answer.headers["Content-Security-Policy"]
    key = jwt.PyJWKSet.from_dict(lti.site.browser().get("/lti/keys").get_json()).keys[-1]
    claims = read_claims(answer, key=key.key, algorithms=["RS256"], audience=lti.fake.url, issuer="client-1")
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
    claims = read_claims(choose(browser, page.text, "toy", "other", "../x"))
    assert len(claims["https://purl.imsglobal.org/spec/lti-dl/claim/content_items"]) == 1


def test_a_platform_that_takes_one_gets_one(lti: LtiSite) -> None:
    _, page = ask_for_content(lti, accept_multiple=False)
    assert 'type="radio"' in page.text


def test_a_platform_without_line_items_gets_none(lti: LtiSite) -> None:
    browser, page = ask_for_content(lti, accept_lineitem=False)
    assert "lineItem" not in json.dumps(read_claims(choose(browser, page.text, "toy")))


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
    answer = lti.launch(**content_request(lti))
    assert (answer.status_code, "Only instructors" in answer.text) == (400, True)
