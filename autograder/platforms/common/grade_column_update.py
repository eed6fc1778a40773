"""Compute the cells of an assignment's column, in a table that a platform exported, from results."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from autograder.editable_csv import EditableCsv
from autograder.english_wording import format_count, join_with_and
from autograder.file_name_collisions import make_file_name_collision_key
from autograder.platforms.common.decimal_places_inference import infer_shown_decimals
from autograder.platforms.common.export_points import rescale_points
from autograder.platforms.common.grade_column import GradeColumn, choose_grade_column
from autograder.platforms.common.manual_mark_protection import protect_manual_entries
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    ExportResult,
    SubmissionResult,
)
from autograder.platforms.common.student_row_index import StudentRowIndex, iterate_member_identities
from autograder.reports.report_wording import format_points
from autograder.safe_text import escape_name_unambiguously

COMMA = re.compile(r"\d+,\d+")
LEFT_ALONE = frozenset({"ex", "excused", "exempt"})
"""Words that a teacher may write in place of a grade; such cells are never replaced."""
UNGRADED_CELL = re.compile(r"(?:needs grading|in progress)\b.*|-", re.I)
"""Text that a platform writes in cells without a grade."""


def compute_grade_column_update(
    sheet: EditableCsv, columns: Iterable[GradeColumn], results: ClassResults, options: ExportOptions
) -> tuple[int, Mapping[int, str], ExportResult]:
    """Compute the cells of the assignment's column from the results that count; write nothing yet.

    Returns:
        The column's place; the cells that change, by row; and the export that they make, without its files.

    Raises:
        CallerFault: not just one column is the assignment's.
    """
    column = choose_grade_column([*columns], options.settings.get("column", ""), results, sheet.name)
    max_points = column.max_points or options.max_points or results.max_points
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
            changes.append(protect_manual_entries(change, options))
            if changes[-1].after == new_cell:
                new_cells[row] = new_cell
    students_without_result = tuple(
        escape_name_unambiguously(_get_student_identifier(header.cells, row))
        for index, row in cells.items()
        if index not in matches
    )
    full_marks = f"the {format_points(max_points)} points of the column"
    notes = (f"{format_count(above_count, 'mark')} above {full_marks}",) if above_count else ()
    return column.index, new_cells, ExportResult({}, tuple(changes), tuple(unmatched), students_without_result, notes)


def _match_rows(
    results: ClassResults, students: StudentRowIndex, table_name: str
) -> tuple[dict[int, tuple[str, SubmissionResult]], list[str]]:
    """Assign results to rows; add a sentence for each student without a row and each row with several results."""
    results_by_row: defaultdict[int, list[tuple[SubmissionResult, str]]] = defaultdict(list)
    unmatched = []
    for result in (result for result in results.rows if result.attempt_counts):
        for student, facts in iterate_member_identities(result):
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
