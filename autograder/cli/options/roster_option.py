"""``--roster``: the list of a class's students."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.faults import CallerFault
from autograder.roster.roster import Roster, read_roster

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
