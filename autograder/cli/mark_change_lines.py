"""Describe the marks that a regrade changes, in lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograder.batch.mark_change_text import format_mark_change_line, iterate_mark_change_reasons
from autograder.batch.mark_changes import FinalMarkComparison, FinalMarkComparisons
from autograder.cli.batch_summary_lines import format_count


def iterate_mark_change_lines(
    mark_changes: FinalMarkComparisons, untouched_count: int, max_lines: int | None = None, *, explain: bool = False
) -> Iterator[str]:
    """Yield the marks that change, lowered ones first.

    Args:
        mark_changes: the marks of the submissions that were graded again.
        untouched_count: how many others have a mark.
        max_lines: how many of each kind are listed; all of them when None.
        explain: whether to say of each by which concepts and tests it changed.
    """
    yield from _format_changes("go down", "goes down", mark_changes.lowered, max_lines, explain=explain)
    yield from _format_changes("go up", "goes up", mark_changes.raised, max_lines, explain=explain)
    stay = mark_changes.unchanged_count + untouched_count
    yield f"{format_count(stay, 'mark')} {'stays as it is' if stay == 1 else 'stay as they are'}"


def _format_changes(
    several: str, one: str, changes: Sequence[FinalMarkComparison], most: int | None, *, explain: bool
) -> Iterator[str]:
    if not changes:
        return
    yield f"{format_count(len(changes), 'mark')} {one if len(changes) == 1 else several}:"
    shown = changes[:most]
    for change in shown:
        yield f"  {format_mark_change_line(change)}"
        if explain:
            yield from (f"    {line}" for line in iterate_mark_change_reasons(change))
    if len(changes) > len(shown):
        yield f"  ... and {len(changes) - len(shown)} more"
