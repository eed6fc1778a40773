"""Tables that platforms export for a class of ``packed_downloads``, and where the kit writes the marks."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from autograder.text import format_moodle_path_name, neutralize_formula
from tests.platforms.packed_downloads import Student, canvas_id

Table = Callable[[Sequence[Student]], bytes]


@dataclass(frozen=True)
class ClassSample:
    """How one platform takes the marks of a class."""

    packing: str
    """The download of ``packed_downloads.PACKINGS`` that the class comes from."""
    key_column: str
    key_of: Callable[[Student], str]
    mark_column: str
    """The columns of a student's key and mark in the written table, by the start of their titles."""
    table: Table | None = None
    """The table that the platform exports, without marks; None where the kit makes one."""
    roster_row: Callable[[Student], Mapping[str, str]] | None = None
    """What the course's list says of a student, where the kit writes names from it."""
    keys_of_no_student: frozenset[str] = frozenset()
    reads_own_table: bool = True
    """Whether the kit reads the table that it wrote, and finds the same students in it."""

    def read_marks(self, written: bytes) -> dict[str, float]:
        """Return the marks by the students' keys; a row that is shorter or longer than the header is a fault."""
        header, *rows = read_table(written)
        assert {len(row) for row in rows} == {len(header)}
        key, mark = (
            next(place for place, title in enumerate(header) if title.startswith(start))
            for start in (self.key_column, self.mark_column)
        )
        marks = {row[key]: row[mark] for row in rows}
        assert len(marks) == len(rows), "two rows of one student"
        return {student: float(mark) for student, mark in marks.items() if student not in self.keys_of_no_student}


def read_table(content: bytes) -> list[list[str]]:
    """Return the rows of a table in UTF-8, read strictly."""
    return [*csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)]


def _write(*rows: Sequence[str]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _blackboard(students: Sequence[Student]) -> bytes:
    header = ("Last Name", "First Name", "Username", "HW1 [Total Pts: 20 Score] |12")
    return _write(header, *((one.name, "", one.login, "") for one in students))


def _brightspace(students: Sequence[Student]) -> bytes:
    marks = "HW1 Points Grade <Numeric MaxPoints:20 Weight:5 Category:Labs CategoryWeight:50>"
    header = ("OrgDefinedId", "Username", "Last Name", "First Name", marks, "End-of-Line Indicator")
    return _write(header, *((f"#00{one.number}", f"#{one.login}", one.name, "", "", "#") for one in students))


def _canvas(students: Sequence[Student]) -> bytes:
    header = ("Student", "ID", "SIS Login ID", "Section", "HW1 (4711)")
    points = ("    Points Possible", "", "", "", "20.00")
    return _write(header, points, *((one.name, canvas_id(one), one.login, "", "") for one in students))


def _moodle(students: Sequence[Student]) -> bytes:
    person = ("Identifier", "Full name", "Email address")
    grade = ("Status", "Grade", "Maximum Grade", "Grade can be changed")
    header = (*person, *grade, "Last modified (submission)", "Last modified (grade)", "Feedback comments")
    rows = ((f"Participant {21 + one.number}", one.name, f"{one.login}@example.com") for one in students)
    return _write(header, *((*row, "Submitted for grading", "", "20.00", "Yes", "-", "-", "") for row in rows))


def _name_in_otter(student: Student) -> str:
    return neutralize_formula(
        f"{format_moodle_path_name(student.name)}_{21 + student.number}_assignsubmission_file_value.py"
    )


def _row_for_nbgrader(student: Student) -> Mapping[str, str]:
    name = student.name
    return {"student_id": student.login, "last_name": name, "first_name": name, "email": f"{name}@example.com"}


SAMPLES: Mapping[str, ClassSample] = {
    "blackboard": ClassSample("blackboard", "Username", lambda one: one.login, "HW1", _blackboard),
    "brightspace": ClassSample(
        "brightspace", "Username", lambda one: f"#{one.login}", "HW1", _brightspace, reads_own_table=False
    ),
    "canvas": ClassSample("canvas", "ID", canvas_id, "HW1", _canvas, keys_of_no_student=frozenset({""})),
    "moodle": ClassSample(
        "moodle in folders", "Identifier", lambda one: f"Participant {21 + one.number}", "Grade", _moodle
    ),
    "nbgrader": ClassSample("nbgrader", "student_id", lambda one: one.login, "score", roster_row=_row_for_nbgrader),
    "otter": ClassSample(
        "moodle flat",
        "file",
        _name_in_otter,
        "total_points_earned",
        keys_of_no_student=frozenset({"points-per-question"}),
        reads_own_table=False,
    ),
}
"""How each platform with a class writer takes marks."""
