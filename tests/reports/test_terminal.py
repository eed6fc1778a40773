"""A report on a terminal: points, what happened and what to try, each thing once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

from msgspec import structs
from rich.console import Console

from autograder.course.deadline_rules import DeadlineRules, LatePolicy
from autograder.grading import Grader
from autograder.lateness import apply_lateness, compute_lateness_or_none
from autograder.reports import make_score_report
from autograder.reports.terminal_report import print_report, render_report_as_plain_text
from autograder.reports.wording import format_points
from tests.reports.sample import a_report, cause_of, named, provisional


def shown(grader: Grader, path: Path, width: int = 100) -> str:
    console = Console(file=StringIO(), width=width, markup=False, highlight=False)
    print_report(make_score_report(grader.grade(path), grader.assignment), console)
    output = console.file
    assert isinstance(output, StringIO)
    return output.getvalue()


def test_points_have_no_useless_fraction() -> None:
    assert [format_points(points) for points in (7.0, 7.5, 7.25, 0.0, 100.0)] == ["7", "7.5", "7.25", "0", "100"]


def test_a_right_engine_sees_its_points_and_nothing_to_do(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "complete.py")
    assert "100 of 100 points and 10 of 10 bonus points" in text
    assert "try:" not in text
    assert "✗" not in text


def test_a_wrong_engine_reads_what_happened_and_what_to_try(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "overwrites.py")
    assert "A sum adds to what its left operand has already." in text
    assert "failed: it had 10.0, and has -4.0 afterwards" in text
    assert "try: Use `+=` and not `=`" in text


def test_tests_that_fail_with_the_plain_one_of_their_concept_point_to_it_once(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "overwrites.py", width=200)
    assert text.count("try: First make this pass: A sum adds to what its left operand has already.") == 1
    assert "One of the two uses is lost" not in text


def test_tests_that_ended_alike_are_told_once(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "exits.py")
    assert "more tests" in text
    assert text.count("ended its process") < 6


def test_what_is_missing_is_one_line(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "untouched.py", width=200)
    assert "not written yet: `__init__`, `__add__`, `__mul__` (21 tests)" in text


def test_a_submission_that_cannot_be_graded_reads_why(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "syntax_error.py", width=300)
    assert "was never closed" in text
    assert "hand it in again" in text


# Causes, and what follows from them


def test_a_general_name_is_a_sentence_of_its_own() -> None:
    text = render_report_as_plain_text(
        named(a_report(), cause_of(title="`*` passes nothing on to its right operand."))
    )
    assert "  `*` passes nothing on to its right operand.  (accumulation)" in text


def test_core_and_bonus_are_told_apart() -> None:
    full = structs.replace(a_report(bonus=1.8), score=18.2)
    assert "18.2 of 20 points and 1.8 of 4 bonus points" in render_report_as_plain_text(full)


def test_a_provisional_result_says_so() -> None:
    assert "provisional" not in render_report_as_plain_text(a_report())
    assert "This result is provisional" in render_report_as_plain_text(provisional(a_report()))


# Lateness

DEADLINE = datetime(2025, 11, 21, 12, tzinfo=UTC)


def shown_late(grader: Grader, path: Path, late_by: timedelta) -> str:
    due = DeadlineRules(deadline=DEADLINE, late_policy=LatePolicy(percent_per_day=10.0, grace_minutes=5.0))
    report = make_score_report(grader.grade(path), grader.assignment)
    console = Console(file=StringIO(), width=200, markup=False, highlight=False)
    print_report(apply_lateness(report, compute_lateness_or_none(due, "ada", DEADLINE + late_by)), console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_where_nothing_was_reached_lateness_counts_no_points(grader: Grader, tmp_path: Path) -> None:
    (tmp_path / "value.py").write_text("class Value: ...\n", encoding="utf-8")
    lines = shown_late(grader, tmp_path / "value.py", timedelta(hours=1)).splitlines()
    assert lines[1].strip().startswith("Handed in 1 hour after the deadline")


def test_what_lateness_takes_off_is_one_line_below_the_points(grader: Grader, root: Path) -> None:
    lines = shown_late(grader, root / "examples" / "submissions" / "complete.py", timedelta(hours=1)).splitlines()
    assert "100 of 100 points and 10 of 10 bonus points" in lines[0]
    assert lines[1].strip() == "All of it holds."
    assert lines[2].strip() == (
        "90 of the 100 points and 9 of the 10 bonus points count. Handed in 1 hour after the deadline, "
        "2025-11-21 12:00 UTC: 10 % is taken off (1 day begun, 10 % each)."
    )


def test_within_the_time_of_grace_it_is_told_that_nothing_is_taken_off(grader: Grader, root: Path) -> None:
    text = shown_late(grader, root / "examples" / "submissions" / "complete.py", timedelta(minutes=1))
    assert "within the time of grace: nothing is taken off" in text
    assert "count." not in text


def test_of_what_is_in_time_nothing_is_said(grader: Grader, root: Path) -> None:
    assert "Handed in" not in shown_late(grader, root / "examples" / "submissions" / "complete.py", timedelta(0))
