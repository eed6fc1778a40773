"""Students and staff read which attempt counts, and why."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import READERS
from tests.web.conftest import Site, change_grading

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LIST, STUDENT, CLASS = "/assignments/toy", "/class/toy/students/ada", "/class/toy"
BEST = "Attempt 2 counts: it has the most points."
SET = "Attempt 1 counts: it has a score that the staff set, which counts whatever points other attempts have."


def headings(page: str) -> list[str]:
    return [re.sub("<[^>]+>|[▲▼]", "", one).strip() for one in re.findall(r'<th scope="col".*?</th>', page, re.S)]


def marked(page: str) -> list[str]:
    """The attempts that a table marks as counting."""
    rows = re.findall(r"<tr>.*?</tr>", page, re.S)
    return [re.findall(r">Attempt (\d)<", row)[0] for row in rows if "<td>counts</td>" in row]


def set_score(site: Site, attempt: str, points: str) -> None:
    answer = site.browser("tess").post(
        f"{STUDENT}/override", page=STUDENT, attempt=attempt, concept="", points=points, reason="appeal"
    )
    assert answer.status_code == 303


def test_the_attempt_with_the_most_points_is_said_to_count_and_why(site: Site) -> None:
    for login, path in (("ada", LIST), ("tess", STUDENT)):
        page = site.browser(login).get(path).text
        assert (BEST in page, marked(page)) == (True, ["2"])
    assert ">attempt 2: most points</td>" in site.browser("tess").get(CLASS).text


def test_a_set_score_is_said_to_count_before_a_better_attempt(site: Site) -> None:
    set_score(site, "ada-1", "1")
    for login, path in (("ada", LIST), ("tess", STUDENT)):
        page = site.browser(login).get(path).text
        assert (SET in page, marked(page)) == (True, ["1"])
    assert ">attempt 1: set score</td>" in site.browser("tess").get(CLASS).text


def test_the_forms_choose_the_attempt_that_counts_until_another_is_chosen(site: Site) -> None:
    set_score(site, "ada-1", "1")
    page = site.browser("tess").get(STUDENT).text
    assert page.count('<option value="ada-1" selected>1 (counts)</option>') == 4
    assert '<option value="ada-2" selected>' not in page


def test_a_single_attempt_counts_without_a_reason(site: Site) -> None:
    assert "Attempt 1 counts." in site.browser("bob").get(LIST).text


def test_points_by_hand_beside_a_set_score_are_said_not_to_count(site: Site) -> None:
    set_score(site, "ada-1", "1")
    fields = {"attempt": "ada-1", "for": "style", "points": "2"}
    assert site.browser("tess").post(f"{STUDENT}/points", page=STUDENT, **fields).status_code == 303
    assert "2 points for style (Tess); not counted: the score that was set" in site.browser("tess").get(STUDENT).text
    report = site.browser("ada").get(f"/hand-ins/{site.key('ada-1')}").text
    assert "This is not counted: the score that the staff set counts alone." in report


def test_withheld_results_do_not_show_through_the_attempt_that_counts(root: Path) -> None:
    site = change_grading(root, "feedback: {results: after_published}\n")
    page = site.browser("ada").get(LIST).text
    assert (BEST in page, marked(page)) == (False, [])
    assert BEST in site.browser("tess").get(STUDENT).text


TABLES = pytest.mark.parametrize(
    ("login", "path", "first"),
    [
        ("ada", LIST, ["Attempt", "Points", "State", "Counts"]),
        ("tess", STUDENT, ["Attempt", "Points", "State", "Counts"]),
        ("tess", CLASS, ["Student", "Points", "State"]),
    ],
)


@TABLES
def test_points_and_state_come_first_after_the_name(site: Site, login: str, path: str, first: list[str]) -> None:
    assert headings(site.browser(login).get(path).text)[: len(first)] == first


@pytest.mark.thorough
@TABLES
def test_a_telephone_shows_points_and_state_without_scrolling(
    site: Site, browser: Browser, login: str, path: str, first: list[str]
) -> None:
    style = (Path(site.app.static_folder or "") / "site.css").read_text(encoding="utf-8")
    with browser.new_context(**READERS["phone"]) as context:
        page = context.new_page()
        page.set_content(f"{site.browser(login).get(path).text}<style>{style}</style>")
        for row in page.get_by_role("row").all():
            for cell in row.locator("th, td").all()[: len(first)]:
                box = cell.bounding_box()
                assert box
                assert box["x"] + box["width"] <= 360
