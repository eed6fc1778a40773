"""A day in a real browser: hand in, wait, read the result; see the class, decide. Seen by axe-core, too."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.batch.batch_location import BatchLocation
from autograder.web.settings import CourseServerSettings
from tests.browser import (
    is_wider_than_its_window,
    list_serious_violations,
    open_on_small_phone_with_large_letters,
    press_tab_until,
)
from tests.web.conftest import Site, command, wait_until
from tests.web.real_server import answers
from tests.web.small_class import add_small_class

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.thorough

ENGINE = "/assignments/autograd-engine"
GRADEBOOK = """\
Student,ID,SIS Login ID,Section,A scalar autograd engine (7)
    Points Possible,,,,100.00
"Okafor, Ada",11,ada,A,
"Nobody, Nell",12,nell,A,
"""
CAUSE = "a second contribution replaces the first"


@pytest.fixture(scope="module")
def site(root_of_course: Path, tmp_path_factory: pytest.TempPathFactory, free_port: int) -> Iterator[Site]:
    """The course of this repository, with a small class that signs in by a click."""
    out = tmp_path_factory.mktemp("demo") / "results"
    site = Site(CourseServerSettings(root_of_course, BatchLocation(out), port=free_port, demo=True))
    add_small_class(site.settings)
    with subprocess.Popen(command(site.settings), stderr=subprocess.DEVNULL) as server:
        try:
            wait_until(lambda: answers(site), "the server answers")
            yield site
        finally:
            server.terminate()
            server.wait(300)


@pytest.fixture(scope="module")
def root_of_course() -> Path:
    return Path(__file__).parents[2]


def sign_in(browser: Browser, site: Site, name: str, *, with_scripts: bool = True) -> Page:
    page = browser.new_context(base_url=site.settings.course_url, java_script_enabled=with_scripts).new_page()
    page.goto("/sign-in")
    page.get_by_role("button", name=name).click()
    page.wait_for_url(f"{site.settings.course_url}/")
    return page


@pytest.fixture(scope="module")
def result(browser: Browser, site: Site) -> Page:
    """The page on which Ada, without scripts, waits for her first result: there from the start for every test."""
    page = sign_in(browser, site, "Ada Okafor", with_scripts=False)
    page.get_by_role("link", name="A scalar autograd engine").first.click()
    example = site.settings.course / "examples" / "submissions" / "overwrites.py"
    page.get_by_label(re.compile("Choose a file")).set_input_files(example)
    page.get_by_role("button", name="Hand in").click()
    page.get_by_text("ada-1", exact=True).wait_for()
    look_again_until(page, CAUSE)
    return page


def look_again_until(page: Page, text: str) -> None:
    """Press the link of a page that waits, as somebody without scripts does."""

    def is_there() -> bool:
        if page.get_by_role("link", name="Look again").is_visible():
            page.get_by_role("link", name="Look again").click()
        return page.get_by_text(text).first.is_visible()

    wait_until(is_there, f"‘{text}’")


@pytest.fixture(scope="module")
def inquiry(browser: Browser, site: Site, result: Page) -> str:
    """The address of a question that Ada, without scripts, has asked about her result."""
    page = result.context.new_page()
    page.goto(result.url)
    page.get_by_role("link", name="Ask the staff").click()
    page.get_by_label("Your question").fill("Why is it 12 and not 6?")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Why is it 12 and not 6?").wait_for()
    return page.url.removeprefix(site.settings.course_url)


def test_a_question_is_answered_without_a_script(browser: Browser, site: Site, inquiry: str) -> None:
    page = sign_in(browser, site, "Tess Adler", with_scripts=False)
    page.get_by_role("link", name="Inquiries 1 open").click()
    page.get_by_role("link", name="The whole result of attempt 1 of Ada Okafor (ada)").click()
    page.get_by_label("Answer").fill("Because it is used twice.")
    page.get_by_role("button", name="Send the answer").click()
    student = sign_in(browser, site, "Ada Okafor", with_scripts=False)
    student.get_by_role("link", name="Inquiries 1 with a new answer").click()
    student.goto(inquiry)
    student.get_by_text("Because it is used twice.").wait_for()


@pytest.mark.usefixtures("result")
def test_a_regrade_is_tried_without_a_script(browser: Browser, site: Site) -> None:
    page = sign_in(browser, site, "Tess Adler", with_scripts=False)
    page.goto("/class/autograd-engine")
    page.get_by_label("Choose Ada Okafor").check()
    page.get_by_role("button", name="Try a regrade").click()
    look_again_until(page, "1 mark stays as it is.")
    assert page.get_by_role("button", name="Regrade it now").is_visible()


@pytest.mark.usefixtures("result")
def test_a_gradebook_is_filled_in(browser: Browser, site: Site, tmp_path: Path) -> None:
    book = tmp_path / "gradebook.csv"
    book.write_text(GRADEBOOK, encoding="utf-8")
    page = sign_in(browser, site, "Ines Moreau")
    page.goto("/class/autograd-engine/export")
    page.get_by_role("link", name="Canvas", exact=True).click()
    page.get_by_label(re.compile("Its gradebook")).set_input_files(book)
    page.get_by_role("button", name="Show what it changes").click()
    page.get_by_role("row", name=re.compile("Okafor, Ada")).wait_for()
    assert list_serious_violations(page) == []
    page.set_viewport_size({"width": 360, "height": 800})
    assert not is_wider_than_its_window(page)
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile("Download")).click()
    assert re.search(r'"Okafor, Ada",11,ada,A,\d', download.value.path().read_text(encoding="utf-8"))


@pytest.mark.usefixtures("result")
def test_the_replay_runs_in_the_page_and_no_other_script_does(browser: Browser, site: Site) -> None:
    page = sign_in(browser, site, "Ada Okafor")
    page.goto(ENGINE)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.get_by_role("link", name="Attempt 1").click()
    page.get_by_role("button", name="Next").click()
    assert page.locator(".frame.now").count() == 1
    assert said == []
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'document.title = 1'}))"
    )
    assert "script-src" in said[0]
    assert page.title() != "1"


@pytest.mark.usefixtures("result")
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.thorough)])
def test_pages_are_read_aloud_and_on_a_telephone(browser: Browser, site: Site, scheme: str, inquiry: str) -> None:
    asked = ["/inquiries", inquiry]
    for name, paths in (
        ("Ada Okafor", ["/", ENGINE, "/nowhere", "/account", *asked]),
        ("Chen Wei", [ENGINE]),  # with several attempts
        (
            "Ines Moreau",
            [
                *(
                    f"/class/autograd-engine{more}"
                    for more in (
                        "",
                        "?words=a&concepts=yes",
                        "/students/ada",
                        "/log",
                        "/import",
                        "/export",
                        "/overview",
                        "/similar",
                    )
                ),
                *("/people", "/people/at/ada", "/people/import", "/people/log"),
                *asked,
            ],
        ),
        ("Alex Berg", ["/health"]),
    ):
        page = sign_in(browser, site, name)
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        for path in paths:
            page.set_viewport_size({"width": 1200, "height": 900})
            page.goto(path)
            assert list_serious_violations(page) == [], path
            page.set_viewport_size({"width": 360, "height": 800})
            assert not is_wider_than_its_window(page), path
            assert list_serious_violations(page) == [], f"{path} on a telephone"
        open_on_small_phone_with_large_letters(page)
        for path in paths:
            page.goto(path)
            assert not is_wider_than_its_window(page), f"{path} with large letters"


def test_a_result_is_printed_on_white_with_its_page(result: Page) -> None:
    page = result.context.new_page()
    page.goto(result.url)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.get_by_text(CAUSE).is_visible()
    assert not page.get_by_role("link", name="Ask about this").first.is_visible()


def test_a_refusal_has_the_focus(browser: Browser, site: Site) -> None:
    page = sign_in(browser, site, "Hana Suzuki", with_scripts=False)
    page.goto(ENGINE)
    page.get_by_role("button", name="Hand in").click()
    page.get_by_role("alert").wait_for()
    assert page.locator("#refused:focus").is_visible()


@pytest.mark.usefixtures("result")
def test_an_administrator_finds_health_and_the_log_by_the_keyboard_alone(browser: Browser, site: Site) -> None:
    page = sign_in(browser, site, "Alex Berg")
    press_tab_until(page, "Health")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Workers").wait_for()
    press_tab_until(page, "Neural networks")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site.settings.course_url}/")
    press_tab_until(page, "A scalar autograd engine")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/class/"))
    press_tab_until(page, "Audit log")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Audit log").wait_for()
