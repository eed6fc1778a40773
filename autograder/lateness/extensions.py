"""Whose extension counts, where several handed in together or a student has several names."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from autograder.course.deadlines import Due
from autograder.course.load_deadlines import plain_student
from autograder.submissions.origin import TOGETHER, Origin

Names = tuple[str, ...]
"""One student: what the course calls them, and then what else is surely theirs and nobody else's."""


def members_of(origin: Origin) -> tuple[Names, ...]:
    """Those whose a submission is, each by what the course's list says first, or else by what the platform says."""
    return tuple((plain_student(name),) for name in origin.students if plain_student(name))


def members_in(student: str) -> tuple[Names, ...]:
    """Those whom a table of hand-ins names as one, ``ada + bob``; nobody where it names one alone."""
    names = [plain_student(name) for name in student.split(TOGETHER)]
    return tuple((name,) for name in names if name) if len(names) > 1 else ()


def extension_of(due: Due, students: Iterable[Names]) -> tuple[str, datetime] | None:
    """The extension that counts for what some students handed in, as ``grading.yml`` names it; None without one.

    Args:
        due: with the extensions.
        students: who handed in. Of several with an extension the latest counts; of one student's own, the one by what
            the course calls them, or else the latest.
    """
    given = dict(due.extensions)
    own = [_own(given, names) for names in students]
    return max((one for one in own if one), key=_when, default=None)


def _own(given: dict[str, datetime], names: Names) -> tuple[str, datetime] | None:
    found = [(name, given[name]) for name in names if name in given]
    return found[0] if found and found[0][0] == names[0] else max(found, key=_when, default=None)


def _when(extension: tuple[str, datetime]) -> float:
    return extension[1].timestamp()
