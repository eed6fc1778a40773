"""From *Work here* to the report: a student works on a page of the server, and hands in what is open there."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.batch.batch_location import BatchLocation
from autograder.course import Assignment
from autograder.web.people import make_shell_context
from autograder.web.settings import CourseServerSettings
from autograder.web.store.roll import MemberDetails
from autograder.web.store.server_store import open_server_store
from tests.browser import LONG, WRITE, is_wider_than_its_window, list_serious_violations, press_tab_until, run_all
from tests.conftest import ROOT
from tests.web.conftest import Site, command, wait_until
from tests.web.real_server import answers

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.thorough

GRADED = 6 * LONG
"""The worker lets everything else on the machine go first."""
OF_JUPYTERLITE = (
    ("aria-input-field-name:", 'class="cm-content'),  # CodeMirror gives the editor of a cell no name
    (
        "button-name:",
        'class="jp-Button jp-collapseHeadingButton',
    ),  # folds the cells below a heading; shows a sign alone
    ("aria-required-children:", 'class="jp-WindowedPanel-viewport'),  # a feed whose cells are no articles
)
"""What axe-core finds serious in JupyterLite's own part of the page: rule and element."""
WRONG = ("topo.append(node)", "topo.insert(0, node)")


@pytest.fixture(scope="module")
def site(browser_site: Path, tmp_path_factory: pytest.TempPathFactory, free_port: int) -> Iterator[Site]:
    """The course of this repository with its pages to work on, and two students who sign in by a click."""
    location = BatchLocation(tmp_path_factory.mktemp("served") / "results")
    site = Site(CourseServerSettings(ROOT, location, port=free_port, demo=True))
    with open_server_store(location) as store:
        for login, name in (("ada", "Ada Okafor"), ("bob", "Bob Larsen")):
            context = make_shell_context(location.class_key_in_store)
            store.roll.save_member(context, "somebody", MemberDetails(login, name), None)
    started = command(site.settings, "--browser", str(browser_site))
    with subprocess.Popen(started, stderr=subprocess.DEVNULL) as server:
        try:
            wait_until(lambda: answers(site), "the server answers")
            yield site
        finally:
            server.terminate()
            server.wait(300)


@contextmanager
def open_assignment(browser: Browser, site: Site, name: str, width: int) -> Iterator[Page]:
    context = browser.new_context(base_url=site.settings.course_url, viewport={"width": width, "height": 740})
    with context:
        page = context.new_page()
        page.goto("/sign-in")
        page.get_by_role("button", name=name).click()
        page.wait_for_url(f"{site.settings.course_url}/")
        page.goto("/assignments/topological-sort")
        yield page


def list_refused(said: list[str]) -> list[str]:
    return [text for text in said if "Content Security Policy" in text]


def test_what_is_open_is_handed_in_with_the_session_that_is_there(
    browser: Browser, site: Site, sorting: Assignment
) -> None:
    solution = sorting.solution_file.read_text(encoding="utf-8")
    with open_assignment(browser, site, "Ada Okafor", 1280) as page:
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.get_by_role("link", name="Work here").click()
        page.locator("#hand-in:enabled").wait_for()
        assert list_refused(said) == []
        for where in page.frames:
            where.evaluate(
                "document.body.append(Object.assign(document.createElement('script'), {text: 'top.hit = 1'}))"
            )
        assert page.evaluate("window.hit") is None
        refused = list_refused(said)  # by the header and by the page itself
        assert len(refused) >= len(page.frames)
        assert list_serious_violations(page) == []
        of_notebook = list_serious_violations(page.frames[1])
        assert [
            one for one in of_notebook if not any(rule in one and mark in one for rule, mark in OF_JUPYTERLITE)
        ] == []
        page.evaluate(WRITE, solution.replace(*WRONG))
        assert "m uses n, so n must come first" in run_all(page)
        page.get_by_role("button", name="Hand in").click()
        page.get_by_text("ada-1", exact=True).wait_for()
        page.get_by_text("value.ipynb").first.wait_for()
        page.get_by_text("lists users before operands").first.wait_for(timeout=GRADED)
        assert list_refused(said) == refused


def test_a_phone_and_a_keyboard_do_the_same(browser: Browser, site: Site, sorting: Assignment) -> None:
    solution = sorting.solution_file.read_text(encoding="utf-8")
    with open_assignment(browser, site, "Bob Larsen", 360) as page:
        press_tab_until(page, "Work here")
        page.keyboard.press("Enter")
        page.locator("#hand-in:enabled").wait_for()
        assert not is_wider_than_its_window(page)
        assert list_serious_violations(page) == []
        page.evaluate(WRITE, solution)
        press_tab_until(page, "Run all")
        page.keyboard.press("Enter")
        page.locator("#state", has_text="Ready").wait_for()
        press_tab_until(page, "Hand in")
        page.keyboard.press("Enter")
        page.get_by_text("bob-1", exact=True).wait_for()
        page.get_by_text("100 of 100 points").first.wait_for(timeout=GRADED)
        assert not is_wider_than_its_window(page)
