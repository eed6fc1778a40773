"""``--submission-times``: read who handed in what, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Protocol

import click

from autograder.cli.class_source import submission_times_from_origins
from autograder.csv_sheet import CsvSheet
from autograder.faults import CallerFault
from autograder.formula_cells import neutralize_formula
from autograder.lateness import SubmissionTimes, read_submission_times
from autograder.lateness.submission_times import COLUMNS
from autograder.platforms.moodle.submission_times import is_worksheet, read_worksheet_times
from autograder.safe_text import clean_name
from autograder.submissions import SubmissionEntry, SubmissionOrigin

add_submission_times_option = click.option(
    "--submission-times",
    type=click.Path(path_type=Path),
    help="CSV file with the columns submission, student and handed_in, or Moodle's grading worksheet; "
    "without it, what was said the last time.",
)


class HasOrigin(Protocol):
    """A submission as it lies there, or as it is kept."""

    @property
    def name(self) -> str:
        """Return its name."""

    @property
    def path(self) -> Path:
        """Return where it lies."""

    @property
    def origin(self) -> SubmissionOrigin | None:
        """Return where it came from; None if that is unknown."""


def read_submission_times_option(
    table: Path,
    submissions: Iterable[HasOrigin],
    zone: tzinfo | None,
    among: Path | None,
    notify: Callable[[str], None],
) -> SubmissionTimes:
    """Read the table.

    Args:
        table: the file, of three columns or Moodle's worksheet.
        submissions: the submissions that it may be about.
        zone: the time zone of times that do not say theirs.
        among: where the submissions lie; the table must not lie there.
        notify: receives what staff should know about what was read.

    Raises:
        CallerFault: it cannot be used; the message names the line.
    """
    if among is not None and table.resolve().is_relative_to(among.resolve()):
        raise CallerFault(
            "lies among the submissions, and a student may have written it",
            where=str(table),
            advice="keep the table of hand-ins elsewhere",
        )
    known, now = [*submissions], datetime.now(UTC)
    if worksheet := _worksheet(table):
        return _by_worksheet(worksheet, known, zone, now, notify)
    return read_submission_times(table, map_submission_names(known), zone, now, notify)


def _worksheet(table: Path) -> CsvSheet | None:
    """Return Moodle's worksheet; None for anything else: the reader of tables then says what is wrong with it."""
    try:
        sheet = CsvSheet(table.read_bytes(), str(table))
    except (OSError, CallerFault):
        return None
    header = {cell.strip().casefold() for cell in sheet.rows[0].cells}
    return sheet if is_worksheet(sheet) and not header.issuperset(COLUMNS) else None


def _by_worksheet(
    sheet: CsvSheet, submissions: list[HasOrigin], zone: tzinfo | None, now: datetime, notify: Callable[[str], None]
) -> SubmissionTimes:
    """Return the hand-ins as if the download itself had the worksheet's times."""
    times = read_worksheet_times(sheet, {one.name: one.origin for one in submissions}, zone, now, notify)
    timed = (
        SubmissionEntry(one.name, one.path, origin=replace(one.origin, handed_in=times[one.name]))
        for one in submissions
        if one.origin and one.name in times
    )
    return submission_times_from_origins(timed, zone) or SubmissionTimes()


def map_submission_names(submissions: Sequence[HasOrigin]) -> dict[str, str]:
    """Map every name that a table may use for a submission to its id in its report; its own name goes first."""
    ways: tuple[Callable[[HasOrigin], str], ...] = (
        lambda one: one.name,
        lambda one: clean_name(one.name),
        lambda one: one.path.name,
        lambda one: neutralize_formula(clean_name(one.name)),  # as the gradebook calls it
    )
    called: dict[str, str] = {}
    for way in ways:
        for one in submissions:
            called.setdefault(way(one), clean_name(one.name))
    return called
