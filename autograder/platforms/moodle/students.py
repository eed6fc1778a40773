"""The students of a worksheet, and which of them a submission is of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from autograder.platforms.model import Result
from autograder.platforms.moodle.columns import NUMBERED, Columns
from autograder.platforms.moodle.names import is_alike, is_same, key_of
from autograder.platforms.sheet import Row
from autograder.submissions.origin import Origin, Person
from autograder.text import clean_name

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Student:
    """One row of the worksheet."""

    place: int
    """In the sheet."""
    row: Row
    number: str
    word: str
    """What stands before the number: ``Participant``, in the teacher's language."""
    known: tuple[str, ...]
    """What else the sheet says of the student, left of the grade."""
    name: str
    """The full name; empty where names are hidden."""

    @property
    def label(self) -> str:
        """The student in messages."""
        return clean_name(f"{self.name or self.word} ({self.number})", 80)


class Students:
    """The students of a worksheet."""

    def __init__(self, rows: Iterable[tuple[int, Row]], header: Sequence[str], columns: Columns) -> None:
        self.all = [_student(place, row, columns) for place, row in rows]
        self._numbers = _index((_number(one.number), one) for one in self.all)
        self._teams = _index((key_of(one.row.cells[place]), one) for one in self.all for place in columns.team)
        mails = ((cell, one) for one in self.all for cell in one.known[bool(one.name) :] if "@" in cell)
        self._mails = _index((_plain(cell), one) for cell, one in mails)  # no name: students choose theirs
        self._fields: dict[str, dict[str, list[Student]]] = {}
        """By a column's title, then by its cell: names, and what no two students share."""
        for place, title in enumerate(header[1 : columns.grade]):
            field = _index((one.known[place].strip(), one) for one in self.all if one.known[place].strip())
            if place == 0 or all(len(students) == 1 for students in field.values()):
                self._fields[_plain(title)] = field

    def of(self, result: Result, by_number: bool) -> list[Student]:
        """The rows of a result, several for a team; none where it could be another's.

        Args:
            result: of a submission.
            by_number: whether a participant's number is enough where the sheet gives another name.
        """
        named = self.named(result.origin)
        if named is None:
            return []
        person = person_of(result.origin)
        same = self._numbers.get(_number(person.id), []) if person and by_number else []
        return named or self._listed(result) or same

    def named(self, origin: Origin | None) -> list[Student] | None:
        """The rows of whom Moodle's download names, several for a team; None where they could be another's."""
        person = person_of(origin)
        same = self._numbers.get(_number(person.id), []) if person else []
        if found := [one for one in same if person and _knows(one, person.name)]:
            return found
        name = person.name if person else origin.group if origin and origin.platform == "moodle" else ""
        team = self._teams.get(key_of(name), []) if key_of(name) else []
        alike = [one for one in same if is_alike(name, one.name)]
        if team and alike:
            return None  # a team may be called as its member, and a student may write anything into a profile
        return team or alike

    def _listed(self, result: Result) -> list[Student]:
        """By e-mail or a column of the same header: in the course's list, or elsewhere; or the submission's name."""
        mails = [{"": one.email} for one in result.origin.people] if result.origin else []
        rows: list[Mapping[str, str]] = [*result.people, *mails, {"": result.name}]
        return list({one.place: one for row in rows for one in self._as_in(row)}.values())

    def _as_in(self, listed: Mapping[str, str]) -> list[Student]:
        """The student whom all agree on that a row of the course's list has in common with the worksheet."""
        mails = [self._mails.get(_plain(cell), []) for cell in listed.values()]
        fields = [self._fields.get(_plain(title), {}).get(cell.strip(), []) for title, cell in listed.items()]
        found = [students for students in (*mails, *fields) if students]
        common = [one for one in found[0] if all(one in students for students in found)] if found else []
        return common if len(common) == 1 else []

    def numbered(self, number: str) -> Student | None:
        """The student of a participant's number."""
        return next(iter(self._numbers.get(_number(number), [])), None)


def _student(place: int, row: Row, columns: Columns) -> Student:
    match = NUMBERED.fullmatch(row.cells[0])
    assert match is not None  # participants() saw to that
    cells = (*row.cells, *[""] * (columns.width - len(row.cells)))
    known = tuple(cells[1 : columns.grade])
    return Student(place, Row(row.line, cells), match[2], match[1].strip(), known, known[0] if len(known) > 1 else "")


def person_of(origin: Origin | None) -> Person | None:
    """Whom Moodle's download names; None for a submission from elsewhere, or of the team without a number."""
    return origin.people[0] if origin and origin.platform == "moodle" and origin.people else None


def _index(pairs: Iterable[tuple[Key, Student]]) -> dict[Key, list[Student]]:
    """Students by key, each once, in the order of the sheet."""
    found: dict[Key, dict[int, Student]] = defaultdict(dict)
    for key, one in pairs:
        found[key][one.place] = one
    return {key: list(students.values()) for key, students in found.items()}


def _plain(text: str) -> str:
    return text.strip().casefold()


def _number(text: str) -> str:
    return text.strip().lstrip("0")


def _knows(student: Student, name: str) -> bool:
    """Whether the sheet gives just this name, or hides it as the download does."""
    return is_same(name, student.word) or is_same(name, student.name)
