"""Write the dates of grades so that Moodle can read them back.

Moodle skips a row if the grade in Moodle is newer than the worksheet says. Moodle reads that date with PHP's
strtotime, which knows only English, and treats any other date as missing: then every row with a grade counts as
outdated. Moodle also reads the date in the server's time zone, although it is written in the teacher's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from autograder.editable_csv import EditableCsv
from autograder.faults import CallerFault
from autograder.platforms.moodle.date_column import RawDateCell, parse_unambiguous_dates
from autograder.platforms.moodle.worksheet_column_detection import WorksheetColumns, are_all_dates_or_dashes
from autograder.platforms.moodle.worksheet_student import WorksheetStudent

DAYS = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
READABLE_TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d"
READABLE = re.compile(DAYS + r", (?:\d{1,2} [A-Z][a-z]+|[A-Z][a-z]+ \d{1,2},) \d{4}, .*|" + READABLE_TIME)
"""Dates as Moodle writes them in English, and as they are written here."""
ZONED = re.compile(READABLE_TIME + r" [A-Z][\w+/-]+")
NEVER = "-"
"""What Moodle writes where there is no grade yet."""


def make_grade_dates_readable(
    sheet: EditableCsv,
    columns: WorksheetColumns,
    all_students: Iterable[WorksheetStudent],
    students_to_import: Iterable[WorksheetStudent],
    zone_name: str,
) -> int:
    """Rewrite when the grades of some rows were changed so that Moodle can read it; the time stays the same.

    Args:
        sheet: the worksheet; its cells are changed.
        columns: which of its columns is which.
        all_students: all rows.
        students_to_import: the rows that Moodle is to take.
        zone_name: the time zone of the worksheet's clock, such as ``Europe/Berlin``; empty if it is the server's.

    Returns:
        How many of ``students_to_import`` Moodle still treats as outdated, because the date cannot be read for sure.

    Raises:
        CallerFault: there is no such time zone.
    """
    _require_zone(zone_name)
    readable_pattern = ZONED if zone_name else READABLE
    marked_students = [student for student in students_to_import if _is_marked(student, columns)]
    unreadable_students = [
        student for student in marked_students if not readable_pattern.fullmatch(student.get_cell(columns.grade_date))
    ]
    dated_students = [student for student in unreadable_students if _has_grade_date(student, columns)]
    moments = _compute_date_by_row(sheet.name, columns, [*all_students]) if dated_students else {}
    for student in dated_students:
        if moment := moments.get(student.row_index):
            assert columns.grade_date is not None  # it is dated
            sheet.set_cell(student.row_index, columns.grade_date, f"{moment} {zone_name}".rstrip())
    return sum(student.row_index not in moments for student in unreadable_students)


def _require_zone(zone_name: str) -> None:
    try:
        if zone_name:
            ZoneInfo(zone_name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise CallerFault(
            f"unknown time zone '{zone_name}'", "--set timezone", "name one such as Europe/Berlin"
        ) from error


def mark_rows_to_skip(
    sheet: EditableCsv, columns: WorksheetColumns, students_to_skip: Iterable[WorksheetStudent]
) -> None:
    """Make Moodle skip rows: it takes no row that holds a grade but says that the grade was never changed.

    Otherwise, Moodle would write each comment anew, and as plain text, although nothing in the row has changed.
    """
    for student in students_to_skip:
        if columns.grade_date is not None and _has_grade_date(student, columns):
            sheet.set_cell(student.row_index, columns.grade_date, NEVER)


def _has_grade_date(student: WorksheetStudent, columns: WorksheetColumns) -> bool:
    """Return whether the worksheet says when the grade was changed, in any language."""
    return bool(student.get_cell(columns.grade_date).strip(f" {NEVER}"))


def _is_marked(student: WorksheetStudent, columns: WorksheetColumns) -> bool:
    """Return whether Moodle has a grade or a comment for this student."""
    return bool(student.row.cells[columns.grade].strip()) or _has_grade_date(student, columns)


def _compute_date_by_row(
    sheet_name: str, columns: WorksheetColumns, students: list[WorksheetStudent]
) -> dict[int, str]:
    """Return the date of each row that has one, by its place; nothing at all if one cannot be read for sure.

    All columns of dates are read together: a single one may leave open whether its hours count to 12 or to 24.
    """
    assert columns.grade_date is not None  # a row is dated
    columns_after_grade = [
        column for column in range(columns.grade + 1, columns.width) if column != columns.grade_date
    ]
    other_date_columns = [
        column
        for column in columns_after_grade
        if are_all_dates_or_dashes([student.row.cells[column] for student in students])
    ]
    cells = [(student, column) for column in (columns.grade_date, *other_date_columns) for student in students]
    cells = [(student, column) for student, column in cells if student.row.cells[column].strip(f" {NEVER}")]
    try:
        moments = parse_unambiguous_dates(
            [RawDateCell(f"{sheet_name}:{student.row.line}", student.row.cells[column]) for student, column in cells]
        )
    except CallerFault:
        return {}
    dated_cells = zip(cells, moments, strict=True)
    return {
        student.row_index: f"{moment:%Y-%m-%d %H:%M}"
        for (student, column), moment in dated_cells
        if column == columns.grade_date
    }
