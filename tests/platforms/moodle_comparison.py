"""Compare what a Moodle's database holds of a class with what the same programs got outside Moodle."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from autograder.platforms.moodle.feedback import format_grade_comment_as_html
from autograder.reports import ScoreReport
from autograder.reports.html_report import render_published_page
from autograder.reports.report_files import read_report_json
from tests.cli.commands import run, succeeded
from tests.platforms.moodle_school import FULL, PEOPLE, TEAM_OF, Mode, write_program

CENT = Decimal("0.01")
COMMENT = re.compile(r"Autograder: (\d+(?:[.,]\d+)?) of (\d+(?:[.,]\d+)?) points\. (.+)", re.DOTALL)
NAMED = re.compile(r"(?is)<title>.*?</title>|<h1.*?</h1>|<footer>.*?</footer>")
"""What of a page depends on the submission's name, or on the kit's version."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a class in Moodle compares with what was graded."""

    differences: tuple[str, ...]
    grades: int
    """How many students have the right grade and comment."""
    pages: int
    """How many have the right page."""


def grade_outside_moodle(course: Path) -> dict[int, ScoreReport]:
    """Grade every program from a plain folder, and return the reports by the programs' numbers."""
    for number in range(FULL + 1):
        place = course / "programs" / f"p{number:02}"
        place.mkdir(parents=True)
        (place / "value.py").write_text(write_program(number), encoding="utf-8")
    succeeded(run("batch", "squares", "programs", "--from", "folder", "--out", "outside", cwd=course))
    reports = {
        number: read_report_json(course / "outside" / "reports" / f"p{number:02}.json") for number in range(FULL + 1)
    }
    assert {number: report.score for number, report in reports.items()} == {number: number for number in reports}
    assert len({reduce_page(render_published_page(report).decode()) for report in reports.values()}) == len(reports)
    return reports


def compare_class(
    mode: Mode, handed_in: Mapping[str, int], found: Mapping[str, Any], reports: Mapping[int, ScoreReport]
) -> Comparison:
    """Compare every student of a class, whether or not anything was handed in for them.

    Args:
        mode: how the assignment is set.
        handed_in: the number of the last program by the login of who handed it in.
        found: what Moodle holds, by login.
        reports: by the programs' numbers.
    """
    of_teams = "teamsubmission" in mode.settings
    by_team = {TEAM_OF.get(login, ""): number for login, number in handed_in.items()}
    differences, grades, pages = [], 0, 0
    if found.keys() != PEOPLE.keys():
        differences.append(f"students in Moodle: {sorted(found)}")
    for login in sorted(found.keys() & PEOPLE.keys()):
        number = by_team.get(TEAM_OF.get(login, "")) if of_teams else handed_in.get(login)
        has_page = number is not None and not (of_teams and login not in TEAM_OF)
        wrong = [] if number is None else [*find_wrong_marks(found[login], reports[number], mode.maximum)]
        if number is None and (found[login]["grade"] is not None or found[login]["comment"]):
            wrong.append(f"nothing was handed in, and Moodle holds {found[login]}")
        grades += number is not None and not wrong
        expected = {"/feedback.html": reduce_page(render_published_page(reports[number or 0]).decode())}
        in_moodle = {name: reduce_page(page) for name, page in found[login]["pages"].items()}
        if in_moodle != (expected if has_page else {}):
            wrong.append(f"another page, or more: {[*in_moodle]}" if in_moodle else "no page")
        else:
            pages += has_page
        differences.extend(f"{login}: {one}" for one in wrong)
    return Comparison((*differences,), grades, pages)


def find_wrong_marks(found: Mapping[str, Any], report: ScoreReport, maximum: int) -> list[str]:
    """Find what differs in grade and comment."""
    grade = (Decimal(str(report.score)) * maximum / FULL).quantize(CENT, ROUND_HALF_UP)
    if found["grade"] is None or abs(Decimal(str(found["grade"])) - grade) > CENT / 100:
        return [f"grade {found['grade']}, expected {grade}"]
    expected = COMMENT.fullmatch(format_grade_comment_as_html(report, f"{grade}", f"{maximum}"))
    said = COMMENT.fullmatch(found["comment"])
    assert expected
    if said is None or (to_number(said[1]), to_number(said[2]), said[3]) != (grade, Decimal(maximum), expected[3]):
        return [f"comment {found['comment']!r}, expected {expected[0]!r}"]
    return []


def find_gradebook_differences(found: Mapping[str, Any], *, shown: bool) -> list[str]:
    """Find whose entry in the gradebook is not the grade, or, before marks are shown, is there at all."""
    return [
        f"{login}: the gradebook has {one['gradebook']}, the grade is {one['grade']}"
        for login, one in found.items()
        if one["gradebook"] != (one["grade"] if shown else None)
    ]


def to_number(text: str) -> Decimal:
    return Decimal(text.replace(",", "."))


def reduce_page(page: str) -> str:
    """Return a page without what is not about the program."""
    return NAMED.sub("", page)
