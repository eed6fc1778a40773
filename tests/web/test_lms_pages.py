"""Administrators let courses of an LMS in and test connections, and teachers say who is who."""

from __future__ import annotations

import re

from tests.web.conftest import Site
from tests.web.lti.fake_platform import CLAIM
from tests.web.lti_site import LtiSite


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


def test_a_launch_that_names_no_course_is_said_to_name_none(lti: LtiSite) -> None:
    refused = lti.launch(**{f"{CLAIM}context": None})
    assert refused.status_code == 400
    assert "The course (no course named) of fake is not connected with this one yet" in refused.text
    assert "with <code>autograder lti connect</code>." in refused.text
    root = lti.site.browser("root")
    page = root.get("/lms").text
    assert '<th scope="row">(no course named) ' in page
    number = re.search(r'/lms/contexts/(\d+)/connect">\n<input[^>]*>\n<button[^>]* value="yes"', page)
    assert number
    root.post(f"/lms/contexts/{number[1]}/connect", page="/lms", connected="yes")
    assert "fake: (no course named)" in root.get("/lms/log").text


def test_the_page_tests_a_connection(lti: LtiSite) -> None:
    root = lti.site.browser("root")
    shown = root.post(f"/lms/platforms/{lti.platform.id}/test", page="/lms").text
    assert "✓ keys of the platform: 1 found" in shown
    assert "✓ access token" in shown
    assert "secret-token" not in shown


def find_link(page: str) -> str:
    found = re.search(r"/lms/people/\d+/link", page)
    assert found, page
    return found[0]


def test_a_teacher_says_that_two_are_the_same_person(lti: LtiSite) -> None:
    student = lti.site.browser()
    lti.launch(student, email="ada")
    assert student.hand_in("x = 1\n").status_code == 303
    ines = lti.site.browser("ines")
    page = ines.get("/lms/people").text
    assert "1 hand-in as fake-7" in page
    assert "Ada &lt;b&gt;Okafor&lt;/b&gt;" in page
    assert ines.post(find_link(page), page="/lms/people", same="yes").status_code == 303
    assert "No person waits for a decision" in ines.get("/lms/people").text
    assert student.get("/").status_code == 303  # signed out, and comes again as the student of the class
    lti.launch(student, email="ada")
    assert student.get(f"/hand-ins/{lti.site.key('ada-1')}").status_code == 200
    assert ines.post(find_link(page), page="/lms", same="yes").status_code == 404  # decided already


def test_a_teacher_says_that_two_are_not_the_same_person(lti: LtiSite) -> None:
    lti.launch(email="ada")
    ines = lti.site.browser("ines")
    ines.post(find_link(ines.get("/lms/people").text), page="/lms/people", same="no")
    student = lti.site.browser()
    lti.launch(student, email="ada")
    assert student.get(f"/hand-ins/{lti.site.key('ada-1')}").status_code == 404
    assert "No person waits for a decision" in ines.get("/lms/people").text
