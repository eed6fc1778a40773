"""Describe the marks that a regrade changes, in lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograder.batch.mark_change_text import format_mark_change_line, iterate_mark_change_reasons
from autograder.batch.mark_changes import ClassMarkComparison, SubmissionMarkComparison
from autograder.english_wording import choose_by_count, format_count


def iterate_mark_change_lines(
    mark_changes: ClassMarkComparison,
    marks_not_regraded_count: int,
    max_marks_per_direction: int | None = None,
    *,
    with_reasons: bool = False,
) -> Iterator[str]:
    """Yield the marks that change, lowered ones first.

    Args:
        mark_changes: the marks of the submissions that were graded again.
        marks_not_regraded_count: how many others have a mark.
        max_marks_per_direction: how many of each kind are listed; all of them when None.
        with_reasons: whether to say of each by which concepts and tests it changed.
    """
    yield from _format_changes(
        "go down", "goes down", mark_changes.lowered, max_marks_per_direction, explain=with_reasons
    )
    yield from _format_changes("go up", "goes up", mark_changes.raised, max_marks_per_direction, explain=with_reasons)
    unchanged_count = mark_changes.unchanged_count + marks_not_regraded_count
    verb_phrase = choose_by_count(unchanged_count, "stays as it is", "stay as they are")
    yield f"{format_count(unchanged_count, 'mark')} {verb_phrase}"


def _format_changes(
    plural: str, singular: str, changes: Sequence[SubmissionMarkComparison], max_count: int | None, *, explain: bool
) -> Iterator[str]:
    if not changes:
        return
    yield f"{format_count(len(changes), 'mark')} {choose_by_count(len(changes), singular, plural)}:"
    shown_changes = changes[:max_count]
    for change in shown_changes:
        yield f"  {format_mark_change_line(change)}"
        if explain:
            yield from (f"    {line}" for line in iterate_mark_change_reasons(change))
    if len(changes) > len(shown_changes):
        yield f"  ... and {len(changes) - len(shown_changes)} more"
