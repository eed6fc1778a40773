"""Apply edits to the reference solution; say where one was meant that does not fit."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Annotated

from msgspec import Meta, Struct

from autograder.faults import CourseFault

FEWEST_ALIKE = 0.6
"""Of a piece's characters, those that stand in a line that may be meant."""


class SourceEdit(Struct, frozen=True, forbid_unknown_fields=True):
    """One piece of the reference solution, and what stands there instead."""

    old: Annotated[str, Meta(min_length=1)]
    """Occurs exactly once in the solution."""
    new: str


def apply_edits(solution_source: str, edits: Iterable[SourceEdit], owner_name: str) -> str:
    """Apply edits to the reference solution.

    Args:
        solution_source: the solution.
        edits: the edits, applied one after the other.
        owner_name: what they belong to, for errors.

    Raises:
        CourseFault: a piece to be replaced does not occur in it exactly once.
    """
    edited = solution_source
    for edit in edits:
        if edited.count(edit.old) != 1:
            what, advice = explain_unfitting_edit_with_advice(edit.old, edited, solution_source)
            raise CourseFault(what, where=owner_name, advice=advice)
        edited = edited.replace(edit.old, edit.new)
    return edited


def explain_unfitting_edit_with_advice(
    searched_text: str, edited_solution: str, original_solution: str
) -> tuple[str, str]:
    """Say why a piece cannot be replaced, and what to do.

    Args:
        searched_text: what an edit looks for.
        edited_solution: the solution after the edits before.
        original_solution: the solution itself.
    """
    count = edited_solution.count(searched_text)
    what = f"a piece to replace stands {count} times in the solution: {searched_text.strip()!r}"
    if count:
        return what, "make it longer, until it stands there once"
    if searched_text in original_solution:
        return f"{what}; an edit before it replaced that", "put the edits together"
    number, line = _find_nearest_line(searched_text, original_solution)
    if not number:
        return what, "mend it after a change of the solution"
    if not _list_lines_missing(searched_text, original_solution):
        return (
            f"{what}; its lines are there, first {line!r} in line {number}",
            "look at the indentation and the order",
        )
    return f"{what}; the nearest is line {number}: {line!r}", "copy it from there"


def _list_lines_missing(piece: str, solution: str) -> list[str]:
    return [line for line in piece.splitlines() if line.strip() and line.strip() not in solution]


def _find_nearest_line(piece: str, solution: str) -> tuple[int, str]:
    """Return the line most like the first line of a piece that the solution lacks; 0 where none is like it."""
    wanted = [*_list_lines_missing(piece, solution), *piece.split("\n")]
    first = next((line.strip() for line in wanted if line.strip()), "")
    best, found = FEWEST_ALIKE, (0, "")
    for number, line in enumerate(solution.splitlines(), start=1):
        blocks = SequenceMatcher(None, first, line.strip(), autojunk=False).get_matching_blocks()
        alike = sum(block.size for block in blocks if block.size > 1) / max(len(first), 1)
        if alike > best:
            best, found = alike, (number, line.strip())
    return found
