"""Choose the extension that counts for a group, or for a student with several names."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from autograder.course.deadline_rules import DeadlineRules
from autograder.student_name_comparison import normalize_student_name_keeping_case
from autograder.submissions.origin import TOGETHER, SubmissionOrigin

StudentNames = tuple[str, ...]
"""One student: the name used by the course, then other names that are certainly theirs alone."""


def list_students_of_origin(origin: SubmissionOrigin) -> tuple[StudentNames, ...]:
    """Return the students of a submission, each by the name on the course's list, or else by the platform's name."""
    return tuple(
        (normalize_student_name_keeping_case(name),)
        for name in origin.student_identifiers
        if normalize_student_name_keeping_case(name)
    )


def list_joined_students(joined_names: str) -> tuple[StudentNames, ...]:
    """Return the students in a joined name such as ``ada + bob``; empty for a single name.

    >>> list_joined_students("ada + bob"), list_joined_students("ada")
    ((('ada',), ('bob',)), ())
    """
    names = [normalize_student_name_keeping_case(name) for name in joined_names.split(TOGETHER)]
    return tuple((name,) for name in names if name) if len(names) > 1 else ()


def find_effective_extension(
    deadline_rules: DeadlineRules, students: Iterable[StudentNames]
) -> tuple[str, datetime] | None:
    """Return the extension that counts for a submission of some students, as ``grading.yml`` names it; None without.

    Args:
        deadline_rules: the deadlines, with the extensions.
        students: the students who handed in. A group gets the latest extension of any member. If a student has
            several, the one under the name that the course uses counts, or else the latest.
    """
    extensions = dict(deadline_rules.extensions)
    own_extensions = [_find_own_extension(extensions, names) for names in students]
    return max((extension for extension in own_extensions if extension), key=_get_timestamp, default=None)


def _find_own_extension(extensions: dict[str, datetime], names: StudentNames) -> tuple[str, datetime] | None:
    matches = [(name, extensions[name]) for name in names if name in extensions]
    return matches[0] if matches and matches[0][0] == names[0] else max(matches, key=_get_timestamp, default=None)


def _get_timestamp(extension: tuple[str, datetime]) -> float:
    return extension[1].timestamp()
