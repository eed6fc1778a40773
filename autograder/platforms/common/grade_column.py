"""Find an assignment's column in a table that a platform exported."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.faults import CallerFault
from autograder.file_name_collisions import make_file_name_collision_key
from autograder.platforms.common.platform_model import ClassResults
from autograder.safe_text import escape_for_display


@dataclass(frozen=True, slots=True)
class GradeColumn:
    """A column with grades of one assignment."""

    index: int
    title: str
    """The assignment's title in the header."""
    title_forms: tuple[str, ...] = ()
    """Other forms of the title that a caller may use, such as the whole cell."""
    id: str = ""
    """The platform's; empty where the header does not say."""
    max_points: float | None = None
    """Full marks; None where the header does not say."""


def choose_grade_column(
    columns: Sequence[GradeColumn], wanted_title_or_id: str, results: ClassResults, table_description: str
) -> GradeColumn:
    """Find the column of the assignment.

    Args:
        columns: those that hold grades.
        wanted_title_or_id: what ``--set column=`` says: a title, an id, or the header's whole cell; empty for the one
            column whose title holds the assignment's title or name.
        results: the class's, which name the assignment.
        table_description: the file, for messages.

    Raises:
        CallerFault: no column fits, or several do.
    """
    names = [name for name in (results.title, results.assignment) if name]
    matching_columns = (
        _list_columns_by_title_or_id(columns, wanted_title_or_id)
        if wanted_title_or_id
        else _list_columns_with_name(columns, names)
    )
    if len(matching_columns) == 1:
        return matching_columns[0]
    wanted_titles = " or ".join(
        f"'{escape_for_display(name, 80)}'"
        for name in ([wanted_title_or_id] if wanted_title_or_id else dict.fromkeys(names))
    )
    shown_titles = (
        ", ".join(f"'{escape_for_display(column.title, 80)}'" for column in (matching_columns or columns)[:8])
        or "none"
    )
    problem = f"the table has {'several columns' if matching_columns else 'no column'} for {wanted_titles}"
    raise CallerFault(
        problem, table_description, f"name one with --set column=...; columns with grades: {shown_titles}"
    )


def _list_columns_by_title_or_id(columns: Sequence[GradeColumn], title_or_id: str) -> list[GradeColumn]:
    """Return the columns with this id, or else with this name, or else with this name in other capitals."""
    columns_by_id = [column for column in columns if column.id and column.id == title_or_id.strip()]
    exact_columns = [column for column in columns if title_or_id in (column.title, *column.title_forms)]
    return (
        columns_by_id
        or exact_columns
        or [
            column
            for column in columns
            if make_file_name_collision_key(title_or_id)
            in map(make_file_name_collision_key, (column.title, *column.title_forms))
        ]
    )


def _list_columns_with_name(columns: Sequence[GradeColumn], names: Sequence[str]) -> list[GradeColumn]:
    """Return the columns whose title contains one of these names, with any signs between the words."""
    wanted_words = [words for name in names if (words := _normalize_words(name))]
    return [column for column in columns if any(words in _normalize_words(column.title) for words in wanted_words)]


def _normalize_words(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.replace("_", " ").casefold()))
