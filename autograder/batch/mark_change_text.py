"""Describe in words how a mark changes with a regrade, and why."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.batch.mark_changes import PointsAndBonus, SubmissionMarkComparison, TestResultChange
from autograder.reports.report_wording import format_points
from autograder.safe_text import escape_for_display, escape_name_unambiguously


def iterate_mark_change_reasons(change: SubmissionMarkComparison) -> Iterator[str]:
    """Yield by which concepts and tests a mark changed, and why the submission was graded again."""
    before, after = change.statuses_before_and_after
    if before != after:
        yield f"{before} -> {after}"
    if change.reason_to_run:
        yield f"all of it was graded again: {change.reason_to_run}"
    else:
        yield "no test was run again"
    for concept, points in change.concept_differences:
        yield f"{escape_for_display(concept, 80)} {_signed(points)}"
        yield from (f"  {_explain_test(test)}" for test in change.test_changes if test.concept == concept)


def format_mark_change_line(change: SubmissionMarkComparison) -> str:
    """Return the change of a mark as a line: ``ada: 88.57 -> 85.2, accumulation -3.37``."""
    bonus = change.before[1] != change.after[1]
    differences = [
        f", {escape_for_display(name, 80)} {_signed(points)}" for name, points in change.concept_differences
    ]
    before, after = (format_points_and_bonus(mark, with_bonus=bonus) for mark in (change.before, change.after))
    return f"{escape_name_unambiguously(change.submission_name)}: {before} -> {after}{''.join(differences)}"


def _explain_test(test: TestResultChange) -> str:
    outcome = test.after if test.before == test.after else f"{test.before} -> {test.after}"
    points = f", {_signed(test.difference)}" if test.difference else ""
    return f"{test.id}: {outcome}{points}"


def format_points_and_bonus(mark: PointsAndBonus, *, with_bonus: bool) -> str:
    """Return a mark as text: ``7.5``, or ``7.5 + 1 bonus``."""
    return f"{format_points(mark[0])} + {format_points(mark[1])} bonus" if with_bonus else format_points(mark[0])


def _signed(points: float) -> str:
    return f"{'-' if points < 0 else '+'}{format_points(abs(points))}"
