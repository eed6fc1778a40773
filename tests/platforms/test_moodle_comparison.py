"""The comparison with a real Moodle tells each difference; none needs a Moodle."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from autograder.platforms.moodle.feedback import format_grade_comment_as_html
from autograder.reports.html_report import render_published_page
from tests.platforms.moodle_class import REPORTS
from tests.platforms.moodle_comparison import Comparison, compare_class, find_gradebook_differences
from tests.platforms.moodle_school import FULL, MODES, PEOPLE, TEAM_OF

Found = dict[str, dict[str, Any]]
PROGRAMS = {
    number: msgspec.structs.replace(REPORTS["overwrites"], score=float(number), max_score=float(FULL))
    for number in range(FULL + 1)
}
TEAM_NUMBERS = {"Team Red_1": 3, "Team Blue": 6, "Sam Smith": 9, 'Grün, "Gelb" & O\'Blau': 0, "": 12}


def hold(mode: str) -> Found:
    """What a Moodle should hold after the first round."""
    found: Found = {}
    for login in PEOPLE:
        team = TEAM_OF.get(login, "")
        number = TEAM_NUMBERS.get(team) if mode == "teams" else MODES[mode].hand_ins.get(login)
        found[login] = {"attempt": 0, "grade": None, "comment": "", "pages": {}, "gradebook": None}
        if number is not None:
            grade = round(Decimal(number * MODES[mode].maximum) / FULL, 2)
            comment = format_grade_comment_as_html(PROGRAMS[number], f"{grade}", f"{MODES[mode].maximum}")
            page = render_published_page(PROGRAMS[number]).decode()
            found[login] |= {"grade": float(grade), "comment": comment, "gradebook": float(grade)}
            found[login]["pages"] = {} if mode == "teams" and not team else {"/feedback.html": page}
    return found


def compare(mode: str, found: Found) -> Comparison:
    return compare_class(MODES[mode], MODES[mode].hand_ins, found, PROGRAMS)


@pytest.mark.parametrize(
    ("mode", "grades", "pages"), [("individual", 17, 17), ("teams", 16, 10), ("blind", 17, 17), ("text", 17, 17)]
)
def test_a_class_that_holds_what_was_graded_has_no_difference(mode: str, grades: int, pages: int) -> None:
    assert compare(mode, hold(mode)) == Comparison((), grades, pages)
    assert find_gradebook_differences(hold(mode), shown=True) == []


def swap(part: str) -> Callable[[Found], None]:
    def swapped(found: Found) -> None:
        found["bob"][part], found["umlaut"][part] = found["umlaut"][part], found["bob"][part]

    return swapped


CHANGES: dict[str, tuple[Callable[[Found], Any], set[str]]] = {
    "grades of two": (swap("grade"), {"bob", "umlaut"}),
    "comments of two": (swap("comment"), {"bob", "umlaut"}),
    "pages of two": (swap("pages"), {"bob", "umlaut"}),
    "a page is missing": (lambda found: found["bob"].update(pages={}), {"bob"}),
    "a page too many": (lambda found: found["bob"]["pages"].update({"/old.html": ""}), {"bob"}),
    "a grade for nothing": (lambda found: found["none"].update(grade=0.0), {"none"}),
    "a page for nothing": (lambda found: found["none"].update(pages=found["bob"]["pages"]), {"none"}),
    "no grade": (lambda found: found["bob"].update(grade=None), {"bob"}),
    "a cent": (lambda found: found["bob"].update(grade=found["bob"]["grade"] + 0.01), {"bob"}),
    "a student is missing": (lambda found: found.pop("bob"), {"students in Moodle"}),
}


@pytest.mark.first_cases(8)
@pytest.mark.parametrize("mode", ["individual", "teams", "text"])
@pytest.mark.parametrize("change", CHANGES)
def test_each_change_is_told_with_who_has_it(change: str, mode: str) -> None:
    found, (make, whose) = hold(mode), CHANGES[change]
    make(found)
    assert {one.partition(":")[0] for one in compare(mode, found).differences} == whose


def test_a_page_for_who_is_in_no_team_is_a_difference() -> None:
    found = hold("teams")
    found["berg"]["pages"] = found["ada"]["pages"]
    assert [one.partition(":")[0] for one in compare("teams", found).differences] == ["berg"]


def test_a_gradebook_that_has_another_mark_or_has_it_too_early_is_a_difference() -> None:
    found = hold("blind")
    assert len(find_gradebook_differences(found, shown=False)) == 17
    found["bob"]["gradebook"] = None
    assert [one.partition(":")[0] for one in find_gradebook_differences(found, shown=True)] == ["bob"]
