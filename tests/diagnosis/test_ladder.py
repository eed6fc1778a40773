"""What students read of a mistake does not tell what the course shows at a higher level of ``feedback.repair``."""

from __future__ import annotations

import itertools
import re

import pytest

from autograder.course import Course
from autograder.course.misconceptions import Misconception, load_misconception_catalogue
from autograder.course.model import REPAIR_LEVELS, RepairLevel
from autograder.diagnosis.diagnoser import name_mistake
from autograder.reports.html_report import render_report_as_html
from autograder.reports.markdown_report import render_report_as_markdown
from autograder.reports.report_model import filter_report_for_student
from autograder.reports.terminal_report import render_report_as_plain_text
from tests.reports.sample import SUSPECT, a_report, repaired

CODE = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"\w+(?:\(\))?")


@pytest.fixture(scope="module")
def catalogue(course: Course) -> list[Misconception]:
    """Every misconception of the course."""
    return [
        one for assignment in course.assignments for one in load_misconception_catalogue(assignment).misconceptions
    ]


def list_given_away(misconception: Misconception, text: str) -> list[str]:
    """The pieces of code in a text that the right program has where this one has something else; names are none."""
    right = "".join("".join(edit.old for edit in misconception.edits).split())
    wrong = "".join("".join(edit.new for edit in misconception.edits).split())
    pieces = ("".join(span.split()) for span in CODE.findall(text))
    return [piece for piece in pieces if piece in right and piece not in wrong and not NAME.fullmatch(piece)]


def test_no_text_below_the_change_has_a_piece_of_the_right_code(catalogue: list[Misconception]) -> None:
    for misconception in catalogue:
        told = name_mistake(misconception).limit_to_level("kind")
        for text in (told.title, told.whole_explanation, *told.ladder):
            assert list_given_away(misconception, text) == [], f"{misconception.id}: {text}"


def test_each_level_shows_what_those_before_it_show_and_the_last_shows_all(catalogue: list[Misconception]) -> None:
    for misconception in catalogue:
        whole = name_mistake(misconception)
        levels = [whole.limit_to_level(level) for level in REPAIR_LEVELS]
        shown = [{one.title, one.explanation, one.origin, *one.ladder} - {""} for one in levels]
        assert all(lower <= higher for lower, higher in itertools.pairwise(shown))
        assert levels[-1] == whole
        assert whole.explanation, f"{misconception.id}: say what the program does"
        words = " ".join(misconception.explanation.split())
        assert sorted(whole.whole_explanation.split()) == sorted(words.split())


@pytest.mark.parametrize("level", REPAIR_LEVELS)
def test_every_view_of_a_student_keeps_to_the_level(level: RepairLevel) -> None:
    report = filter_report_for_student(repaired(a_report(), level=level), "published")
    views = (render_report_as_plain_text, render_report_as_html, render_report_as_markdown)
    for text in (view(report).replace("\\", "") for view in views):  # Markdown escapes what it may
        assert (SUSPECT.hints[1] in text) == (level in ("line", "kind", "change"))
        assert (SUSPECT.origin in text) == (level in ("kind", "change"))
        assert ("Add:" in text) == (level == "change")
        assert ("line 31" in text) == (level in ("line", "kind", "change"))
        assert ("out.grad" in text) == (level == "change")
