"""Pages for the staff in a real browser: light, dark, on a phone and printed; whatever students are called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autograder.class_reports.staff_views import encode_similar_code_page, render_overview_page
from tests.browser import (
    READERS,
    each_reader,
    is_wider_than_its_window,
    list_serious_violations,
    open_on_small_phone_with_large_letters,
)
from tests.class_reports.test_overview import ATTACK, hostile
from tests.class_reports.test_similar import ENGINE, OTHER, RENAMED, program, similar

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.thorough

Open = Callable[..., "Page"]
OWNED = "<img src=x onerror=\"document.title = 'owned'\"><script>document.title = 'owned'</script>"
NEAR = similar(
    program("ada", ENGINE),
    program(f"eve {ATTACK} {'long' * 30}", ENGINE),
    program("zoe", RENAMED),
    program(OWNED, f"{ENGINE}\n{OTHER}\n# {OWNED}\n{'x' * 300} = 1\n"),
)
PAGES = {
    "overview": render_overview_page(hostile(12)),
    "overview beside another": render_overview_page(hostile(12), hostile(9)),
    "similar": encode_similar_code_page(NEAR, OWNED, OWNED),
}


@pytest.fixture
def open_staff_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """``opened(name, color_scheme=..., viewport=...)``: a page in the browser, with everything unfolded."""
    contexts = []

    def open_page(name: str, **how: Any) -> Page:
        file = tmp_path / "page.html"
        file.write_bytes(PAGES[name])
        contexts.append(browser.new_context(**how))
        page = contexts[-1].new_page()
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        return page

    yield open_page
    for context in contexts:
        context.close()


@each_reader
@pytest.mark.parametrize("name", PAGES)
def test_nothing_serious_is_wrong_for_readers_with_other_means(open_staff_page: Open, name: str, mode: str) -> None:
    assert list_serious_violations(open_staff_page(name, **READERS[mode])) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_need_not_be_scrolled_sideways(open_staff_page: Open, name: str) -> None:
    assert not is_wider_than_its_window(open_staff_page(name, **READERS["phone"]))


@pytest.mark.parametrize("name", PAGES)
def test_large_letters_on_a_small_phone_need_no_scrolling_sideways(open_staff_page: Open, name: str) -> None:
    page = open_staff_page(name)
    open_on_small_phone_with_large_letters(page)
    assert not is_wider_than_its_window(page)


def test_a_line_that_is_in_both_programs_is_told_by_more_than_a_colour(open_staff_page: Open) -> None:
    shared = open_staff_page("similar").locator(".code li.same").all_text_contents()
    assert shared
    assert [line for line in shared if "in both: " not in line] == []


@pytest.mark.parametrize("name", PAGES)
def test_nothing_that_a_student_wrote_is_run(open_staff_page: Open, name: str) -> None:
    page = open_staff_page(name)
    assert page.title() != "owned"
    assert page.locator("img, script").count() == 0


def test_bars_are_printed(open_staff_page: Open) -> None:
    page = open_staff_page("overview")
    page.emulate_media(media="print")
    colour = page.evaluate("getComputedStyle(document.querySelector('svg.bar')).fill")
    assert colour == "rgb(53, 99, 156)"  # a fill, which printers keep, and no background
