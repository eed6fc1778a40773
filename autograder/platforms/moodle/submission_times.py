"""Read submission times from the offline grading worksheet: the download itself has none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo

from autograder.course.deadline_rules import InvalidTime, parse_time
from autograder.faults import CallerFault
from autograder.lateness.submission_times import COLUMNS, MAX_TIME_IN_FUTURE
from autograder.platforms.moodle.worksheet_columns import (
    ENGLISH,
    NUMBERED,
    identify_worksheet_columns,
    require_participant_rows,
    try_parse_english_date,
)
from autograder.platforms.moodle.worksheet_students import WorksheetStudent, WorksheetStudentIndex
from autograder.submissions.origin import SubmissionOrigin
from autograder.tables import EditableCsv
from autograder.text import escape_for_display, format_abbreviated_list

NARROWEST = 7
"""Columns of a worksheet where names are hidden, and nothing is typed."""
HEADER = "last modified (submission)"
OTHER_TABLE = "give --submission-times a table with the columns submission, student and handed_in"


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
    columns = identify_worksheet_columns(sheet, [row for _, row in rows], {})
    students = WorksheetStudentIndex(rows, sheet.rows[0].cells, columns, origin_by_submission.values())
    time_by_row = _parse_time_by_row(sheet, students.all, default_zone, now)
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


def _parse_time_by_row(
    sheet: EditableCsv, students: Sequence[WorksheetStudent], zone: tzinfo, now: datetime
) -> dict[int, datetime]:
    """Return the moment in each row that has one, by the row's place.

    Raises:
        CallerFault: the worksheet is not in English, or a time is none.
    """
    header = [cell.strip().casefold() for cell in sheet.rows[0].cells]
    if HEADER not in header:
        raise CallerFault("submission times can only be read in English", sheet.name, f"{ENGLISH}; or {OTHER_TABLE}")
    time_by_row = {}
    for student in students:
        cell, location = student.row.cells[header.index(HEADER)], f"{sheet.name}:{student.row.line}"
        if not cell.strip(" -"):
            continue
        shown = f"the time '{escape_for_display(cell, 80)}'"
        moment = try_parse_english_date(cell)
        if moment is None:
            raise CallerFault(f"{shown} is not an English date", location, f"{ENGLISH}; or {OTHER_TABLE}")
        try:
            time_by_row[student.row_index] = parse_time(moment, zone)
        except InvalidTime as error:
            raise CallerFault(f"cannot read {shown}: {error}", location, "check the time zone") from error
        if time_by_row[student.row_index].astimezone(UTC) > now + MAX_TIME_IN_FUTURE:
            raise CallerFault(f"{shown} lies in the future", location, "check the time zone")
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
