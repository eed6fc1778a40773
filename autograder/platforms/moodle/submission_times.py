"""Read submission times from the offline grading worksheet: the download itself has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo

from autograder.course.deadline_rules import InvalidTime, parse_time
from autograder.faults import CallerFault
from autograder.lateness.submission_times import COLUMNS, MAX_TIME_IN_FUTURE
from autograder.platforms.moodle.dates import OTHER_TABLE_ADVICE, parse_date_columns
from autograder.platforms.moodle.worksheet_columns import (
    NUMBERED,
    are_all_dates_or_dashes,
    identify_worksheet_columns,
    require_participant_rows,
)
from autograder.platforms.moodle.worksheet_students import WorksheetStudent, WorksheetStudentIndex
from autograder.submissions.origin import SubmissionOrigin
from autograder.tables import EditableCsv, SheetRow
from autograder.text import escape_for_display, format_abbreviated_list

NARROWEST = 7
"""Columns of a worksheet where names are hidden, and nothing is typed."""
HEADER = "last modified (submission)"
"""In English. In other languages, it is known by its place."""


def looks_like_grading_worksheet(sheet: EditableCsv) -> bool:
    """Return whether a table has the shape of a worksheet: wide, and every row begins with one word and a number.

    A table with one of the columns of the kit's own table of submission times is none.

    In English there is a space between the two, in most languages none: ``Participant 7``, ``Teilnehmer/in7``.
    """
    rows = [row for row in sheet.rows[1:] if any(map(str.strip, row.cells))]
    starts = [NUMBERED.fullmatch(row.cells[0]) for row in rows]
    words = {match[1] for match in starts if match and match[1].strip()}
    header = {cell.strip().casefold() for cell in sheet.rows[0].cells}
    is_wide = len(sheet.rows[0].cells) >= NARROWEST
    return all(starts) and len(words) == 1 and is_wide and not header.intersection(COLUMNS)


def read_worksheet_times(
    sheet: EditableCsv,
    origin_by_submission: Mapping[str, SubmissionOrigin | None],
    default_zone: tzinfo | None,
    now: datetime,
    show_message: Callable[[str], None],
) -> dict[str, datetime]:
    """Return when submissions were handed in, to the minute; the minute counts as just begun.

    Args:
        sheet: the worksheet, as Moodle gave it.
        origin_by_submission: where each came from, by its name.
        default_zone: the time zone of the worksheet's clock, which the worksheet does not state.
        now: the present; later times lie in the future.
        show_message: receives what staff should know: the zone, and the students whose time or submission is missing.

    Raises:
        CallerFault: a time cannot be read for sure; the message names the line.
    """
    if default_zone is None:
        raise CallerFault(
            "the worksheet's times have no time zone", sheet.name, "name it in grading.yml: `timezone: Europe/Berlin`"
        )
    rows = require_participant_rows(sheet)
    column, students = _find_time_column(sheet, rows, origin_by_submission.values())
    time_by_row = _parse_time_by_row(sheet.name, column, students.all, default_zone, now)
    rows_by_submission = {
        name: students.find_students_of_origin(origin) or () for name, origin in origin_by_submission.items()
    }
    findings = {name: _find_time_of_rows(found, time_by_row) for name, found in rows_by_submission.items()}
    if findings and all(problem == NO_ROW for problem in findings.values()):
        advice = "name that of these submissions: is this the worksheet of another course or assignment?"
        raise CallerFault("none of the submissions is in the worksheet", sheet.name, advice)
    rows_with_submission = {student.row_index for found in rows_by_submission.values() for student in found}
    idle_students = [
        student.label for student in students.all if student.row_index in time_by_row.keys() - rows_with_submission
    ]
    show_message(
        f"submission times of {escape_for_display(sheet.name, 80)} are read in the time zone {default_zone}, "
        "which must be the zone that Moodle shows to you"
    )
    if untimed_submissions := [
        f"{name} ({problem})" for name, problem in findings.items() if isinstance(problem, str)
    ]:
        show_message(
            f"no time in {escape_for_display(sheet.name, 80)}, so never late: "
            f"{format_abbreviated_list(untimed_submissions)}"
        )
    if idle_students:
        show_message(
            f"{escape_for_display(sheet.name, 80)} has times for students without a submission here: "
            f"{format_abbreviated_list(idle_students)}"
        )
    return {name: moment for name, moment in findings.items() if isinstance(moment, datetime)}


def _find_time_column(
    sheet: EditableCsv, rows: Sequence[tuple[int, SheetRow]], origins: Iterable[SubmissionOrigin | None]
) -> tuple[int, WorksheetStudentIndex]:
    """Return the column of submission times, and the students whose rows the worksheet has.

    Raises:
        CallerFault: the column cannot be found for sure.
    """
    header = [cell.strip().casefold() for cell in sheet.rows[0].cells]
    try:
        columns = identify_worksheet_columns(sheet, [row for _, row in rows], {})
    except CallerFault as fault:
        raise CallerFault(f"cannot find submission times: {fault.what}", fault.where, OTHER_TABLE_ADVICE) from fault
    students = WorksheetStudentIndex(rows, sheet.rows[0].cells, columns, origins)
    if HEADER in header:
        return header.index(HEADER), students
    cells = [[student.row.cells[column] for student in students.all] for column in range(columns.width)]
    columns_after_max_grade = range(columns.max_grade + 2 if columns.max_grade else columns.width, columns.width)
    date_columns = [column for column in columns_after_max_grade if are_all_dates_or_dashes(cells[column])]
    cells_between = [
        cell
        for column_cells in cells[columns_after_max_grade.start - 1 : min(date_columns, default=0)]
        for cell in column_cells
    ]
    # the second column of dates is when grades were changed
    if len(date_columns) < 2 or any(map(str.isdigit, "".join(cells_between))):
        raise CallerFault("cannot tell which column holds submission times", sheet.name, OTHER_TABLE_ADVICE)
    return date_columns[0], students


def _parse_time_by_row(
    sheet_name: str, column: int, students: Sequence[WorksheetStudent], zone: tzinfo, now: datetime
) -> dict[int, datetime]:
    """Return the moment in each row that has one, by the row's place."""
    time_by_row = {}
    for (row_index, _), (cell, moment) in parse_date_columns(sheet_name, students, column).items():
        shown = f"the time '{escape_for_display(cell.text, 80)}'"
        try:
            time_by_row[row_index] = parse_time(moment, zone)
        except InvalidTime as error:
            raise CallerFault(f"cannot read {shown}: {error}", cell.location, "check the time zone") from error
        if time_by_row[row_index].astimezone(UTC) > now + MAX_TIME_IN_FUTURE:
            raise CallerFault(f"{shown} lies in the future", cell.location, "check the time zone")
    return time_by_row


NO_ROW = "no row of this participant or team"


def _find_time_of_rows(rows: Sequence[WorksheetStudent], time_by_row: Mapping[int, datetime]) -> datetime | str:
    """Return when the submission of some rows was handed in, or why that is not known."""
    if not rows:
        return NO_ROW
    times = {time_by_row.get(student.row_index) for student in rows}
    if len(times) > 1:
        return "its rows have different times"
    return times.pop() or "no time in its row"
