"""Several courses on one server: each has its own people, pages and sessions."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.batch.batch_location import BatchLocation
from autograder.web.settings import CourseServerSettings
from tests.toy import write_toy
from tests.web.conftest import PEOPLE
from tests.web.several_courses import ONE, TWO, SeveralCourses

LINK = re.compile(r'(?:href|action|src|formaction)="([^"#][^"]*)"')


def test_the_first_page_leads_to_every_course_and_knows_nobody(two_courses: SeveralCourses) -> None:
    browser = two_courses.sign_in(two_courses.browser(), ONE, "ada")
    page = browser.get("/")
    assert page.status_code == 200
    assert f'<a href="/{ONE}/">{ONE}</a>' in page.text
    assert f'<a href="/{TWO}/">Graphs &lt;2&gt;</a>' in page.text
    assert "Ada" not in page.text
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    for path in LINK.findall(page.text):
        with browser.get(path) as found:
            assert found.status_code == (303 if path == f"/{TWO}/" else 200)  # nobody there: to the sign-in


@pytest.mark.parametrize("path", ["/class/toy", "/nowhere", "/mg101x/", "/MG101/", f"/{ONE}%2f..%2f{TWO}x"])
def test_what_belongs_to_no_course_is_not_found(two_courses: SeveralCourses, path: str) -> None:
    assert two_courses.browser().get(path).status_code == 404


def test_the_first_page_answers_to_its_own_name_alone(two_courses: SeveralCourses) -> None:
    answer = two_courses.app.test_client().get("/", base_url="http://evil.example")
    assert (answer.status_code, "mg101" in answer.text) == (400, False)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("login", [*PEOPLE])
def test_whoever_is_somebody_in_one_course_is_nobody_in_the_other(two_courses: SeveralCourses, login: str) -> None:
    browser = two_courses.sign_in(two_courses.browser(), ONE, login)
    assert browser.get(f"/{ONE}/").status_code == 200
    key = next(one.key for one in two_courses.hand_ins(ONE) if one.submission == "ada-1")
    own = browser.client.get_cookie(f"autograder-{ONE}")
    assert own is not None
    for renamed in (False, True):
        if renamed:
            browser.client.set_cookie(f"autograder-{TWO}", own.value)
        for path in ("/", "/class/toy", "/class/toy/log", "/health", f"/hand-ins/{key}", "/assignments/toy"):
            answer = browser.get(f"/{TWO}{path}")
            assert (answer.status_code, answer.headers["Location"]) == (303, f"/{TWO}/sign-in")


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("login", [*PEOPLE])
def test_a_hand_in_of_one_course_is_found_in_no_other(two_courses: SeveralCourses, login: str) -> None:
    browser = two_courses.sign_in(two_courses.browser(), TWO, login)
    key = next(one.key for one in two_courses.hand_ins(ONE) if one.submission == "ada-1")
    for path in ("", "/report.json", "/file"):
        assert browser.get(f"/{TWO}/hand-ins/{key}{path}").status_code == 404


def test_a_link_of_one_course_signs_nobody_in_at_another(two_courses: SeveralCourses) -> None:
    path = two_courses.invite(ONE, "root").replace(ONE, TWO)
    assert two_courses.browser().get(path).status_code == 404


def test_somebody_may_be_staff_here_and_a_student_there_in_one_browser(two_courses: SeveralCourses) -> None:
    browser = two_courses.sign_in(two_courses.browser(), ONE, "tess")
    two_courses.sign_in(browser, TWO, "tess", "student")
    assert "Tess, teaching assistant" in browser.get(f"/{ONE}/").text
    assert "Tess, student" in browser.get(f"/{TWO}/").text
    assert browser.get(f"/{TWO}/class/toy").status_code == 403
    browser.post(f"/{TWO}/sign-out", page=f"/{TWO}/")
    assert browser.get(f"/{TWO}/").status_code == 303
    assert browser.get(f"/{ONE}/class/toy").status_code == 200


def test_the_token_of_a_form_counts_in_its_own_course_alone(two_courses: SeveralCourses) -> None:
    browser = two_courses.sign_in(two_courses.browser(), ONE, "ines")
    two_courses.sign_in(browser, TWO, "ines")
    token = browser.token(f"/{ONE}/class/toy")
    answer = browser.client.post(f"/{TWO}/class/toy/try-regrade", data={"csrf_token": token, "which": "all"})
    assert answer.status_code == 400


def test_a_proxys_user_is_looked_for_in_each_course(two_courses: SeveralCourses) -> None:
    behind = SeveralCourses(
        {
            name: replace(one, trusted_proxy="10.1.2.3", user_header="X-Remote-User")
            for name, one in two_courses.courses.items()
        }
    )
    two_courses.invite(TWO, "tess", "student")
    for login, here, there in (
        ("tess", "Tess, teaching assistant", "Tess, student"),
        ("root", "Alex, administrator", "not a member of this course"),
    ):
        browser = behind.browser(**{"X-Remote-User": login})
        browser.client.environ_base["REMOTE_ADDR"] = "10.1.2.3"
        assert here in browser.get(f"/{ONE}/").text
        other = browser.get(f"/{TWO}/")
        assert (other.status_code, there in other.text) == (200 if login == "tess" else 403, True)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("login", [*PEOPLE])
def test_every_link_and_form_stays_within_its_course(two_courses: SeveralCourses, login: str) -> None:
    browser = two_courses.sign_in(two_courses.browser(), ONE, login)
    seen, waiting = set(), [f"/{ONE}/"]
    while waiting:
        path = waiting.pop()
        seen.add(path)
        with browser.get(path) as page:
            assert page.status_code == 200, path
            if page.mimetype != "text/html":
                continue
            text = page.get_data(as_text=True)
        for link in LINK.findall(text):
            assert link.startswith(f"/{ONE}/"), f"{link} on {path}"
            found = link.partition("?")[0]
            if f'action="{link}"' not in text and found not in seen and found not in waiting:
                waiting.append(found)
    assert len(seen) > 3


def test_behind_tls_each_course_has_a_cookie_that_only_this_server_sets(root: Path) -> None:
    write_toy(root / "other")
    url = "https://grader.uni.example"
    two_courses = SeveralCourses(
        {
            name: CourseServerSettings(root / "other", BatchLocation(root / name), public_url=url, name=name)
            for name in (ONE, TWO)
        }
    )
    assert two_courses.courses[ONE].course_url == f"{url}/{ONE}"
    for name in (ONE, TWO):
        answer = two_courses.app.test_client().get(two_courses.invite(name, "ada"), base_url=url)
        cookie = answer.headers["Set-Cookie"]
        assert cookie.startswith(f"__Host-autograder-{name}=")
        for part in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
            assert part in cookie.split("; ")
        assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
