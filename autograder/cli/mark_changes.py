"""Describe the marks that a regrade changes, in lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograder.batch.mark_changes import MarkChange, MarkChanges, Marks, compare_marks
from autograder.batch.request import Regraded
from autograder.cli.batch_summary import format_count
from autograder.reports import ScoreReport
from autograder.reports.report_text import format_points
from autograder.safe_text import clean_name, clean_text


def describe_mark_changes(marks: MarkChanges, untouched: int, max_lines: int | None = None) -> Iterator[str]:
    """Yield the marks that change, lowered ones first.

    Args:
        marks: the marks of the submissions that were graded again.
        untouched: how many others have a mark.
        max_lines: how many of each kind are listed; all of them when None.
    """
    yield from _list("go down", "goes down", marks.lowered, max_lines)
    yield from _list("go up", "goes up", marks.raised, max_lines)
    stay = marks.unchanged_count + untouched
    yield f"{format_count(stay, 'mark')} {'stays as it is' if stay == 1 else 'stay as they are'}"


def explain_regrade(regraded: Regraded) -> Iterator[str]:
    """Yield what a regrade did to a submission; nothing if nothing about it changed."""
    earlier = {test.id: test for test in regraded.before.tests}
    tests = []
    for test in regraded.after.tests:
        was = earlier[test.id].outcome if test.id in earlier else "not there"
        if was != test.outcome:
            why = f" ({regraded.plan.tests[test.id]})" if test.id in regraded.plan.tests else ""
            tests.append(f"  {test.id}: {was} -> {test.outcome}{why}")
    gone = earlier.keys() - {test.id for test in regraded.after.tests}
    tests += [f"  {name}: {earlier[name].outcome} -> not there any more" for name in sorted(gone)]
    change = compare_marks(regraded)
    before, after = regraded.before.status.outcome, regraded.after.status.outcome
    if not (
        tests or change.concepts or _full_marks(regraded.before) != _full_marks(regraded.after) or before != after
    ):
        return
    yield format_mark_change(change)
    if before != after:
        yield f"  {before} -> {after}"
    if regraded.plan.everything:
        yield f"  all of it was graded again: {regraded.plan.everything}"
    elif not regraded.plan.tests:
        yield "  no test was run again"
    yield from tests


def format_mark_change(change: MarkChange) -> str:
    """Return the change of a mark as a line: ``ada: 88.57 -> 85.2, accumulation -3.37``."""
    bonus = change.before[1] != change.after[1]
    differences = [f", {clean_text(name, 80)} {_signed(points)}" for name, points in change.concepts]
    before, after = _points(change.before, bonus=bonus), _points(change.after, bonus=bonus)
    return f"{clean_name(change.name)}: {before} -> {after}{''.join(differences)}"


def _list(several: str, one: str, changes: Sequence[MarkChange], most: int | None) -> Iterator[str]:
    if not changes:
        return
    yield f"{format_count(len(changes), 'mark')} {one if len(changes) == 1 else several}:"
    shown = changes[:most]
    yield from (f"  {format_mark_change(change)}" for change in shown)
    if len(changes) > len(shown):
        yield f"  ... and {len(changes) - len(shown)} more"


def _points(marks: Marks, *, bonus: bool) -> str:
    return f"{format_points(marks[0])} + {format_points(marks[1])} bonus" if bonus else format_points(marks[0])


def _signed(points: float) -> str:
    return f"{'-' if points < 0 else '+'}{format_points(abs(points))}"


def _full_marks(report: ScoreReport) -> Marks:
    return report.max_score, report.bonus.max_score
