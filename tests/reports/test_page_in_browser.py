"""A student's page in a real browser: light, dark, on a phone, printed, with scripts and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autograder.reports import ScoreReport
from autograder.reports.html_report import render_report_as_html
from tests.browser import (
    READERS,
    each_reader,
    is_wider_than_its_window,
    list_serious_violations,
    open_on_small_phone_with_large_letters,
)
from tests.reports.sample import a_report, an_edit, repaired, unnamed, with_picture

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Open = Callable[..., "Page"]
MODES: dict[str, dict[str, Any]] = {
    **READERS,
    "no scripts": {"java_script_enabled": False},
}
ATTACK = "</text></svg><script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\">"


@pytest.fixture
def open_report_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """``opened(report, color_scheme=..., viewport=...)``: its page in the browser, with nothing but the file."""
    contexts = []

    def open_page(report: ScoreReport, **how: Any) -> Page:
        file = tmp_path / "page.html"
        file.write_text(render_report_as_html(report), encoding="utf-8")
        contexts.append(browser.new_context(**how))
        page = contexts[-1].new_page()
        page.goto(file.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


def frames_shown(page: Page) -> list[int]:
    """The numbers of the steps that can be seen."""
    frames = page.locator(".frame")
    return [at + 1 for at in range(frames.count()) if frames.nth(at).is_visible()]


@each_reader
@pytest.mark.parametrize(
    "report",
    [with_picture(a_report()), unnamed(with_picture(a_report())), repaired(unnamed(with_picture(a_report())))],
    ids=["named", "not", "repaired"],
)
def test_nothing_serious_is_wrong_for_readers_with_other_means(
    open_report_page: Open, mode: str, report: ScoreReport
) -> None:
    page = open_report_page(report, **MODES[mode])
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert list_serious_violations(page) == []


def test_what_is_serious_is_found(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content("<html lang='en'><title>x</title><p style='color: #eee; background: #fff'>pale</p>")
    assert [one.partition(":")[0] for one in list_serious_violations(page)] == ["color-contrast"]
    page.set_content("<p style='width: 3000px'>wide</p>")
    assert is_wider_than_its_window(page)


@pytest.mark.thorough
@pytest.mark.parametrize("mode", MODES)
def test_no_page_has_to_be_scrolled_sideways(open_report_page: Open, mode: str) -> None:
    page = open_report_page(with_picture(a_report()), **MODES[mode] | {"java_script_enabled": True})
    assert not is_wider_than_its_window(page)
    picture = page.locator(".drawn svg").bounding_box()
    assert picture is not None
    assert picture["width"] > 150


@pytest.mark.thorough
@pytest.mark.parametrize("mode", MODES)
def test_the_lines_of_a_repair_need_no_scrolling_of_the_page(open_report_page: Open, mode: str) -> None:
    page = open_report_page(repaired(unnamed(a_report()), an_edit(after="x = 1  # " + 40 * "long ")), **MODES[mode])
    assert not is_wider_than_its_window(page)
    assert page.locator(".diff").is_visible()


@pytest.mark.thorough
def test_large_letters_on_a_small_phone_need_no_scrolling_sideways(open_report_page: Open) -> None:
    page = open_report_page(with_picture(a_report()))
    open_on_small_phone_with_large_letters(page)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert not is_wider_than_its_window(page)


@pytest.mark.thorough
def test_the_button_keeps_the_focus_at_the_last_step_so_that_keys_lead_back(open_report_page: Open) -> None:
    page = open_report_page(with_picture(a_report()))
    page.get_by_role("button", name="Next").focus()
    for _ in range(6):
        page.keyboard.press("Enter")
    assert frames_shown(page) == [4]
    page.keyboard.press("ArrowLeft")
    assert frames_shown(page) == [3]


def test_the_stepper_shows_one_step_and_obeys_buttons_keys_and_slider(open_report_page: Open) -> None:
    page = open_report_page(with_picture(a_report()))
    assert frames_shown(page) == [1]
    page.get_by_role("button", name="Next").click()
    assert frames_shown(page) == [2]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert frames_shown(page) == [4]
    assert page.get_by_role("button", name="Next").is_disabled()
    page.keyboard.press("Home")
    page.get_by_role("slider", name="Step").fill("3")
    assert frames_shown(page) == [3]
    assert page.locator(".stepper output").inner_text() == "3 of 4"


@pytest.mark.thorough
def test_nothing_plays_by_itself(open_report_page: Open) -> None:
    page = open_report_page(with_picture(a_report()))
    page.clock.install()
    page.clock.run_for(10_000)
    assert frames_shown(page) == [1]
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(1_600)
    assert frames_shown(page) == [2]
    page.clock.run_for(10_000)
    assert frames_shown(page) == [4]
    assert page.get_by_role("button", name="Play").is_visible()


@pytest.mark.thorough
def test_without_scripts_all_steps_are_there_and_no_button(open_report_page: Open) -> None:
    page = open_report_page(with_picture(a_report()), java_script_enabled=False)
    assert frames_shown(page) == [1, 2, 3, 4]
    assert not page.locator(".stepper").is_visible()


@pytest.mark.thorough
def test_in_print_all_steps_are_there_and_everything_folded_is_open(open_report_page: Open) -> None:
    page = open_report_page(with_picture(a_report()))
    page.emulate_media(media="print")
    assert frames_shown(page) == [1, 2, 3, 4]
    assert not page.locator(".stepper").is_visible()
    assert page.get_by_text("How often is a paid?").is_visible()
    assert len(page.pdf()) > 10_000


@pytest.mark.thorough
def test_the_first_step_that_differs_is_told_by_more_than_a_colour(open_report_page: Open) -> None:
    page = open_report_page(with_picture(a_report()), java_script_enabled=False)
    (marked,) = page.locator(".frame.differs").all()
    assert "✗ c._backward() is called again" in marked.inner_text()


def test_nothing_of_a_students_runs_and_nothing_is_asked_of_the_network(
    browser: Browser, open_report_page: Open
) -> None:
    asked: list[str] = []
    page = open_report_page(with_picture(a_report(ATTACK), ATTACK))
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    assert page.title().startswith("autograd-engine: </text>")
    assert [url for url in asked if not url.startswith("file:///") or "page.html" not in url] == []
    assert page.locator("img, iframe, foreignObject").count() == 0
    assert ATTACK[:16] in page.locator(".beside").inner_text()
