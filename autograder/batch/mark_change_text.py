"""Say in words how a mark changes with a regrade, and by what."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.batch.mark_changes import MarkChange, Marks, TestChange
from autograder.reports.report_text import format_points
from autograder.safe_text import clean_name, clean_text


def explain_mark_change(change: MarkChange) -> Iterator[str]:
    """Yield by which concepts and tests a mark changed, and why they were run again."""
    before, after = change.statuses
    if before != after:
        yield f"{before} -> {after}"
    if change.plan.everything:
        yield f"all of it was graded again: {change.plan.everything}"
    elif not change.plan.tests:
        yield "no test was run again"
    for concept, points in change.concepts:
        yield f"{clean_text(concept, 80)} {_signed(points)}"
        yield from (f"  {_explain_test(test)}" for test in change.tests if test.concept == concept)


def format_mark_change(change: MarkChange) -> str:
    """Return the change of a mark as a line: ``ada: 88.57 -> 85.2, accumulation -3.37``."""
    bonus = change.before[1] != change.after[1]
    differences = [f", {clean_text(name, 80)} {_signed(points)}" for name, points in change.concepts]
    before, after = _points(change.before, bonus=bonus), _points(change.after, bonus=bonus)
    return f"{clean_name(change.name)}: {before} -> {after}{''.join(differences)}"


def _explain_test(test: TestChange) -> str:
    outcome = test.after if test.before == test.after else f"{test.before} -> {test.after}"
    points = f", {_signed(test.difference)}" if test.difference else ""
    why = f" ({clean_text(test.why, 200)})" if test.why else ""
    return f"{test.id}: {outcome}{points}{why}"


def _points(marks: Marks, *, bonus: bool) -> str:
    return f"{format_points(marks[0])} + {format_points(marks[1])} bonus" if bonus else format_points(marks[0])


def _signed(points: float) -> str:
    return f"{'-' if points < 0 else '+'}{format_points(abs(points))}"
