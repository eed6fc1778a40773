"""Describe the marks that a regrade changes, in lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograder.batch.marks import MarkChange, MarkChanges, Marks, mark_change
from autograder.batch.request import Regraded
from autograder.cli.summary import count
from autograder.reports import ScoreReport
from autograder.reports.words import number
from autograder.text import clean, clean_name


def told_of_marks(marks: MarkChanges, untouched: int, most: int | None = None) -> Iterator[str]:
    """Yield the marks that change, lowered ones first.

    Args:
        marks: the marks of the submissions that were graded again.
        untouched: how many others have a mark.
        most: how many of each kind are listed; all of them when None.
    """
    yield from _list("go down", "goes down", marks.lowered, most)
    yield from _list("go up", "goes up", marks.raised, most)
    stay = marks.stay + untouched
    yield f"{count(stay, 'mark')} {'stays as it is' if stay == 1 else 'stay as they are'}"


def explained(one: Regraded) -> Iterator[str]:
    """Yield what a regrade did to a submission; nothing if nothing about it changed."""
    earlier = {test.id: test for test in one.before.tests}
    tests = []
    for test in one.after.tests:
        was = earlier[test.id].outcome if test.id in earlier else "not there"
        if was != test.outcome:
            why = f" ({one.plan.tests[test.id]})" if test.id in one.plan.tests else ""
            tests.append(f"  {test.id}: {was} -> {test.outcome}{why}")
    gone = earlier.keys() - {test.id for test in one.after.tests}
    tests += [f"  {name}: {earlier[name].outcome} -> not there any more" for name in sorted(gone)]
    change = mark_change(one)
    before, after = one.before.status.outcome, one.after.status.outcome
    if not (tests or change.concepts or _full_marks(one.before) != _full_marks(one.after) or before != after):
        return
    yield line_of(change)
    if before != after:
        yield f"  {before} -> {after}"
    if one.plan.everything:
        yield f"  all of it was graded again: {one.plan.everything}"
    elif not one.plan.tests:
        yield "  no test was run again"
    yield from tests


def line_of(change: MarkChange) -> str:
    """Return the change of a mark as a line: ``ada: 88.57 -> 85.2, accumulation -3.37``."""
    bonus = change.before[1] != change.after[1]
    differences = [f", {clean(name, 80)} {_signed(points)}" for name, points in change.concepts]
    before, after = _points(change.before, bonus=bonus), _points(change.after, bonus=bonus)
    return f"{clean_name(change.name)}: {before} -> {after}{''.join(differences)}"


def _list(several: str, one: str, changes: Sequence[MarkChange], most: int | None) -> Iterator[str]:
    if not changes:
        return
    yield f"{count(len(changes), 'mark')} {one if len(changes) == 1 else several}:"
    shown = changes[:most]
    yield from (f"  {line_of(change)}" for change in shown)
    if len(changes) > len(shown):
        yield f"  ... and {len(changes) - len(shown)} more"


def _points(marks: Marks, *, bonus: bool) -> str:
    return f"{number(marks[0])} + {number(marks[1])} bonus" if bonus else number(marks[0])


def _signed(points: float) -> str:
    return f"{'-' if points < 0 else '+'}{number(abs(points))}"


def _full_marks(report: ScoreReport) -> Marks:
    return report.max_score, report.bonus.max_score
