"""``--hand-ins``: read who handed in what, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Protocol

import click

from autograder.batch.gradebook import plain_cell
from autograder.cli.origins import hand_ins_from
from autograder.faults import CallerFault
from autograder.lateness import HandIns, read_hand_ins
from autograder.lateness.hand_ins import COLUMNS
from autograder.platforms.moodle.times import is_worksheet, times_of
from autograder.platforms.sheet import Sheet
from autograder.submissions import Entry, Origin
from autograder.text import clean_name

hand_ins_option = click.option(
    "--hand-ins",
    type=click.Path(path_type=Path),
    help="CSV file with the columns submission, student and handed_in, or Moodle's grading worksheet; "
    "without it, what was said the last time.",
)


class Handed(Protocol):
    """A submission as it lies there, or as it is kept."""

    @property
    def name(self) -> str:
        """Return its name."""

    @property
    def path(self) -> Path:
        """Return where it lies."""

    @property
    def origin(self) -> Origin | None:
        """Return where it came from; None if that is unknown."""


def hand_ins_of(
    table: Path, submissions: Iterable[Handed], zone: tzinfo | None, among: Path | None, tell: Callable[[str], None]
) -> HandIns:
    """Read the table.

    Args:
        table: the file, of three columns or Moodle's worksheet.
        submissions: the submissions that it may be about.
        zone: the time zone of times that do not say theirs.
        among: where the submissions lie; the table must not lie there.
        tell: receives what staff should know about what was read.

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
        return _by_worksheet(worksheet, known, zone, now, tell)
    return read_hand_ins(table, _called(known), zone, now)


def _worksheet(table: Path) -> Sheet | None:
    """Return Moodle's worksheet; None for anything else: the reader of tables then says what is wrong with it."""
    try:
        sheet = Sheet(table.read_bytes(), str(table))
    except (OSError, CallerFault):
        return None
    header = {cell.strip().casefold() for cell in sheet.rows[0].cells}
    return sheet if is_worksheet(sheet) and not header.issuperset(COLUMNS) else None


def _by_worksheet(
    sheet: Sheet, submissions: list[Handed], zone: tzinfo | None, now: datetime, tell: Callable[[str], None]
) -> HandIns:
    """Return the hand-ins as if the download itself had the worksheet's times."""
    times = times_of(sheet, {one.name: one.origin for one in submissions}, zone, now, tell)
    timed = (
        Entry(one.name, one.path, origin=replace(one.origin, handed_in=times[one.name]))
        for one in submissions
        if one.origin and one.name in times
    )
    return hand_ins_from(timed, zone) or HandIns()


def _called(submissions: list[Handed]) -> dict[str, str]:
    """Map every name that a table may use for a submission to its id in its report; its own name goes first."""
    ways: tuple[Callable[[Handed], str], ...] = (
        lambda one: one.name,
        lambda one: clean_name(one.name),
        lambda one: one.path.name,
        lambda one: plain_cell(clean_name(one.name)),  # as the gradebook calls it
    )
    called: dict[str, str] = {}
    for way in ways:
        for one in submissions:
            called.setdefault(way(one), clean_name(one.name))
    return called
