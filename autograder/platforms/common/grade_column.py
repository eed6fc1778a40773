"""Find an assignment's column in a table that a platform exported, and compute its cells from results."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.csv_sheet import EditableCsv
from autograder.faults import CallerFault
from autograder.file_name_collisions import make_file_name_collision_key
from autograder.list_and_count_wording import format_count, join_with_and
from autograder.platforms.common.export_points import rescale_points
from autograder.platforms.common.manual_mark_protection import hold_back_if_manual_decision
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    SubmissionResult,
)
from autograder.platforms.common.shown_decimals import infer_shown_decimals
from autograder.platforms.common.student_row_index import StudentRowIndex, iterate_student_identities
from autograder.reports.report_wording import format_points
from autograder.safe_text import escape_for_display, escape_name_unambiguously

COMMA = re.compile(r"\d+,\d+")
LEFT_ALONE = frozenset({"ex", "excused", "exempt"})
"""Words that a teacher may write in place of a grade; such cells are never replaced."""
UNGRADED_CELL = re.compile(r"(?:needs grading|in progress)\b.*|-", re.I)
"""Text that a platform writes in cells without a grade."""


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


@dataclass(frozen=True, slots=True)
class GradeColumnUpdate:
    """The cells of a column that a class's results change, with notes about them."""

    cell_by_row: Mapping[int, str]
    """The cells that change, by row."""
    changes: tuple[ExportChange, ...]
    unmatched_submissions: tuple[str, ...]
    students_without_result: tuple[str, ...]
    notes: tuple[str, ...]


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
    found = (
        _list_columns_as_wished(columns, wanted_title_or_id)
        if wanted_title_or_id
        else _list_columns_with_name(columns, names)
    )
    if len(found) == 1:
        return found[0]
    wanted = " or ".join(
        f"'{escape_for_display(name, 80)}'"
        for name in ([wanted_title_or_id] if wanted_title_or_id else dict.fromkeys(names))
    )
    seen = ", ".join(f"'{escape_for_display(one.title, 80)}'" for one in (found or columns)[:8]) or "none"
    why = f"the table has {'several columns' if found else 'no column'} for {wanted}"
    raise CallerFault(why, table_description, f"name one with --set column=...; columns with grades: {seen}")


def _list_columns_as_wished(columns: Sequence[GradeColumn], wish: str) -> list[GradeColumn]:
    """Return the columns with this id, or else with this name, or else with this name in other capitals."""
    by_id = [one for one in columns if one.id and one.id == wish.strip()]
    exact = [one for one in columns if wish in (one.title, *one.title_forms)]
    return (
        by_id
        or exact
        or [
            one
            for one in columns
            if make_file_name_collision_key(wish) in map(make_file_name_collision_key, (one.title, *one.title_forms))
        ]
    )


def _list_columns_with_name(columns: Sequence[GradeColumn], names: Sequence[str]) -> list[GradeColumn]:
    """Return the columns whose title contains one of these names, with any signs between the words."""
    wanted = [words for name in names if (words := _words(name))]
    return [one for one in columns if any(words in _words(one.title) for words in wanted)]


def _words(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.replace("_", " ").casefold()))


def compute_grade_column_update(
    sheet: EditableCsv, column: GradeColumn, results: ClassResults, max_points: float, options: ExportOptions
) -> GradeColumnUpdate:
    """Compute the cells of a column from a class's results; write nothing yet.

    Args:
        sheet: the table; its first row is the header.
        column: the one to fill.
        results: scores; attempts that do not count are left out.
        max_points: full marks in the column.
        options: holds what the kit wrote last.
    """
    header, *rows = sheet.rows
    cells = {index: row.cells for index, row in enumerate(rows, start=1) if any(cell.strip() for cell in row.cells)}
    before = {index: row[column.index].strip() if column.index < len(row) else "" for index, row in cells.items()}
    comma = any(COMMA.fullmatch(cell) for cell in before.values())
    placed, unmatched = _match_rows(results, StudentRowIndex(header.cells, cells), sheet.name)
    written, changes, above = {}, [], 0
    ids = {row: _describe_student(header.cells, cells[row]) for row in placed}
    place = column.id or column.title
    decimals = infer_shown_decimals(
        before.values(),
        (
            (before[row], last.after)
            for row, id_ in ids.items()
            if (last := options.written.get(("mark", place, id_)))
        ),
    )
    for row, (student, result) in placed.items():
        score = float(rescale_points(result.points, results.max_points, max_points))
        above += score > max_points
        after = format_points(score).replace(".", "," if comma else ".")
        if make_file_name_collision_key(before[row]) in LEFT_ALONE:
            changes.append(ExportChange(student, before[row], before[row], "excused; left unchanged"))
        elif _points(before[row]) == _points(after):
            changes.append(ExportChange(student, before[row], before[row]))
        else:
            old = "" if UNGRADED_CELL.fullmatch(before[row]) else before[row]
            change = ExportChange(
                student, old, after, id=ids[row], place=place, submission=result.name, decimals=decimals
            )
            changes.append(hold_back_if_manual_decision(change, options))
            if changes[-1].after == after:
                written[row] = after
    missing = tuple(
        escape_name_unambiguously(_describe_student(header.cells, row))
        for index, row in cells.items()
        if index not in placed
    )
    full = f"the {format_points(max_points)} points of the column"
    notes = (f"{format_count(above, 'score')} above {full}",) if above else ()
    return GradeColumnUpdate(written, tuple(changes), tuple(unmatched), missing, notes)


def _match_rows(
    results: ClassResults, students: StudentRowIndex, table: str
) -> tuple[dict[int, tuple[str, SubmissionResult]], list[str]]:
    """Assign results to rows; add a sentence for each student without a row and each row with several results."""
    claims: defaultdict[int, list[tuple[SubmissionResult, str]]] = defaultdict(list)
    unmatched = []
    for result in (one for one in results.rows if one.attempt_counts):
        for student, known in iterate_student_identities(result):
            row, name = students.find_unique_row_number(known), escape_name_unambiguously(student)
            if row is None:
                unmatched.append(
                    f"{escape_name_unambiguously(result.name)}: no row or several rows of {table} match {name}"
                )
            else:
                claims[row].append((result, name))
    for several in claims.values():
        if len({result.name for result, _ in several}) > 1:
            names = join_with_and([escape_name_unambiguously(result.name) for result, _ in several])
            unmatched.append(f"{names} all match {several[0][1]} in {table}; none was written")
    alone = {row: found[0] for row, found in claims.items() if len({result.name for result, _ in found}) == 1}
    return {row: (name, result) for row, (result, name) in alone.items()}, unmatched


def _points(cell: str) -> float | str:
    try:
        return round(float(cell.replace(",", ".")), 2)
    except ValueError:
        return cell


def _describe_student(header: Sequence[str], row: Sequence[str]) -> str:
    """Return a word for a student: the login, or the row's first cell."""
    cells = {key.strip().casefold(): cell for key, cell in zip(header, row, strict=False)}
    return cells.get("username", row[0]).removeprefix("#") or row[0]
