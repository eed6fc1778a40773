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


def apply_edits(source: str, edits: Iterable[SourceEdit], where: str) -> str:
    """Apply edits to the reference solution.

    Args:
        source: the solution.
        edits: the edits, applied one after the other.
        where: what they belong to, for errors.

    Raises:
        CourseFault: a piece to be replaced does not occur in it exactly once.
    """
    edited = source
    for edit in edits:
        if edited.count(edit.old) != 1:
            what, advice = get_misfit_reason_and_advice(edit.old, edited, source)
            raise CourseFault(what, where=where, advice=advice)
        edited = edited.replace(edit.old, edit.new)
    return edited


def get_misfit_reason_and_advice(piece: str, edited: str, solution: str) -> tuple[str, str]:
    """Say why a piece cannot be replaced, and what to do.

    Args:
        piece: what an edit looks for.
        edited: the solution after the edits before.
        solution: the solution itself.
    """
    count = edited.count(piece)
    what = f"a piece to replace stands {count} times in the solution: {piece.strip()!r}"
    if count:
        return what, "make it longer, until it stands there once"
    if piece in solution:
        return f"{what}; an edit before it replaced that", "put the edits together"
    number, line = _find_nearest_line(piece, solution)
    if not number:
        return what, "mend it after a change of the solution"
    if not _list_lines_missing(piece, solution):
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
