"""Keep and read whose a submission is, and when it was handed in."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from difflib import get_close_matches
from pathlib import Path

from autograder.course.deadline_rules import DeadlineRules, InvalidTime, parse_time
from autograder.faults import CallerFault, make_file_fault
from autograder.lateness.late_penalty import Lateness, StudentNames, compute_lateness_or_none, list_joined_students
from autograder.submissions.origin import TOGETHER
from autograder.tables import decode_table, split_separator_line
from autograder.text import escape_for_display, format_abbreviated_list, normalize_student_name_keeping_case


@dataclass(frozen=True, slots=True)
class ReopenedAttempt:
    """When a student was given another attempt, and until when."""

    since: datetime
    until: datetime | None = None
    """The deadline of that attempt; None when it has none."""

    def make_deadline_rules(self, deadline_rules: DeadlineRules) -> DeadlineRules:
        """Return the rules for submissions of this attempt, with its deadline alone."""
        until = (
            self.until.astimezone(deadline_rules.deadline.tzinfo)
            if self.until and deadline_rules.deadline
            else self.until
        )
        return replace(deadline_rules, deadline=until, extensions=(), deadlines_of_students=())


@dataclass(frozen=True, slots=True)
class SubmissionTime:
    """The students of a submission, and when it was handed in."""

    student: str
    """The student or group as one text, the same for all of their attempts."""
    handed_in: datetime
    members: tuple[StudentNames, ...] = ()
    """Each student who handed it in, with all certain names; empty if only ``student`` is known."""


@dataclass(frozen=True, slots=True)
class SubmissionTimes:
    """The students and times of submissions, by submission id, with reopened attempts and chosen submissions."""

    by_submission_id: Mapping[str, SubmissionTime] = field(default_factory=dict)
    reopened: Mapping[str, ReopenedAttempt] = field(default_factory=dict)
    """Attempts that people reopened, by the student."""
    chosen: frozenset[str] = frozenset()
    """Submissions that take precedence over other attempts of their students, because the staff set their score."""

    def find_submission_time(self, submission_id: str) -> SubmissionTime | None:
        """Return a submission's students and time; None when it is not in the table."""
        return self.by_submission_id.get(submission_id)

    def compute_lateness_or_none(self, submission_id: str, deadline_rules: DeadlineRules) -> Lateness | None:
        """Compute how late a submission is; return None where that is not known, or nothing can be late."""
        row, reopening = self.find_submission_time(submission_id), self.find_reopened_attempt(submission_id)
        deadline_rules = reopening.make_deadline_rules(deadline_rules) if reopening else deadline_rules
        return compute_lateness_or_none(deadline_rules, row.student, row.handed_in, row.members) if row else None

    def find_reopened_attempt(self, submission_id: str) -> ReopenedAttempt | None:
        """Return the reopened attempt that a submission belongs to; None if it is an ordinary attempt."""
        row = self.find_submission_time(submission_id)
        if row is None or not self.reopened:
            return None
        names = {row.student, *(name for member in row.members for name in member)}
        attempts = [
            attempt for name, attempt in self.reopened.items() if name in names and row.handed_in >= attempt.since
        ]
        return max(attempts, key=lambda attempt: attempt.since, default=None)

    def list_extensions_without_submission(self, deadline_rules: DeadlineRules) -> list[str]:
        """Return students with an extension but no submission time, perhaps because their name is spelt otherwise."""
        known_names = {
            name
            for row in self.by_submission_id.values()
            for names in ((row.student,), *row.members)
            for name in names
        }
        return [student for student, _ in deadline_rules.extensions if student not in known_names]


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
            student, _parse_moment(row["handed_in"], default_zone, now, location), list_joined_students(student)
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
