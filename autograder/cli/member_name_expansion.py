"""Collect the names by which extensions find students: of each member of a group, and all that the roster gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from autograder.course.deadline_rules import DeadlineRules
from autograder.lateness import StudentNames, SubmissionTime, SubmissionTimes, list_students_of_origin
from autograder.roster.roster import Roster
from autograder.roster.row_fields import (
    CERTAIN_ID_COLUMNS,
    LOGIN_COLUMNS,
    list_emails_not_chosen_by_students,
    list_nonempty_cells,
)
from autograder.safe_text import escape_name_unambiguously
from autograder.student_name_comparison import normalize_student_name_keeping_case
from autograder.submissions import SubmissionOrigin
from autograder.submissions.origin import TOGETHER


@dataclass(frozen=True, slots=True)
class SubmissionOwners:
    """The known students of a submission, apart from the table of submission times."""

    name: str
    """The submission's."""
    origin: SubmissionOrigin | None
    members: tuple[StudentNames, ...] = ()
    """The stored students who handed it in; empty if unknown."""


def expand_student_names(
    submission_times: SubmissionTimes,
    submission_owners: Iterable[SubmissionOwners],
    roster: Roster | None,
    deadline_rules: DeadlineRules,
) -> SubmissionTimes:
    """Return the submission times with all certain names of the students, as in ``extensions`` where they are there.

    Args:
        submission_times: the table of submission times, with any names of the students.
        submission_owners: the known students of each submission. If the table names other students, the table wins.
        roster: the course's roster; None without one.
        deadline_rules: the deadlines, with the extensions.
    """
    expanded_times = expand_member_names(submission_times, submission_owners, roster)
    return _use_extension_names(expanded_times, roster, deadline_rules) if roster else expanded_times


def expand_member_names(
    submission_times: SubmissionTimes, submission_owners: Iterable[SubmissionOwners], roster: Roster | None = None
) -> SubmissionTimes:
    """Return the submission times, each with its students by all names that are certainly theirs."""
    rows = dict(submission_times.by_submission_id)
    for owners in submission_owners:
        row = rows.get(escape_name_unambiguously(owners.name))
        if row:
            rows[escape_name_unambiguously(owners.name)] = replace(row, members=_list_members(row, owners, roster))
    return replace(submission_times, by_submission_id=rows)


def _use_extension_names(
    submission_times: SubmissionTimes, roster: Roster, deadline_rules: DeadlineRules
) -> SubmissionTimes:
    """Return the submission times with each student's name as in ``extensions``, if the roster has that name, too."""
    by_moment = sorted(deadline_rules.extensions, key=lambda extension: extension[1])
    names = {
        normalize_student_name_keeping_case(alias): name
        for alias, name in roster.map_aliases_to_names(name for name, _ in by_moment).items()
    }
    rows = {
        submission: _choose_extension_name(row, names)
        for submission, row in submission_times.by_submission_id.items()
    }
    return replace(submission_times, by_submission_id=rows)


def _choose_extension_name(row: SubmissionTime, names: Mapping[str, str]) -> SubmissionTime:
    members = tuple(
        tuple(dict.fromkeys((*student, *(names[name] for name in student if name in names))))
        for student in row.members
    )
    return replace(row, student=names.get(row.student, row.student), members=members)


def _list_members(row: SubmissionTime, owners: SubmissionOwners, roster: Roster | None) -> tuple[StudentNames, ...]:
    """Return who handed in: the known members, if the table names all of them, their group or one of them."""
    origin = owners.origin
    if row.student in _list_joint_names(owners.members):
        return owners.members
    if origin:
        roster_row = roster.find_submission_row(row.student) if roster else None
        joint_names = {
            *_list_joint_names(list_students_of_origin(origin)),
            normalize_student_name_keeping_case(origin.student_or_group_identifier),
            normalize_student_name_keeping_case(origin.group),
        }
        if row.student in joint_names or any(person_row is roster_row for person_row in origin.roster):
            return _list_names_of_origin(origin, roster)
    members = [_list_roster_names(name, roster) for name, *_ in row.members or ((row.student,),)]
    return tuple(members) if row.members or len(members[0]) > 1 else ()


def _list_joint_names(members: tuple[StudentNames, ...]) -> set[str]:
    """Return the names that a table may give to students who handed in together: all joined, or any one."""
    joined_name = TOGETHER.join(name for name, *_ in members)
    return {joined_name, *(name for student in members for name in student)}


def _list_names_of_origin(origin: SubmissionOrigin, roster: Roster | None) -> tuple[StudentNames, ...]:
    if origin.roster and roster:
        return tuple(_list_unique_names(row, roster) for row in origin.roster)
    return list_students_of_origin(origin)


def _list_roster_names(name: str, roster: Roster | None) -> StudentNames:
    """Return all names of a student whom a table names."""
    row = roster.find_submission_row(name) if roster else None
    return tuple(dict.fromkeys((name, *_list_unique_names(row, roster)))) if row and roster else (name,)


def _list_unique_names(row: Mapping[str, str], roster: Roster) -> StudentNames:
    """Return the first cell of a row, and its addresses, logins and ids; no names, which others may get later."""
    first_cell = next(iter(row.values()))
    cells = (
        *list_emails_not_chosen_by_students(row),
        *list_nonempty_cells(row, LOGIN_COLUMNS),
        *list_nonempty_cells(row, CERTAIN_ID_COLUMNS),
    )
    own_cells = (cell for cell in cells if roster.find_submission_row(cell) is row)
    return tuple(dict.fromkeys(normalize_student_name_keeping_case(name) for name in (first_cell, *own_cells)))
