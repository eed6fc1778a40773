"""Describe a submission's origin: its students on the platform, and the data needed to return feedback there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from autograder.former_names import FormerAttribute

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

    student = FormerAttribute("student_or_group_identifier")
    students = FormerAttribute("student_identifiers")

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
