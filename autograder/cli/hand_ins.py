"""``--hand-ins``: who handed in what, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Protocol

import click

from autograder.batch.gradebook import plain_cell
from autograder.faults import CallerFault
from autograder.lateness import HandIns, read_hand_ins
from autograder.text import clean_name

hand_ins_option = click.option(
    "--hand-ins",
    type=click.Path(path_type=Path),
    help="CSV file with the columns submission, student and handed_in; without it, what was said the last time.",
)


class Handed(Protocol):
    """A submission as it lies there, or as it is kept."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def path(self) -> Path:
        """Where it lies."""


def hand_ins_of(table: Path, submissions: Iterable[Handed], zone: tzinfo | None, among: Path | None) -> HandIns:
    """Read the table.

    Args:
        table: the file.
        submissions: what it may be about.
        zone: of times that do not say theirs.
        among: where the submissions lie: the table must not.

    Raises:
        CallerFault: it cannot be used; the message names the line.
    """
    if among is not None and table.resolve().is_relative_to(among.resolve()):
        raise CallerFault(
            "lies among the submissions, and a student may have written it",
            where=str(table),
            advice="keep the table of hand-ins elsewhere",
        )
    return read_hand_ins(table, _called([*submissions]), zone, datetime.now(UTC))


def _called(submissions: list[Handed]) -> dict[str, str]:
    """Each submission's id in its report, by every name that a table may call it; its own goes first."""
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
