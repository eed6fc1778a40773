"""Find the submissions and students that the staff names on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from autograder.cli.options.submission_times_option import map_written_names_to_report_ids
from autograder.english_wording import format_abbreviated_list
from autograder.faults import CallerFault
from autograder.safe_text import escape_for_display, escape_name_unambiguously
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.student_name_comparison import normalize_student_name_keeping_case
from autograder.submissions.written_submission_names import map_written_forms_to_names


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
        known_names = [*self._submissions, *self._ids_by_student, *self._student_by_shown_name]
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
