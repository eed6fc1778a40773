"""Find an assignment's column in a table that a platform exported, and compute its cells from results."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.csv_sheet import EditableCsv
from autograder.english_wording import format_count, join_with_and
from autograder.faults import CallerFault
from autograder.file_name_collisions import make_file_name_collision_key
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


def compute_grade_column_update(
    sheet: EditableCsv, column: GradeColumn, results: ClassResults, max_points: float, options: ExportOptions
) -> GradeColumnUpdate:
    """Compute the cells of a column from the results that count; write nothing yet."""
    header, *rows = sheet.rows
    cells = {index: row.cells for index, row in enumerate(rows, start=1) if any(cell.strip() for cell in row.cells)}
    old_cells = {index: row[column.index].strip() if column.index < len(row) else "" for index, row in cells.items()}
    uses_decimal_comma = any(COMMA.fullmatch(cell) for cell in old_cells.values())
    matches, unmatched = _match_rows(results, StudentRowIndex(header.cells, cells), sheet.name)
    new_cells, changes, above_count = {}, [], 0
    student_ids = {row: _get_student_identifier(header.cells, cells[row]) for row in matches}
    place_key = column.id or column.title
    decimals = infer_shown_decimals(
        old_cells.values(),
        (
            (old_cells[row], last_mark.after)
            for row, student_id in student_ids.items()
            if (last_mark := options.written.get(("mark", place_key, student_id)))
        ),
    )
    for row, (student, result) in matches.items():
        score = float(rescale_points(result.points, results.max_points, max_points))
        above_count += score > max_points
        new_cell = format_points(score).replace(".", "," if uses_decimal_comma else ".")
        if make_file_name_collision_key(old_cells[row]) in LEFT_ALONE:
            changes.append(ExportChange(student, old_cells[row], old_cells[row], "excused; left unchanged"))
        elif _parse_points_or_text(old_cells[row]) == _parse_points_or_text(new_cell):
            changes.append(ExportChange(student, old_cells[row], old_cells[row]))
        else:
            old_mark = "" if UNGRADED_CELL.fullmatch(old_cells[row]) else old_cells[row]
            change = ExportChange(
                student,
                old_mark,
                new_cell,
                id=student_ids[row],
                place=place_key,
                submission=result.name,
                decimals=decimals,
            )
            changes.append(hold_back_if_manual_decision(change, options))
            if changes[-1].after == new_cell:
                new_cells[row] = new_cell
    students_without_result = tuple(
        escape_name_unambiguously(_get_student_identifier(header.cells, row))
        for index, row in cells.items()
        if index not in matches
    )
    full_marks = f"the {format_points(max_points)} points of the column"
    notes = (f"{format_count(above_count, 'score')} above {full_marks}",) if above_count else ()
    return GradeColumnUpdate(new_cells, tuple(changes), tuple(unmatched), students_without_result, notes)


def _match_rows(
    results: ClassResults, students: StudentRowIndex, table_name: str
) -> tuple[dict[int, tuple[str, SubmissionResult]], list[str]]:
    """Assign results to rows; add a sentence for each student without a row and each row with several results."""
    results_by_row: defaultdict[int, list[tuple[SubmissionResult, str]]] = defaultdict(list)
    unmatched = []
    for result in (result for result in results.rows if result.attempt_counts):
        for student, facts in iterate_student_identities(result):
            row, name = students.find_unique_row_number(facts), escape_name_unambiguously(student)
            if row is None:
                unmatched.append(
                    f"{escape_name_unambiguously(result.name)}: no row or several rows of {table_name} match {name}"
                )
            else:
                results_by_row[row].append((result, name))
    for row_results in results_by_row.values():
        if len({result.name for result, _ in row_results}) > 1:
            names = join_with_and([escape_name_unambiguously(result.name) for result, _ in row_results])
            unmatched.append(f"{names} all match {row_results[0][1]} in {table_name}; none was written")
    single_results = {
        row: row_results[0]
        for row, row_results in results_by_row.items()
        if len({result.name for result, _ in row_results}) == 1
    }
    return {row: (name, result) for row, (result, name) in single_results.items()}, unmatched


def _parse_points_or_text(cell: str) -> float | str:
    try:
        return round(float(cell.replace(",", ".")), 2)
    except ValueError:
        return cell


def _get_student_identifier(header: Sequence[str], row: Sequence[str]) -> str:
    """Return a word for a student: the login, or the row's first cell."""
    cells = {key.strip().casefold(): cell for key, cell in zip(header, row, strict=False)}
    return cells.get("username", row[0]).removeprefix("#") or row[0]
