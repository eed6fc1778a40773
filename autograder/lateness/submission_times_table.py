"""Read the students and times of submissions from a table.

File modification times are not used, since they change when files are copied.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from difflib import get_close_matches
from pathlib import Path

from autograder.course.time_format import InvalidTime, parse_time
from autograder.editable_csv import decode_table, split_separator_line
from autograder.english_wording import format_abbreviated_list
from autograder.faults import CallerFault, make_file_fault
from autograder.lateness.extension_selection import list_joined_students
from autograder.lateness.submission_times import SubmissionTime, SubmissionTimes
from autograder.safe_text import escape_for_display
from autograder.student_name_comparison import normalize_student_name_keeping_case
from autograder.submissions.origin import TOGETHER

COLUMNS = ("submission", "student", "handed_in")
GITHUB_LOGIN = "github_username"
GITHUB_COLUMNS = {
    "student_repository_name": "submission",
    "roster_identifier": "student",
    "submission_timestamp": "handed_in",
    GITHUB_LOGIN: GITHUB_LOGIN,
}
"""The columns of GitHub Classroom's ``grades.csv``, with their names here; a team has a row for each member."""
MAX_TIME_IN_FUTURE = timedelta(minutes=10)
"""How far in the future a time may lie, because clocks differ."""


def read_students_and_times(
    csv_path: Path,
    id_by_submission_name: Mapping[str, str],
    default_zone: tzinfo | None,
    now: datetime,
    show_message: Callable[[str], None] = lambda line: None,
) -> SubmissionTimes:
    """Read a CSV file with the columns ``submission``, ``student`` and ``handed_in``, or GitHub Classroom's.

    Args:
        csv_path: the file, with commas, semicolons or tabs, as spreadsheets write it. The order of columns is free;
            others are left out.
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
        is_from_github = GITHUB_LOGIN in row
        if is_from_github and not row["handed_in"].strip():
            continue  # a student who accepted the assignment, and pushed nothing
        name = row["submission"]
        student = normalize_student_name_keeping_case(row["student"] or row.get(GITHUB_LOGIN, ""))
        submission = id_by_submission_name.get(name, id_by_submission_name.get(name.strip()))
        if submission is None:
            unknown_names.setdefault(name, location)
            continue
        if submission in rows and is_from_github:
            student = f"{rows[submission].student}{TOGETHER}{student}"
        elif submission in rows:
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
    """Yield each non-empty row with the number of its first line, by the names of ``COLUMNS``."""
    try:
        separator_line, separator, text = split_separator_line(decode_table(path.read_bytes(), str(path)))
    except OSError as error:
        raise make_file_fault(error, path, advice="name a CSV file with --submission-times") from error
    first_line = 1 + bool(separator_line)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: list[str] = []
    try:
        for cells in reader:
            if not names:
                names = _name_columns(cells, f"{path}:{first_line}")
            elif any(cell.strip() for cell in cells):
                yield first_line, dict(zip(names, [*cells, *[""] * len(names)], strict=False))
            first_line = reader.line_num + 1 + bool(separator_line)
    except csv.Error as error:
        raise CallerFault(
            f"the table is not valid CSV: {error}", f"{path}:{first_line}", "check its quotation marks"
        ) from error
    if not names:
        _name_columns([], f"{path}:{first_line}")


def _name_columns(header: Sequence[str], location: str) -> list[str]:
    names = [name.strip().casefold() for name in header]
    if is_github_table(names):
        return [GITHUB_COLUMNS.get(name, name) for name in names]
    for name in COLUMNS:
        if names.count(name) != 1:
            raise CallerFault(
                f"the table has {'no' if name not in names else 'more than one'} column {name}",
                location,
                f"begin it with the line {','.join(COLUMNS)}",
            )
    return names


def is_github_table(header: Collection[str]) -> bool:
    """Return whether a table with this header is the ``grades.csv`` of GitHub Classroom."""
    return {*GITHUB_COLUMNS}.issubset(header)
