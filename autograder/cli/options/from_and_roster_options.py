"""``--from`` and ``--roster``: the platform of a class, and its list of students."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from autograder.faults import CallerFault
from autograder.lateness import SubmissionTimes
from autograder.list_and_count_wording import format_abbreviated_list, format_count
from autograder.roster.roster import Roster, read_roster
from autograder.safe_text import escape_name_unambiguously
from autograder.submissions import SubmissionEntry

R = TypeVar("R")

add_from_option = click.option(
    "--from",
    "platform",
    default="",
    metavar="PLATFORM",
    help="Where SUBMISSIONS were downloaded (moodle, canvas, gradescope, ...); by default it is found out. "
    "`folder` for a plain folder or zip.",
)


def add_roster_option(function: Callable[..., R]) -> Callable[..., R]:
    """Add the option ``--roster``."""
    decorate: Callable[[Callable[..., R]], Any] = click.option(
        "--roster",
        type=click.Path(path_type=Path),
        help="CSV file with a row a student; the first column is what you call them, the others what platforms do. "
        "Or a platform's list of members (LTI, JSON).",
    )
    return decorate(function)  # type: ignore[no-any-return]


def read_roster_option_or_none(roster_path: Path | None, untrusted_folder: Path) -> Roster | None:
    """Read the roster, if one is named.

    Raises:
        CallerFault: it cannot be used, or lies in the submissions' folder.
    """
    if roster_path is None:
        return None
    if roster_path.resolve().is_relative_to(untrusted_folder.resolve()):
        raise CallerFault(
            "the roster lies among the submissions", where=str(roster_path), advice="keep the roster elsewhere"
        )
    return read_roster(roster_path)


def iterate_staff_notes_on_owners(
    entries: list[SubmissionEntry],
    platform_title: str,
    roster: Roster | None,
    submission_times: SubmissionTimes | None,
) -> Iterator[str]:
    """Yield notes for the staff about unmatched submissions and students, so that none is left out silently."""
    if platform_title:
        yield f"downloaded from {platform_title}: {format_count(len(entries), 'submission')}"
    late = [
        entry.name
        for entry in entries
        if entry.origin
        and entry.origin.marked_late
        and not (submission_times and submission_times.find_timed_submission(escape_name_unambiguously(entry.name)))
    ]
    if late:
        yield (
            f"marked late by {platform_title}; no submission time known, so no penalty applied "
            f"(give times with --submission-times): {format_abbreviated_list(late)}"
        )
    if roster:
        strangers = [entry.name for entry in entries if not (entry.origin and entry.origin.roster)]
        if strangers:
            yield f"not on the roster, graded all the same: {format_abbreviated_list(strangers)}"
        absent = roster.list_students_without_entry(entries)
        if absent:
            yield f"on the roster, without a submission: {format_abbreviated_list(absent)}"
