"""Read the students and times of submissions from a table.

File modification times are not used, since they change when files are copied.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from difflib import get_close_matches
from pathlib import Path

from autograder.course.time_format import InvalidTime, parse_time
from autograder.editable_csv import SEPARATORS
from autograder.english_wording import format_abbreviated_list
from autograder.faults import CallerFault, make_file_fault
from autograder.lateness.extension_selection import list_joined_students
from autograder.lateness.submission_times import SubmissionTime, SubmissionTimes
from autograder.safe_text import escape_for_display
from autograder.student_name_comparison import normalize_student_name_keeping_case

COLUMNS = ("submission", "student", "handed_in")
MAX_TIME_IN_FUTURE = timedelta(minutes=10)
"""How far in the future a time may lie, because clocks differ."""


def read_students_and_times(
    csv_path: Path,
    id_by_submission_name: Mapping[str, str],
    default_zone: tzinfo | None,
    now: datetime,
    show_message: Callable[[str], None] = lambda line: None,
) -> SubmissionTimes:
    """Read a CSV file with the columns ``submission``, ``student`` and ``handed_in``, in any order.

    Args:
        csv_path: the file: UTF-8, with commas, semicolons or tabs, as spreadsheets write it. Other columns are left
            out.
        id_by_submission_name: the id of every submission, by each name that the file may use.
        default_zone: the time zone of times without one.
        now: the present time; times clearly after it are refused.
        show_message: receives notes for the staff on rows whose submission is not in this batch, such as those of
            students who withdrew.

    Raises:
        CallerFault: the file cannot be read, lacks a column, names no submission of this batch or names one twice,
            names no student, or holds a time that is malformed or in the future; the message names the line.
    """
    rows: dict[str, SubmissionTime] = {}
    lines: dict[str, int] = {}
    unknown_names: dict[str, str] = {}
    for line, row in _iterate_rows(csv_path):
        location = f"{csv_path}:{line}"
        name, student = row["submission"], normalize_student_name_keeping_case(row["student"])
        submission = id_by_submission_name.get(name, id_by_submission_name.get(name.strip()))
        if submission is None:
            unknown_names.setdefault(name, location)
            continue
        if submission in rows:
            raise CallerFault(
                f"line {lines[submission]} has the submission '{escape_for_display(name, 80)}' already",
                location,
                "keep one of the lines",
            )
        if not student:
            raise CallerFault(
                f"the row of '{escape_for_display(name, 80)}' names no student",
                location,
                "fill in the column student",
            )
        rows[submission] = SubmissionTime(
            student,
            _parse_moment(row["handed_in"], default_zone, now, location),
            list_joined_students(student),
        )
        lines[submission] = line
    if unknown_names and not rows:
        name, location = next(iter(unknown_names.items()))
        raise CallerFault(
            f"unknown submission '{escape_for_display(name, 80)}'",
            location,
            _format_names(id_by_submission_name, name),
        )
    if unknown_names:
        names = format_abbreviated_list(
            [_format_with_near_name(name, id_by_submission_name) for name in unknown_names]
        )
        show_message(f"submission times without a submission (withdrawn, or spelled differently): {names}")
    return SubmissionTimes(rows)


def _parse_moment(text: str, zone: tzinfo | None, now: datetime, location: str) -> datetime:
    try:
        moment = parse_time(text, zone)
    except InvalidTime as error:
        raise CallerFault(
            f"cannot use handed_in: {escape_for_display(str(error), 120)}", location, error.advice
        ) from error
    if moment.astimezone(UTC) > now + MAX_TIME_IN_FUTURE:
        raise CallerFault(
            f"handed_in is in the future: {escape_for_display(text, 60)}", location, "check its time zone"
        )
    return moment


def _format_with_near_name(name: str, id_by_submission_name: Mapping[str, str]) -> str:
    near_names = get_close_matches(name, sorted(set(id_by_submission_name.values())), 1)
    return f"{name} (did you mean {near_names[0]}?)" if near_names else name


def _format_names(id_by_submission_name: Mapping[str, str], unknown_name: str) -> str:
    """Return a phrase with names of submissions: those similar to an unknown name, or else the first ones."""
    names = sorted(set(id_by_submission_name.values()))
    examples = get_close_matches(unknown_name, names) or names[:3]
    return f"use a name such as {', '.join(escape_for_display(name, 40) for name in examples)}"


def _iterate_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each non-empty row with the number of its first line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _iterate_parsed_rows(file, path)
    except OSError as error:
        raise make_file_fault(error, path, advice="name a CSV file with --submission-times") from error
    except UnicodeDecodeError as error:
        raise CallerFault("this table is not UTF-8 text", str(path), "save it as CSV in UTF-8") from error


def _iterate_parsed_rows(file: Iterable[str], path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    lines = iter(file)
    header_line = next(lines, "")
    reader = csv.reader(lines, delimiter=max(SEPARATORS, key=header_line.count), strict=True)
    names = [
        name.strip().casefold()
        for name in next(csv.reader([header_line], delimiter=max(SEPARATORS, key=header_line.count)), [])
    ]
    for name in COLUMNS:
        if names.count(name) != 1:
            raise CallerFault(
                f"the table has {'no' if name not in names else 'more than one'} column {name}",
                f"{path}:1",
                f"begin it with the line {','.join(COLUMNS)}",
            )
    first_line = 2
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield first_line, dict(zip(names, [*cells, *[""] * len(names)], strict=False))
            first_line = reader.line_num + 2
    except csv.Error as error:
        raise CallerFault(
            f"the table is not valid CSV: {error}", f"{path}:{first_line}", "check its quotation marks"
        ) from error
