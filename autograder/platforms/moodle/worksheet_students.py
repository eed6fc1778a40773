"""Find the students of a worksheet, and which of them a submission belongs to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from autograder.csv_sheet import SheetRow
from autograder.platforms.common.platform_model import SubmissionResult
from autograder.platforms.moodle import column_titles
from autograder.platforms.moodle.worksheet_column_detection import NUMBERED, WorksheetColumns
from autograder.platforms.moodle.worksheet_teams import WorksheetTeamIndex
from autograder.safe_text import escape_name_unambiguously
from autograder.student_name_comparison import is_name_variant, is_same_name
from autograder.submissions.origin import Person, SubmissionOrigin

Key = TypeVar("Key")


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

    @property
    def label(self) -> str:
        """Return how messages call the student."""
        return escape_name_unambiguously(f"{self.full_name or self.participant_word} ({self.participant_number})", 80)


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
        has_names = columns.grade > 2 and "".join(header[1:2]).strip().casefold() not in column_titles.STATUS_TITLES
        self.all = [_student(place, row, columns, has_names) for place, row in rows]
        self._numbers = _index((_number(one.participant_number), one) for one in self.all)
        moodles = [one for one in origins if one and one.platform == "moodle"]
        self._teams = WorksheetTeamIndex(self.all, columns, [_name(one) for one in moodles])
        alone = sum(bool(self._participants(one)) for one in moodles)
        self.of_teams = self._teams.known > alone if moodles else self._teams.has_team_header(header)
        """Whether the assignment is for teams. A number in the download's names is a group's then."""
        self.are_hidden = all(not one.full_name for one in self.all) or (
            bool(moodles) and all(is_same_name(_name(one), self.all[0].participant_word) for one in moodles)
        )
        """Whether names are hidden while the work is marked."""
        self._are_alone = self._teams.known < alone
        mails = ((cell, one) for one in self.all for cell in one.other_cells[bool(one.full_name) :] if "@" in cell)
        self._mails = _index((_plain(cell), one) for cell, one in mails)  # not names: students choose theirs
        self._fields: dict[str, dict[str, list[WorksheetStudent]]] = {}
        """By a column's title, then by its cell: names, and what no two students share."""
        for place, title in enumerate(header[1 : columns.grade]):
            field = _index(
                (one.other_cells[place].strip(), one) for one in self.all if one.other_cells[place].strip()
            )
            if (place == 0 and has_names) or all(len(students) == 1 for students in field.values()):
                self._fields[_plain(title)] = field

    def list_students_of(self, result: SubmissionResult, accept_number_alone: bool) -> list[WorksheetStudent]:
        """Return the rows of a result, several for a team; none if the result could be another student's.

        Args:
            result: the result of a submission.
            accept_number_alone: whether a participant's number is enough where the sheet gives another name.
        """
        named = self.list_students_of_origin_or_none_if_unsure(result.origin)
        if named is None:
            return []
        person = find_moodle_person_or_team(result.origin)
        if named or (self.of_teams and person):
            return named  # a group's number may be a participant's in the course's list, too
        same = self._numbers.get(_number(person.id), []) if person and accept_number_alone else []
        return self._find_by_roster(result) or same

    def list_students_of_origin_or_none_if_unsure(
        self, origin: SubmissionOrigin | None
    ) -> list[WorksheetStudent] | None:
        """Return the rows that Moodle's download names, several for a team; None if they could be another's."""
        if origin is None or origin.platform != "moodle":
            return []
        name = _name(origin)
        team, alone = self._teams.list_members_or_none_if_unsure(name), self._participants(origin)
        if not self.of_teams:
            return alone if self._are_alone or team == [] else None  # students may write anything into a profile
        if self._teams.known == 1 and any(is_same_name(one.full_name, name) for one in team or ()):
            return None  # may be a student's work for another assignment, with a team of the same name
        return team

    def _participants(self, origin: SubmissionOrigin) -> list[WorksheetStudent]:
        """Return the rows with a participant's number and the same name, letter for letter or else similar."""
        person = find_moodle_person_or_team(origin)
        same = self._numbers.get(_number(person.id), []) if person else []
        known = [one for one in same if person and _has_name_or_hides_it(one, person.name)]
        return known or [one for one in same if person and is_name_variant(person.name, one.full_name)]

    def _find_by_roster(self, result: SubmissionResult) -> list[WorksheetStudent]:
        """Find rows by e-mail, by a column of the same header in the course's list, or by the submission's name."""
        mails = [{"": one.email} for one in result.origin.people] if result.origin else []
        rows: list[Mapping[str, str]] = [*result.people, *mails, {"": result.name}]
        return list({one.row_index: one for row in rows for one in self._find_by_all_cells(row)}.values())

    def _find_by_all_cells(self, listed: Mapping[str, str]) -> list[WorksheetStudent]:
        """Return the student on whom all cells agree that a row of the course's list shares with the worksheet."""
        mails = [self._mails.get(_plain(cell), []) for cell in listed.values()]
        fields = [self._fields.get(_plain(title), {}).get(cell.strip(), []) for title, cell in listed.items()]
        found = [students for students in (*mails, *fields) if students]
        common = [one for one in found[0] if all(one in students for students in found)] if found else []
        return common if len(common) == 1 else []

    def find_by_participant_number(self, participant_number: str) -> WorksheetStudent | None:
        """Return the student with a participant's number; None if there is none."""
        return next(iter(self._numbers.get(_number(participant_number), [])), None)


def _student(place: int, row: SheetRow, columns: WorksheetColumns, has_names: bool) -> WorksheetStudent:
    match = NUMBERED.fullmatch(row.cells[0])
    assert match is not None  # other rows were left out before
    cells = (*row.cells, *[""] * (columns.width - len(row.cells)))
    known = tuple(cells[1 : columns.grade])
    return WorksheetStudent(
        place, SheetRow(row.line, cells), match[2], match[1].strip(), known, known[0] if has_names else ""
    )


def find_moodle_person_or_team(origin: SubmissionOrigin | None) -> Person | None:
    """Return whom Moodle's download names, a participant or, as a ``Person`` too, a team.

    None for a submission from elsewhere, or of the team without a number.
    """
    return origin.people[0] if origin and origin.platform == "moodle" and origin.people else None


def _name(origin: SubmissionOrigin) -> str:
    """Return what Moodle's download calls the participant or team that handed it in."""
    return origin.people[0].name if origin.people else origin.group


def _index(pairs: Iterable[tuple[Key, WorksheetStudent]]) -> dict[Key, list[WorksheetStudent]]:
    """Return students by key, each once, in the order of the sheet."""
    found: dict[Key, dict[int, WorksheetStudent]] = defaultdict(dict)
    for key, one in pairs:
        found[key][one.row_index] = one
    return {key: list(students.values()) for key, students in found.items()}


def _plain(text: str) -> str:
    return text.strip().casefold()


def _number(text: str) -> str:
    return text.strip().lstrip("0")


def _has_name_or_hides_it(student: WorksheetStudent, name: str) -> bool:
    """Return whether the sheet gives just this name, or hides it as the download does."""
    return is_same_name(name, student.participant_word) or is_same_name(name, student.full_name)
