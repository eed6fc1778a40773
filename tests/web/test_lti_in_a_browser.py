"""Launches in a real browser: in a frame of another site, where cookies do not come along, and from Open edX."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from flask import Response

from tests.browser import is_wider_than_its_window, list_serious_violations
from tests.web.conftest import Site, make_site
from tests.web.lti.fake_platform import serve_platform
from tests.web.lti.local_server import serve_app
from tests.web.lti.referee_process import COURSE, find_free_port, start_referee
from tests.web.lti_site import LtiSite

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.thorough


@pytest.fixture
def live(root: Path) -> Iterator[Site]:
    """The course on the web, as a server."""
    site = make_site(root, port=find_free_port())
    with serve_app(site.app, site.settings.port):
        yield site


def open_in_a_window(page: Page) -> Page:
    """Press the button in the frame, and return the window that it opens."""
    frame = page.frame_locator("iframe")
    button = frame.get_by_role("button", name="Open")
    button.or_(frame.get_by_role("alert")).wait_for()
    assert button.is_visible(), frame.get_by_role("main").inner_text()
    with page.expect_popup() as opened:
        button.click()
    window = opened.value
    window.wait_for_url("**/assignments/toy")
    return window


def test_in_a_frame_of_another_site_the_platforms_storage_keeps_the_state(live: Site, browser: Browser) -> None:
    """``localhost`` is another site than ``127.0.0.1``, so the cookie of the launch does not come with its form."""
    with serve_platform() as fake:
        fake.url = fake.url.replace("127.0.0.1", "localhost")
        lti = LtiSite(live, fake)
        lti.connect()
        page = browser.new_context().new_page()
        errors: list[str] = []
        page.on("console", lambda one: errors.append(one.text) if one.type == "error" else None)
        page.goto(f"{fake.url}/course?tool={live.settings.course_url}")
        window = open_in_a_window(page)
        assert window.get_by_text("小龙 李, student").is_visible()
        assert errors == []
        posted = [one for one in fake.requests if one[1].startswith("/auth")]
        assert len(posted) == 1


def test_without_storage_the_page_in_the_frame_says_what_to_do(live: Site, browser: Browser) -> None:
    with serve_platform() as fake:
        fake.url = fake.url.replace("127.0.0.1", "localhost")
        lti = LtiSite(live, fake)
        lti.connect()
        login = fake.describe_login(live.settings.course_url)
        fake.answers["course"] = Response(f'<!DOCTYPE html><iframe src="{login}" width="900"></iframe>')
        page = browser.new_context().new_page()
        page.goto(f"{fake.url}/course")
        page.frame_locator("iframe").get_by_text("Let the LMS open this tool in a new window").wait_for()


def test_open_edx_opens_the_assignment_and_the_choice_of_content(
    live: Site, browser: Browser, tmp_path: Path
) -> None:
    with start_referee(live.settings.course_url, tmp_path) as referee:
        platform = live.in_store(lambda store: store.lti_platforms.save_platform(referee.platform))
        context = live.in_store(lambda store: store.lti_contexts.add_or_update_context(platform.id, "1", COURSE, ""))
        live.in_store(lambda store: store.lti_contexts.set_connected(context.id, is_connected=True))
        page = browser.new_context().new_page()
        page.goto(referee.start_url(7).replace("/start", "/frame"))
        window = open_in_a_window(page)
        assert window.get_by_text("Lee, student").is_visible()
        teacher = browser.new_context().new_page()
        teacher.goto(referee.start_url(5, "staff", "", deep="1"))
        assert list_serious_violations(teacher) == []
        teacher.get_by_label("toy").check()
        teacher.get_by_role("button", name="Add to the course").click()
        teacher.wait_for_url(f"{referee.url}/**")
        assert [one["title"] for one in referee.show()["content"]] == ["toy"]


def test_the_pages_on_lmss_are_accessible_and_fit(live: Site, browser: Browser) -> None:
    with serve_platform() as fake:
        lti = LtiSite(live, fake)
        lti.connect()
        assert lti.launch(email="ada").status_code == 303
        student = "Ada <b>Okafor</b>"
        pages = (("root", "/lms", "Micrograd 101"), ("ines", "/lms/people", student), ("ines", "/lms/log", "student"))
        for login, path, text in (*pages, ("ines", "/class/toy/lms-marks", "Whose deadline counts")):
            context = browser.new_context(base_url=live.settings.course_url, viewport={"width": 420, "height": 900})
            page = context.new_page()
            page.goto(live.invite(login))
            page.get_by_role("button", name="Sign in").click()
            page.goto(path)
            page.get_by_text(text).first.wait_for()
            assert list_serious_violations(page) == []
            assert not is_wider_than_its_window(page)
