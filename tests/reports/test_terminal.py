"""A report on a terminal: points, what happened and what to try, each thing once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

from rich.console import Console

from autograder.course.deadlines import Due, LatePolicy
from autograder.grading import Grader
from autograder.lateness import lateness_of, with_lateness
from autograder.reports import report_of
from autograder.reports.terminal import show
from autograder.reports.words import number


def shown(grader: Grader, path: Path, width: int = 100) -> str:
    console = Console(file=StringIO(), width=width, markup=False, highlight=False)
    show(report_of(grader.grade(path), grader.assignment), console)
    output = console.file
    assert isinstance(output, StringIO)
    return output.getvalue()


def test_points_have_no_useless_fraction() -> None:
    assert [number(points) for points in (7.0, 7.5, 7.25, 0.0, 100.0)] == ["7", "7.5", "7.25", "0", "100"]


def test_a_right_engine_sees_its_points_and_nothing_to_do(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "complete.py")
    assert "100 of 100  + 10 of 10 bonus" in text
    assert "try:" not in text
    assert "✗" not in text


def test_a_wrong_engine_reads_what_happened_and_what_to_try(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "overwrites.py")
    assert "`b = a + a` makes the gradient of a twice that of b." in text
    assert "failed: a.grad is 1.0" in text
    assert "try: Use `+=` and not `=`" in text


def test_tests_that_ended_alike_are_told_once(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "exits.py")
    assert "more tests" in text
    assert text.count("ended its process") < 6


def test_what_is_missing_is_one_line(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "untouched.py", width=200)
    assert "not written yet: `__init__`, `__add__`, `__mul__` (18 tests)" in text


def test_a_submission_that_cannot_be_graded_reads_why(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "syntax_error.py", width=300)
    assert "was never closed" in text
    assert "hand it in again" in text


# Lateness

DEADLINE = datetime(2025, 11, 21, 12, tzinfo=UTC)


def shown_late(grader: Grader, path: Path, late_by: timedelta) -> str:
    due = Due(deadline=DEADLINE, late=LatePolicy(percent_per_day=10.0, grace_minutes=5.0))
    report = report_of(grader.grade(path), grader.assignment)
    console = Console(file=StringIO(), width=200, markup=False, highlight=False)
    show(with_lateness(report, lateness_of(due, "ada", DEADLINE + late_by)), console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_what_lateness_takes_off_is_one_line_below_the_points(grader: Grader, root: Path) -> None:
    lines = shown_late(grader, root / "examples" / "submissions" / "complete.py", timedelta(hours=1)).splitlines()
    assert "100 of 100  + 10 of 10 bonus" in lines[0]
    assert lines[1].strip() == (
        "90 + 9 of the 100 + 10 points count. Handed in 1 hour after the deadline, 2025-11-21 12:00 UTC: "
        "10 % is taken off (1 day begun, 10 % each)."
    )


def test_within_the_time_of_grace_it_is_told_that_nothing_is_taken_off(grader: Grader, root: Path) -> None:
    text = shown_late(grader, root / "examples" / "submissions" / "complete.py", timedelta(minutes=1))
    assert "within the time of grace: nothing is taken off" in text
    assert "count." not in text


def test_of_what_is_in_time_nothing_is_said(grader: Grader, root: Path) -> None:
    assert "Handed in" not in shown_late(grader, root / "examples" / "submissions" / "complete.py", timedelta(0))
