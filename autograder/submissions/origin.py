"""Describe whose a submission is, and find it by any name that people write for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeVar

from autograder.text import escape_name_unambiguously, neutralize_formula

TOGETHER = " + "
"""Separates the names of students who handed in together; a login may hold a plus sign, but no space."""


@dataclass(frozen=True, slots=True)
class Person:
    """One student as a platform describes them; a field is empty if the platform does not give it."""

    id: str = ""
    """The platform's own: Canvas's user id, Moodle's number of the participant, the SID in Gradescope."""
    name: str = ""
    email: str = ""
    login: str = ""


@dataclass(frozen=True, slots=True)
class SubmissionOrigin:
    """One submission as a platform packed it."""

    platform: str
    """The platform's name, such as ``moodle``; empty for a plain folder."""
    people: tuple[Person, ...] = ()
    """The students; several for a group, none if the platform hides them."""
    group: str = ""
    """The group's name, where the platform gives one."""
    handed_in: datetime | None = None
    """The submission time; without a time zone, it is in the assignment's. None if the platform does not give it."""
    marked_late: bool = False
    """Whether the platform itself marks it as late."""
    attempt: str = ""
    """Which attempt, in the platform's own way of counting; empty where it keeps only one."""
    names: tuple[str, ...] = ()
    """The exact paths in the download from which it was read; feedback is returned under the same paths."""

    roster: tuple[Mapping[str, str], ...] = ()
    """Its rows in the course's roster, by column; empty without a roster or a match."""

    @property
    def student_or_group_identifier(self) -> str:
        """Return the student or group as one text, as used in extensions and tables of submission times.

        A student's name is the first cell of their roster row, or else the e-mail address, login, id or name that the
        platform gives, whichever of these comes first. Several students are joined by a plus sign. A group without
        roster rows has its own name, unless the platform gives exactly one student of it.
        """
        if self.group and len(self.people) != 1 and not self.roster:
            return self.group
        return TOGETHER.join(self.student_identifiers)

    @property
    def student_identifiers(self) -> tuple[str, ...]:
        """Return each of its students, as ``student_or_group_identifier`` calls one alone.

        There is none if only a group's name is known.
        """
        if self.roster:
            return tuple(next(iter(row.values())) for row in self.roster)
        return tuple(person.email or person.login or person.id or person.name for person in self.people)


class SubmissionWithOrigin(Protocol):
    """A submission, on the disk or in the store."""

    @property
    def name(self) -> str:
        """Return its name."""

    @property
    def path(self) -> Path:
        """Return where it lies."""

    @property
    def origin(self) -> SubmissionOrigin | None:
        """Return where it came from; None if that is unknown."""


S = TypeVar("S", bound=SubmissionWithOrigin)


def format_name_for_gradebook(name: str) -> str:
    r"""Return a name as the gradebook writes it.

    >>> format_name_for_gradebook("=a\nb")
    "'=a\\nb"
    """
    return neutralize_formula(escape_name_unambiguously(name))


def map_written_names_to_submissions(submissions: Sequence[S]) -> dict[str, S]:
    """Map every name that people may use for a submission to it; a submission's own name goes first."""
    ways: tuple[Callable[[S], str], ...] = (
        lambda one: one.name,
        lambda one: escape_name_unambiguously(one.name),
        lambda one: one.path.name,
        lambda one: format_name_for_gradebook(one.name),
    )
    found: dict[str, S] = {}
    for way in ways:
        for one in submissions:
            found.setdefault(way(one), one)
    return found


def map_written_forms_to_names(names: Sequence[str]) -> dict[str, str]:
    """Map every form in which one of these names may be written to the name; a name itself goes first."""
    found = {name: name for name in names}
    for form in (escape_name_unambiguously, format_name_for_gradebook):
        for name in names:
            found.setdefault(form(name), name)
    return found
