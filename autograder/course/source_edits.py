"""Apply edits to the reference solution; if an edit does not fit, say which line was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Annotated

from msgspec import Meta, Struct

from autograder.faults import CourseFault

FEWEST_ALIKE = 0.7
"""The share of a searched line's names that a line must match to be proposed as the one that was meant."""
NEARLY_THE_SAME = 0.85
NAME = re.compile(r"\w+")


class SourceEdit(Struct, frozen=True, forbid_unknown_fields=True):
    """A piece of the reference solution, and the text that replaces it."""

    old: Annotated[str, Meta(min_length=1)]
    """The piece to replace; it must occur exactly once in the solution."""
    new: str


def apply_edits(solution_source: str, edits: Iterable[SourceEdit], owner_name: str) -> str:
    """Apply edits to the reference solution.

    Args:
        solution_source: the solution.
        edits: the edits, applied one after the other.
        owner_name: the name of what the edits belong to, for errors.

    Raises:
        CourseFault: a piece to be replaced does not occur exactly once in the solution at that point.
    """
    edited = solution_source
    for edit in edits:
        if edited.count(edit.old) != 1:
            problem, advice = explain_failed_edit(edit.old, edited, solution_source)
            raise CourseFault(problem, where=owner_name, advice=advice)
        edited = edited.replace(edit.old, edit.new)
    return edited


def explain_failed_edit(searched_text: str, edited_solution: str, original_solution: str) -> tuple[str, str]:
    """Return why a piece cannot be replaced, and what to do about it.

    Args:
        searched_text: the text that the edit looks for.
        edited_solution: the solution after all earlier edits.
        original_solution: the solution before any edit.
    """
    count = edited_solution.count(searched_text)
    problem = f"a piece to replace stands {count} times in the solution: {searched_text.strip()!r}"
    if count:
        return problem, "make it longer, until it stands there once"
    if searched_text in original_solution:
        return f"{problem}; an edit before it replaced that", "put the edits together"
    number, line = _find_nearest_line(searched_text, original_solution)
    if not number:
        return problem, "fix it after a change of the solution"
    if not _list_lines_missing(searched_text, original_solution):
        return (
            f"{problem}; its lines are there, first {line!r} in line {number}",
            "look at the indentation and the order",
        )
    return f"{problem}; the nearest is line {number}: {line!r}", "copy it from there"


def _list_lines_missing(piece: str, solution: str) -> list[str]:
    return [line for line in piece.splitlines() if line.strip() and line.strip() not in solution]


def _find_nearest_line(piece: str, solution: str) -> tuple[int, str]:
    """Return number and text of the solution's line that is most like the first missing line of a piece.

    The number is 0 if no line is alike enough. If no line of the piece is missing, its first non-empty line counts.
    """
    searched_lines = [*_list_lines_missing(piece, solution), *piece.split("\n")]
    searched_line = next((line.strip() for line in searched_lines if line.strip()), "")
    best_likeness, nearest = FEWEST_ALIKE, (0, "")
    for number, line in enumerate(solution.splitlines(), start=1):
        likeness = _compute_likeness(searched_line, line.strip())
        if likeness > best_likeness:
            best_likeness, nearest = likeness, (number, line.strip())
    return nearest


def _compute_likeness(searched_text: str, line: str) -> float:
    """Return how much of the wanted text is in a line in the same order, by whole names and numbers, from 0 to 1.

    Letters alone would make a long line like anything. They count where the two texts are nearly the same, as after a
    slip within a name.
    """
    words, line_words = NAME.findall(searched_text), NAME.findall(line)
    blocks = SequenceMatcher(None, words, line_words, autojunk=False).get_matching_blocks()
    common_length = sum(len("".join(words[block.a : block.a + block.size])) for block in blocks)
    by_letters = SequenceMatcher(None, searched_text, line, autojunk=False).ratio()
    return max(common_length / max(len("".join(words)), 1), by_letters if by_letters >= NEARLY_THE_SAME else 0.0)
