"""A launch of an LMS ends in the course that it is connected with, and in no other."""

from __future__ import annotations

from werkzeug.test import TestResponse

from autograder.web.store.server_store import open_server_store
from tests.web.conftest import Browser
from tests.web.lti.fake_platform import FakePlatform, serve_platform
from tests.web.lti_site import read_query
from tests.web.several_courses import ONE, TWO, SeveralCourses


def connect(two_courses: SeveralCourses, course: str, fake: FakePlatform) -> None:
    """Let a course of a platform into one of the courses here."""
    settings = two_courses.courses[course]
    fake.tool = settings.course_url
    with open_server_store(settings.location) as store:
        platform = store.lti_platforms.save_platform(fake.platform)
        store.lti_contexts.set_connected(
            store.lti_contexts.add_or_update_context(platform.id, "1", "2", "").id, is_connected=True
        )


def begin_launch(browser: Browser, course: str, fake: FakePlatform) -> dict[str, str]:
    """Begin a login at a course, and return what the platform is sent."""
    sent = {"iss": fake.url, "login_hint": "5", "client_id": fake.client_id, "lti_deployment_id": "1"}
    target = {"target_link_uri": f"{fake.tool}/lti/launch", "lti_message_hint": "7"}
    answer = browser.client.post(f"/{course}/lti/login", data={**sent, **target})
    assert answer.status_code == 302, answer.text
    return read_query(answer.headers["Location"])


def post_launch(browser: Browser, course: str, fake: FakePlatform, asked: dict[str, str]) -> TestResponse:
    """Come back from the platform, to a course."""
    message = {"state": asked["state"], "id_token": fake.sign(fake.claims(asked["nonce"]))}
    headers = {"Origin": fake.url, "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "cross-site"}
    return browser.client.post(f"/{course}/lti/launch", data=message, headers=headers)


def test_an_lms_launches_into_the_course_that_it_is_connected_with(two_courses: SeveralCourses) -> None:
    with serve_platform() as fake:
        connect(two_courses, ONE, fake)
        browser = two_courses.browser()
        asked = begin_launch(browser, ONE, fake)
        assert asked["redirect_uri"] == f"{two_courses.courses[ONE].course_url}/lti/launch"
        assert asked["redirect_uri"].count(ONE) == 1
        answer = post_launch(browser, ONE, fake, asked)
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/{ONE}/assignments/toy")
        assert browser.get(f"/{ONE}/assignments/toy").status_code == 200
        assert browser.get(f"/{TWO}/assignments/toy").status_code == 303  # nobody there: to the sign-in


def test_a_launch_that_began_at_one_course_ends_at_no_other(two_courses: SeveralCourses) -> None:
    with serve_platform() as fake:
        connect(two_courses, TWO, fake)
        connect(two_courses, ONE, fake)
        browser = two_courses.browser()
        answer = post_launch(browser, TWO, fake, begin_launch(browser, ONE, fake))
        assert answer.status_code in (400, 403)
        assert browser.get(f"/{TWO}/assignments/toy").status_code == 303
