"""Describe where a submission came from: whose it is, as a platform says, and what leads back there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

TOGETHER = " + "
"""Between the names of those who handed in together."""


@dataclass(frozen=True, slots=True)
class Person:
    """One student as a platform knows them; empty where it does not say."""

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
    """Whose it is; several for a group, none where the platform hides it."""
    group: str = ""
    """The group's name, where the platform gives one."""
    handed_in: datetime | None = None
    """With a time zone; without one it is in the assignment's. None where the platform does not say."""
    marked_late: bool = False
    """Whether the platform itself calls it late."""
    attempt: str = ""
    """Which attempt, in the platform's own way of counting; empty where it keeps only one."""
    names: tuple[str, ...] = ()
    """The paths in the download that it was read from, letter for letter: feedback goes back under them."""

    roster: tuple[Mapping[str, str], ...] = ()
    """The rows of the course's own list that it belongs to, by column; empty where there is no list, or no match."""

    @property
    def student_or_group_identifier(self) -> str:
        """Return whose it is as one text, as tables of extensions and submission times call the student or group.

        A student is called what the first column of the course's list says; without a list, what the platform says,
        as far as it says it. Several students are joined by a plus sign. A group without rows in the list is called
        by its name, unless the platform knows exactly one student of it.
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
        return tuple(one.email or one.login or one.id or one.name for one in self.people)
