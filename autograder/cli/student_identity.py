"""Collect the names by which extensions find students: of each member of a group, and all that the roster gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from autograder.course.deadline_rules import DeadlineRules
from autograder.course.load_deadlines import normalize_student_name
from autograder.lateness import Names, SubmissionTime, SubmissionTimes, list_members_of_origin
from autograder.roster.roster import Roster
from autograder.roster.row_fields import LOGINS, SURE_IDS, list_email_addresses, list_nonempty_cells
from autograder.safe_text import clean_name
from autograder.submissions import SubmissionOrigin
from autograder.submissions.origin import TOGETHER


@dataclass(frozen=True, slots=True)
class HasOwner:
    """What is known of whose a submission is, whatever a table of hand-ins says."""

    name: str
    """The submission's."""
    origin: SubmissionOrigin | None
    members: tuple[Names, ...] = ()
    """Those who handed it in, as it was kept; empty where nothing was."""


def add_group_members(
    submission_times: SubmissionTimes, sources: Iterable[HasOwner], roster: Roster | None = None
) -> SubmissionTimes:
    """Return the hand-ins, each with the students who handed it in, by all names that are surely theirs.

    Args:
        submission_times: who handed in what.
        sources: the submissions. If the table names other people than they do, the table is right.
        roster: who is who.
    """
    rows = dict(submission_times.rows)
    for one in sources:
        row = rows.get(clean_name(one.name))
        if row:
            rows[clean_name(one.name)] = replace(row, members=_members(row, one, roster))
    return SubmissionTimes(rows)


def use_names_in_extensions(
    submission_times: SubmissionTimes, roster: Roster | None, due: DeadlineRules
) -> SubmissionTimes:
    """Return the hand-ins, with each student called as in ``extensions``, where the roster knows that name too.

    Args:
        submission_times: who handed in what, by any name of theirs.
        roster: who is who.
        due: the deadlines, with the extensions.
    """
    if roster is None:
        return submission_times
    by_moment = sorted(due.extensions, key=lambda extension: extension[1])
    names = {
        normalize_student_name(other): name
        for other, name in roster.map_other_names(name for name, _ in by_moment).items()
    }
    return SubmissionTimes({submission: _called(row, names) for submission, row in submission_times.rows.items()})


def _called(row: SubmissionTime, names: Mapping[str, str]) -> SubmissionTime:
    members = tuple(
        tuple(dict.fromkeys((*student, *(names[name] for name in student if name in names))))
        for student in row.members
    )
    return replace(row, student=names.get(row.student, row.student), members=members)


def _members(row: SubmissionTime, source: HasOwner, roster: Roster | None) -> tuple[Names, ...]:
    """Return who handed in: the known members, if the table names all of them, their group or one of them."""
    origin = source.origin
    if row.student in _called_together(source.members):
        return source.members
    if origin:
        listed = roster.find_student_by_name(row.student) if roster else None
        called = {
            *_called_together(list_members_of_origin(origin)),
            normalize_student_name(origin.student_name),
            normalize_student_name(origin.group),
        }
        if row.student in called or any(one is listed for one in origin.roster):
            return _of_origin(origin, roster)
    found = [_listed(name, roster) for name, *_ in row.members or ((row.student,),)]
    return tuple(found) if row.members or len(found[0]) > 1 else ()


def _called_together(members: tuple[Names, ...]) -> set[str]:
    """Return the names that a table may give to students who handed in together: all joined, or any one."""
    whole = TOGETHER.join(first for first, *_ in members)
    return {whole, *(name for student in members for name in student)}


def _of_origin(origin: SubmissionOrigin, roster: Roster | None) -> tuple[Names, ...]:
    if origin.roster and roster:
        return tuple(_names(row, roster) for row in origin.roster)
    return list_members_of_origin(origin)


def _listed(name: str, roster: Roster | None) -> Names:
    """Return all names of a student whom a table names."""
    row = roster.find_student_by_name(name) if roster else None
    return tuple(dict.fromkeys((name, *_names(row, roster)))) if row and roster else (name,)


def _names(row: Mapping[str, str], roster: Roster) -> Names:
    """Return the first cell of a row, and each address, login and id; not names, which another may get later."""
    first = next(iter(row.values()))
    cells = (*list_email_addresses(row), *list_nonempty_cells(row, LOGINS), *list_nonempty_cells(row, SURE_IDS))
    own = (cell for cell in cells if roster.find_student_by_name(cell) is row)
    return tuple(dict.fromkeys(normalize_student_name(name) for name in (first, *own)))
