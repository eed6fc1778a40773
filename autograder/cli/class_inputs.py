"""Read the tables of students and of submission times that an option names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import click

from autograder.faults import CallerFault
from autograder.lateness import SubmissionTime, SubmissionTimes, list_students_of_origin, read_students_and_times
from autograder.lateness.submission_times import COLUMNS, is_github_table
from autograder.platforms.moodle.submission_times import looks_like_grading_worksheet, read_worksheet_times
from autograder.roster.roster import Roster, read_roster
from autograder.submissions import SubmissionEntry
from autograder.submissions.origin import SubmissionWithOrigin, map_written_names_to_submissions
from autograder.tables import EditableCsv
from autograder.text import escape_name_unambiguously, normalize_student_name_keeping_case

add_submission_times_option = click.option(
    "--submission-times",
    type=click.Path(path_type=Path),
    help="CSV file with the columns submission, student and handed_in, Moodle's grading worksheet, or the grades.csv "
    "of GitHub Classroom; "
    "without it, what was said the last time.",
)


def read_submission_times_option(
    table_path: Path,
    submissions: Iterable[SubmissionWithOrigin],
    default_zone: tzinfo | None,
    submissions_folder: Path | None,
    show_message: Callable[[str], None],
) -> SubmissionTimes:
    """Read the table.

    Args:
        table_path: the file, of three columns, or Moodle's or GitHub Classroom's.
        submissions: the submissions that it may be about.
        default_zone: the time zone of times without one.
        submissions_folder: the folder of the submissions; the table must not be in it.
        show_message: receives notes for the staff about the table.

    Raises:
        CallerFault: it cannot be used; the message names the line.
    """
    if submissions_folder is not None and table_path.resolve().is_relative_to(submissions_folder.resolve()):
        raise CallerFault(
            "the table lies among the submissions, and a student may have written it",
            where=str(table_path),
            advice="keep the table of submission times elsewhere",
        )
    known_submissions, now = [*submissions], datetime.now(UTC)
    if worksheet := _read_if_worksheet(table_path):
        return _read_worksheet_times(worksheet, known_submissions, default_zone, now, show_message)
    return read_students_and_times(
        table_path, map_written_names_to_report_ids(known_submissions), default_zone, now, show_message
    )


def _read_if_worksheet(table: Path) -> EditableCsv | None:
    """Return the table if it is Moodle's worksheet, else None; the ordinary reader then reports any errors."""
    try:
        sheet = EditableCsv(table.read_bytes(), str(table))
    except (OSError, CallerFault):
        return None
    header = {cell.strip().casefold() for cell in sheet.rows[0].cells}
    is_other_table = header.issuperset(COLUMNS) or is_github_table(header)
    return sheet if looks_like_grading_worksheet(sheet) and not is_other_table else None


def _read_worksheet_times(
    sheet: EditableCsv,
    submissions: list[SubmissionWithOrigin],
    zone: tzinfo | None,
    now: datetime,
    show_message: Callable[[str], None],
) -> SubmissionTimes:
    """Return the submission times, as if the download itself contained the worksheet's times."""
    times = read_worksheet_times(
        sheet, {submission.name: submission.origin for submission in submissions}, zone, now, show_message
    )
    entries = (
        SubmissionEntry(
            submission.name, submission.path, origin=replace(submission.origin, handed_in=times[submission.name])
        )
        for submission in submissions
        if submission.origin and submission.name in times
    )
    return find_submission_times_in_origins(entries, zone) or SubmissionTimes()


def map_written_names_to_report_ids(submissions: Sequence[SubmissionWithOrigin]) -> dict[str, str]:
    """Map every name that a table may use for a submission to its id in its report; its own name goes first."""
    submission_by_name = map_written_names_to_submissions(submissions)
    return {name: escape_name_unambiguously(submission.name) for name, submission in submission_by_name.items()}


def find_submission_times_in_origins(
    entries: Iterable[SubmissionEntry], default_zone: tzinfo | None
) -> SubmissionTimes | None:
    """Return the students and times of submissions from their platform's data; None if it gives none.

    Args:
        entries: the class.
        default_zone: the time zone of times that do not say theirs.
    """
    rows = {}
    for entry in entries:
        origin = entry.origin
        if origin and origin.handed_in and origin.student_or_group_identifier:
            moment = origin.handed_in
            rows[escape_name_unambiguously(entry.name)] = SubmissionTime(
                normalize_student_name_keeping_case(origin.student_or_group_identifier),
                moment if moment.tzinfo else moment.replace(tzinfo=default_zone or UTC),
                list_students_of_origin(origin),
            )
    return SubmissionTimes(rows) if rows else None


roster_option = click.option(
    "--roster",
    type=click.Path(path_type=Path),
    help="CSV file with a row a student; the first column is what you call them, the others what platforms do. "
    "Or a platform's list of members (LTI, JSON).",
)


def read_roster_option(roster_path: Path, submissions_folder: Path) -> Roster:
    """Read the roster.

    Raises:
        CallerFault: it cannot be used, or lies in the submissions' folder.
    """
    if roster_path.resolve().is_relative_to(submissions_folder.resolve()):
        raise CallerFault(
            "the roster lies among the submissions", where=str(roster_path), advice="keep the roster elsewhere"
        )
    return read_roster(roster_path)
