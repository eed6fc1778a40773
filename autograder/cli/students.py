"""Find students and submissions of a class by every name that is certainly theirs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from autograder.batch.batch_location import BatchLocation
from autograder.cli.class_inputs import map_written_names_to_report_ids
from autograder.course.deadline_rules import DeadlineRules
from autograder.faults import CallerFault
from autograder.lateness import StudentNames, SubmissionTime, SubmissionTimes, list_students_of_origin
from autograder.roster.roster import Roster
from autograder.roster.row_fields import (
    CERTAIN_ID_COLUMNS,
    LOGIN_COLUMNS,
    list_emails_not_chosen_by_students,
    list_nonempty_cells,
)
from autograder.store.connection import DATABASE_FILE
from autograder.store.results.graded_class_table import StoredGradedClass, StoredSubmissionEntry
from autograder.store.store import Store
from autograder.submissions import SubmissionEntry, SubmissionOrigin
from autograder.submissions.origin import TOGETHER, map_written_forms_to_names
from autograder.text import (
    escape_for_display,
    escape_name_unambiguously,
    format_abbreviated_list,
    normalize_student_name_keeping_case,
)


class SubmissionLookup:
    """Finds the submissions and students of a class by every name that is certainly theirs."""

    def __init__(self, entries: Iterable[StoredSubmissionEntry], roster: Iterable[Mapping[str, str]] = ()) -> None:
        """Read the entries.

        Args:
            entries: the class.
            roster: the rows of the course's roster, whose students may not have handed in yet.
        """
        self._roster = [*roster]
        self._entries = [*entries]
        self._submissions = map_written_names_to_report_ids(self._entries)
        self._ids_by_student: dict[str, list[str]] = {}
        self._students: dict[str, str] = {}
        for entry in self._entries:
            for names in entry.names_of_each_student:
                for name in names:
                    self._ids_by_student.setdefault(name, []).append(escape_name_unambiguously(entry.name))
                    self._students.setdefault(name, names[0])
        self._names_as_written = map_written_forms_to_names([*self._students])
        self._student_by_shown_name = self._map_names_on_platform()

    def get_only_submission_id(self, student_or_submission: str) -> str:
        """Return the id of a submission by its name, or by a student with only one submission.

        Raises:
            CallerFault: there is no such submission, or the student has several.
        """
        if student_or_submission in self._submissions:
            return self._submissions[student_or_submission]
        ids = [*dict.fromkeys(self._ids_by_student.get(self._get_student_name(student_or_submission), ()))]
        if len(ids) == 1:
            return ids[0]
        if ids:
            raise CallerFault(
                f"{escape_for_display(student_or_submission, 80)} handed in {len(ids)} submissions",
                advice=f"name one: {format_abbreviated_list(ids)}",
            )
        known_names = {**self._submissions, **self._ids_by_student, **self._student_by_shown_name}
        close_names = dict.fromkeys(
            self._submissions.get(name, name) for name in get_close_matches(student_or_submission, known_names, 3)
        )
        advice = f"did you mean {' or '.join(close_names)}?" if close_names else "name it as the gradebook does"
        raise CallerFault(
            f"no submission or student matches '{escape_for_display(student_or_submission, 80)}'", advice=advice
        )

    def get_submission_ids_of(self, student_or_submission: str) -> list[str]:
        """Return the ids of a student's submissions, or of the submission with this name.

        Raises:
            CallerFault: there is none.
        """
        ids = [*dict.fromkeys(self._ids_by_student.get(self._get_student_name(student_or_submission), ()))]
        return ids or [self.get_only_submission_id(student_or_submission)]

    def resolve_students(self, student_or_submission: str) -> list[str]:
        """Return the student with this name, or the students of the submission with this name.

        An unknown name is returned itself, normalized, because an extension often precedes the first submission.
        """
        student = self._get_student_name(student_or_submission)
        if student in self._students:
            return [self._students[student]]
        if student_or_submission in self._submissions:
            submission_id = self._submissions[student_or_submission]
            for entry in self._entries:
                if escape_name_unambiguously(entry.name) == submission_id and entry.names_of_each_student:
                    return [names[0] for names in entry.names_of_each_student]
        return [student]

    def _get_student_name(self, written: str) -> str:
        """Return the name of the student who is written so; an unknown one's as it is, normalized."""
        name = normalize_student_name_keeping_case(written)
        return self._names_as_written.get(name) or self._student_by_shown_name.get(name.casefold(), name)

    def _map_names_on_platform(self) -> dict[str, str]:
        """Map the full name that a platform shows to its student, where no other student of the class has it."""
        students: dict[str, set[str]] = {}
        for entry in self._entries:
            people = entry.origin.people if entry.origin else ()
            if len(people) == len(entry.names_of_each_student):
                for person, names in zip(people, entry.names_of_each_student, strict=True):
                    shown_name = normalize_student_name_keeping_case(person.name)
                    students.setdefault(shown_name.casefold(), set()).add(names[0])
        return {shown: name for shown, (name, *others) in students.items() if shown and not others}

    def has_student_handed_in(self, student: str) -> bool:
        """Return whether a student is known to have handed in."""
        return student in self._students

    def get_students_of_group(self, group: str) -> list[str]:
        """Return the students of a group, by its name on the platform or in the roster.

        Raises:
            CallerFault: no student in the roster or with a submission belongs to it.
        """
        group_key = normalize_student_name_keeping_case(group).casefold()
        roster_students = [self._name_of_row(row) for row in self._roster if group_key in _list_groups_of_row(row)]
        students = [
            names[0]
            for entry in self._entries
            if group_key in _list_groups(entry)
            for names in entry.names_of_each_student
        ]
        students += roster_students
        if not students:
            group_sets = [*map(_list_groups, self._entries), *map(_list_groups_of_row, self._roster)]
            group_names = sorted(set().union(*group_sets))
            advice = (
                f"choose from {format_abbreviated_list(group_names)}" if group_names else "name its students instead"
            )
            raise CallerFault(f"unknown group '{escape_for_display(group, 80)}'", advice=advice)
        return [*dict.fromkeys(students)]

    def _name_of_row(self, row: Mapping[str, str]) -> str:
        """Return the name of a roster's student in submissions; the roster's own name before the first submission."""
        names = [normalize_student_name_keeping_case(cell) for cell in row.values()]
        return next((self._students[name] for name in names if name in self._students), names[0])


def _list_groups(entry: StoredSubmissionEntry) -> set[str]:
    origin = entry.origin
    if origin is None:
        return set()
    own_groups = {normalize_student_name_keeping_case(origin.group).casefold()} - {""}
    return own_groups.union(*map(_list_groups_of_row, origin.roster))


def _list_groups_of_row(row: Mapping[str, str]) -> set[str]:
    """Return the groups in a row of the roster."""
    cells = (value for column, value in row.items() if column.casefold() == "group")
    return {normalize_student_name_keeping_case(cell).casefold() for cell in cells if cell}


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


def load_earlier_roster_and_entries(
    location: BatchLocation, assignment_name: str
) -> tuple[Roster | None, dict[str, StoredSubmissionEntry]]:
    """Return the roster and the entries by submission id that earlier runs saved; nothing before the first run.

    Raises:
        CallerFault: the store cannot be opened.
    """
    if not location.is_store_named_by_url and not os.path.isfile(location.output_folder / DATABASE_FILE):
        return None, {}
    with location.open_or_create_store(dry_run=True) as store:
        graded_class = store.classes.find_last_graded_class(location.class_key_in_store, assignment_name)
        if graded_class is None:
            return None, {}
        entries = store.classes.iterate_entries(graded_class)
        return load_earlier_roster(store, graded_class), {
            escape_name_unambiguously(entry.name): entry for entry in entries
        }


def load_earlier_roster(store: Store, stored_class: StoredGradedClass) -> Roster | None:
    """Return the roster that a class was graded with; None if there was none."""
    rows = store.classes.load_roster_rows(stored_class)
    return Roster.from_parsed_rows(rows) if rows else None


def find_earlier_submission_times(
    earlier_entries: Mapping[str, StoredSubmissionEntry], entries: Iterable[SubmissionEntry]
) -> SubmissionTimes | None:
    """Return the stored students and times of these submissions; None if there are none.

    If a submission's origin changed since, its group members are taken from the submission itself.
    """
    rows = {}
    for entry in entries:
        stored = earlier_entries.get(escape_name_unambiguously(entry.name))
        if stored and (time := stored.submission_time):
            is_same_origin = _without_roster(stored.origin) == _without_roster(entry.origin)
            rows[escape_name_unambiguously(entry.name)] = time if is_same_origin else replace(time, members=())
    return SubmissionTimes(rows) if rows else None


def _without_roster(origin: SubmissionOrigin | None) -> SubmissionOrigin:
    return replace(origin or SubmissionOrigin(""), roster=())
