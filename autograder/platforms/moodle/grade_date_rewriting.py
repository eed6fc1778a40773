"""Write the dates of grades so that Moodle can read them back.

Moodle skips a row if the grade in Moodle is newer than the worksheet says. Moodle reads that date with PHP's
strtotime, which knows only English, and treats any other date as missing: then every row with a grade counts as
outdated. Moodle also reads the date in the server's time zone, although it is written in the teacher's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from autograder.csv_sheet import EditableCsv
from autograder.faults import CallerFault
from autograder.platforms.moodle.date_column import DateCell, parse_unambiguous_dates
from autograder.platforms.moodle.worksheet_column_detection import WorksheetColumns, are_all_dates_or_dashes
from autograder.platforms.moodle.worksheet_students import WorksheetStudent

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
    good = ZONED if zone_name else READABLE
    marked = [one for one in students_to_import if _is_marked(one, columns)]
    unread = [one for one in marked if not good.fullmatch(_get_grade_date(one, columns))]
    dated = [one for one in unread if _has_grade_date(one, columns)]
    moments = _moments(sheet.name, columns, [*all_students]) if dated else {}
    for one in dated:
        if moment := moments.get(one.row_index):
            assert columns.grade_date is not None  # it is dated
            sheet.set_cell(one.row_index, columns.grade_date, f"{moment} {zone_name}".rstrip())
    return sum(one.row_index not in moments for one in unread)


def _require_zone(zone: str) -> None:
    try:
        if zone:
            ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise CallerFault(
            f"unknown time zone '{zone}'", "--set timezone", "name one such as Europe/Berlin"
        ) from error


def mark_rows_to_skip(
    sheet: EditableCsv, columns: WorksheetColumns, students_to_skip: Iterable[WorksheetStudent]
) -> None:
    """Make Moodle skip rows: it takes no row that holds a grade but says that the grade was never changed.

    Otherwise, Moodle would write each comment anew, and as plain text, although nothing in the row has changed.
    """
    for one in students_to_skip:
        if columns.grade_date is not None and _has_grade_date(one, columns):
            sheet.set_cell(one.row_index, columns.grade_date, NEVER)


def _has_grade_date(student: WorksheetStudent, columns: WorksheetColumns) -> bool:
    """Return whether the worksheet says when the grade was changed, in any language."""
    return bool(_get_grade_date(student, columns).strip(f" {NEVER}"))


def _is_marked(student: WorksheetStudent, columns: WorksheetColumns) -> bool:
    """Return whether Moodle has a grade or a comment for this student."""
    return bool(student.row.cells[columns.grade].strip()) or _has_grade_date(student, columns)


def _get_grade_date(student: WorksheetStudent, columns: WorksheetColumns) -> str:
    return student.row.cells[columns.grade_date] if columns.grade_date is not None else ""


def _moments(name: str, columns: WorksheetColumns, students: list[WorksheetStudent]) -> dict[int, str]:
    """Return the date of each row that has one, by its place; nothing at all if one cannot be read for sure.

    All columns of dates are read together: a single one may leave open whether its hours count to 12 or to 24.
    """
    assert columns.grade_date is not None  # a row is dated
    behind = [place for place in range(columns.grade + 1, columns.width) if place != columns.grade_date]
    others = [place for place in behind if are_all_dates_or_dashes([one.row.cells[place] for one in students])]
    cells = [(one, place) for place in (columns.grade_date, *others) for one in students]
    cells = [(one, place) for one, place in cells if one.row.cells[place].strip(f" {NEVER}")]
    try:
        found = parse_unambiguous_dates(
            [DateCell(f"{name}:{one.row.line}", one.row.cells[place]) for one, place in cells]
        )
    except CallerFault:
        return {}
    dates = zip(cells, found, strict=True)
    return {
        one.row_index: f"{moment:%Y-%m-%d %H:%M}" for (one, place), moment in dates if place == columns.grade_date
    }
