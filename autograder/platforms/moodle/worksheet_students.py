"""Find the students and teams of a worksheet, and which of them a submission belongs to."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from autograder.platforms.common.platform_model import SubmissionResult
from autograder.platforms.moodle.worksheet_columns import NUMBERED, STATUS_TITLES, TEAM_TITLES, WorksheetColumns
from autograder.submissions.origin import Person, SubmissionOrigin
from autograder.tables import SheetRow
from autograder.text import (
    escape_name_unambiguously,
    format_moodle_path_name,
    is_name_variant,
    is_same_name,
    make_moodle_name_key,
)


@dataclass(frozen=True, slots=True)
class WorksheetStudent:
    """One row of the worksheet."""

    row_index: int
    """In the sheet."""
    row: SheetRow
    participant_number: str
    participant_word: str
    """What stands before the number: ``Participant``, in the teacher's language."""
    other_cells: tuple[str, ...]
    """What else the sheet says of the student, left of the grade."""
    full_name: str
    """The full name; empty where names are hidden."""

    def get_cell(self, column: int | None) -> str:
        """Return a cell; empty where the worksheet has no such column."""
        return "" if column is None else self.row.cells[column]

    @property
    def label(self) -> str:
        """Return how messages call the student."""
        return escape_name_unambiguously(f"{self.full_name or self.participant_word} ({self.participant_number})", 80)


def _make_worksheet_student(
    row_index: int, row: SheetRow, columns: WorksheetColumns, has_names: bool
) -> WorksheetStudent:
    """Return the student of a row that begins with a participant's number; ``has_names``: a full name comes next."""
    match = NUMBERED.fullmatch(row.cells[0])
    assert match is not None  # other rows were left out before
    cells = (*row.cells, *[""] * (columns.width - len(row.cells)))
    cells_before_grade = tuple(cells[1 : columns.grade])
    return WorksheetStudent(
        row_index,
        SheetRow(row.line, cells),
        match[2],
        match[1].strip(),
        cells_before_grade,
        cells_before_grade[0] if has_names else "",
    )


Members = dict[str, list[WorksheetStudent]]
"""Rows by what stands in their cell."""


NAME_KEYS = (format_moodle_path_name, make_moodle_name_key)
"""How names are compared: a team whose name differs only in capitals counts if there is no other."""


class WorksheetTeamIndex:
    """The rows of a worksheet by the team that stands in them."""

    def __init__(
        self, students: Sequence[WorksheetStudent], columns: WorksheetColumns, submission_names: Iterable[str]
    ) -> None:
        """Find the column of teams.

        Args:
            students: all rows.
            columns: which column is which.
            submission_names: the names of the submissions in a download, by students alone or in teams.
        """
        names = [*submission_names]
        self._possible_columns = columns.possible_team_columns
        self.known = 0
        """How many of the names stand in the column."""
        self._members: dict[tuple[int, str], Members] = {}
        for column in self._possible_columns:
            members = _index_members(students, column)
            if (count := sum(_find_members(members, name) != [] for name in names)) > self.known:
                self.known, self._members = count, members

    def has_team_header(self, header: Sequence[str]) -> bool:
        """Return whether a header says that there are teams: only a hint, as a site may show other columns."""
        return any(
            header[column].strip().casefold() in TEAM_TITLES
            for column in self._possible_columns
            if column < len(header)
        )

    def find_team_members(self, team_name: str) -> list[WorksheetStudent] | None:
        """Return the members of the team that a download calls so; None if that may be one of several teams."""
        return _find_members(self._members, team_name)


def _index_members(students: Iterable[WorksheetStudent], column: int) -> dict[tuple[int, str], Members]:
    """Return rows by each key of ``NAME_KEYS`` that their cell may have in a download.

    Moodle writes ``&amp;`` for ``&`` into a team's name before it takes out what no path can hold: there,
    ``Red & Blue`` is ``Red amp; Blue``. It leaves alone an ``&`` that looks like the beginning of ``&amp;`` itself.
    """
    members_by_key: dict[tuple[int, str], Members] = defaultdict(lambda: defaultdict(list))
    for student in students:
        cell = student.row.cells[column]
        for kind, make_key in enumerate(NAME_KEYS):
            for name_key in {make_key(cell), make_key(html.escape(cell, quote=False))} - {""}:
                members_by_key[kind, name_key][cell].append(student)
    return members_by_key


def _find_members(members_by_key: Mapping[tuple[int, str], Members], name: str) -> list[WorksheetStudent] | None:
    for kind, make_key in enumerate(NAME_KEYS):
        if members_by_cell := members_by_key.get((kind, make_key(name))):
            return next(iter(members_by_cell.values())) if len(members_by_cell) == 1 else None
    return []


Key = TypeVar("Key")


class WorksheetStudentIndex:
    """The students of a worksheet, alone or in teams."""

    def __init__(
        self,
        rows: Iterable[tuple[int, SheetRow]],
        header: Sequence[str],
        columns: WorksheetColumns,
        origins: Iterable[SubmissionOrigin | None],
    ) -> None:
        """Index the rows.

        Args:
            rows: the rows of the worksheet, each with its place there.
            header: the header of the worksheet.
            columns: which column is which.
            origins: where the submissions came from. They tell whether the worksheet is for teams.
        """
        has_names = columns.grade > 2 and "".join(header[1:2]).strip().casefold() not in STATUS_TITLES
        self.all = [_make_worksheet_student(row_index, row, columns, has_names) for row_index, row in rows]
        self._students_by_number = _index_students(
            (_normalize_number(student.participant_number), student) for student in self.all
        )
        moodle_origins = [origin for origin in origins if origin and origin.platform == "moodle"]
        self._teams = WorksheetTeamIndex(self.all, columns, [_get_owner_name(origin) for origin in moodle_origins])
        participant_count = sum(bool(self._find_participants(origin)) for origin in moodle_origins)
        self.of_teams = (
            self._teams.known > participant_count if moodle_origins else self._teams.has_team_header(header)
        )
        """Whether the assignment is for teams. A number in the download's names is a group's then."""
        self.are_hidden = all(not student.full_name for student in self.all) or (
            bool(moodle_origins)
            and all(is_same_name(_get_owner_name(origin), self.all[0].participant_word) for origin in moodle_origins)
        )
        """Whether names are hidden while the work is marked."""
        self._are_individuals = self._teams.known < participant_count
        mail_cells = (
            (cell, student)
            for student in self.all
            for cell in student.other_cells[bool(student.full_name) :]
            if "@" in cell
        )
        # not names: students choose theirs
        self._students_by_mail = _index_students((_normalize_text(cell), student) for cell, student in mail_cells)
        self._students_by_title_and_cell: dict[str, dict[str, list[WorksheetStudent]]] = {}
        """By a column's title, then by its cell: names, and what no two students share."""
        for column, title in enumerate(header[1 : columns.grade]):
            students_by_cell = _index_students(
                (student.other_cells[column].strip(), student)
                for student in self.all
                if student.other_cells[column].strip()
            )
            if (column == 0 and has_names) or all(len(students) == 1 for students in students_by_cell.values()):
                self._students_by_title_and_cell[_normalize_text(title)] = students_by_cell

    def list_students_of(self, result: SubmissionResult, accept_number_alone: bool) -> list[WorksheetStudent]:
        """Return the rows of a result, several for a team; none if the result could be another student's.

        Args:
            result: the result of a submission.
            accept_number_alone: whether a participant's number is enough where the sheet gives another name.
        """
        students = self.find_students_of_origin(result.origin)
        if students is None:
            return []
        person = find_moodle_person_or_team(result.origin)
        if students or (self.of_teams and person):
            return students  # a group's number may be a participant's in the course's list, too
        students_with_number = (
            self._students_by_number.get(_normalize_number(person.id), []) if person and accept_number_alone else []
        )
        return self._find_by_roster(result) or students_with_number

    def find_students_of_origin(self, origin: SubmissionOrigin | None) -> list[WorksheetStudent] | None:
        """Return the rows that Moodle's download names, several for a team; None if they could be another's."""
        if origin is None or origin.platform != "moodle":
            return []
        owner_name = _get_owner_name(origin)
        team, participants = self._teams.find_team_members(owner_name), self._find_participants(origin)
        if not self.of_teams:
            # students may write anything into a profile
            return participants if self._are_individuals or team == [] else None
        if self._teams.known == 1 and any(is_same_name(student.full_name, owner_name) for student in team or ()):
            return None  # may be a student's work for another assignment, with a team of the same name
        return team

    def _find_participants(self, origin: SubmissionOrigin) -> list[WorksheetStudent]:
        """Return the rows with a participant's number and the same name, letter for letter or else similar."""
        person = find_moodle_person_or_team(origin)
        students_with_number = self._students_by_number.get(_normalize_number(person.id), []) if person else []
        students_with_name = [
            student for student in students_with_number if person and _has_name_or_hides_it(student, person.name)
        ]
        return students_with_name or [
            student for student in students_with_number if person and is_name_variant(person.name, student.full_name)
        ]

    def _find_by_roster(self, result: SubmissionResult) -> list[WorksheetStudent]:
        """Find rows by e-mail, by a column of the same header in the course's list, or by the submission's name."""
        mail_rows = [{"": person.email} for person in result.origin.people] if result.origin else []
        rows: list[Mapping[str, str]] = [*result.people, *mail_rows, {"": result.name}]
        return list({student.row_index: student for row in rows for student in self._find_by_all_cells(row)}.values())

    def _find_by_all_cells(self, roster_row: Mapping[str, str]) -> list[WorksheetStudent]:
        """Return the student on whom all cells agree that a row of the course's list shares with the worksheet."""
        mail_matches = [self._students_by_mail.get(_normalize_text(cell), []) for cell in roster_row.values()]
        field_matches = [
            self._students_by_title_and_cell.get(_normalize_text(title), {}).get(cell.strip(), [])
            for title, cell in roster_row.items()
        ]
        matches = [students for students in (*mail_matches, *field_matches) if students]
        common = (
            [student for student in matches[0] if all(student in students for students in matches)] if matches else []
        )
        return common if len(common) == 1 else []

    def find_by_participant_number(self, participant_number: str) -> WorksheetStudent | None:
        """Return the student with a participant's number; None if there is none."""
        return next(iter(self._students_by_number.get(_normalize_number(participant_number), [])), None)


def find_moodle_person_or_team(origin: SubmissionOrigin | None) -> Person | None:
    """Return whom Moodle's download names, a participant or, as a ``Person`` too, a team.

    None for a submission from elsewhere, or of the team without a number.
    """
    return origin.people[0] if origin and origin.platform == "moodle" and origin.people else None


def _get_owner_name(origin: SubmissionOrigin) -> str:
    """Return what Moodle's download calls the participant or team that handed it in."""
    return origin.people[0].name if origin.people else origin.group


def _index_students(pairs: Iterable[tuple[Key, WorksheetStudent]]) -> dict[Key, list[WorksheetStudent]]:
    """Return students by key, each once, in the order of the sheet."""
    students_by_key: dict[Key, dict[int, WorksheetStudent]] = defaultdict(dict)
    for key, student in pairs:
        students_by_key[key][student.row_index] = student
    return {key: list(students.values()) for key, students in students_by_key.items()}


def _normalize_text(text: str) -> str:
    return text.strip().casefold()


def _normalize_number(text: str) -> str:
    return text.strip().lstrip("0")


def _has_name_or_hides_it(student: WorksheetStudent, name: str) -> bool:
    """Return whether the sheet gives just this name, or hides it as the download does."""
    return is_same_name(name, student.participant_word) or is_same_name(name, student.full_name)
