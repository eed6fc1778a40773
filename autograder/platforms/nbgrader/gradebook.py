"""Read students and marks from nbgrader's gradebook, a database beside ``submitted``; never write to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from autograder.platforms.common.download import Download
from autograder.platforms.common.platform_model import ExportOptions
from autograder.submissions.origin import Person

DATABASE = "gradebook.db"
QUERY = "SELECT id, first_name, last_name, email FROM student"


def read_nbgrader_persons_by_id(download: Download) -> dict[str, Person]:
    """Return the students that nbgrader knows, by id; none if there is no database, or it is not nbgrader's.

    Its table ``student`` has had these columns since nbgrader 0.5. Nothing is ever written to the database.
    """
    if DATABASE not in download.file_paths or DATABASE in download.spoilt:
        return {}
    try:
        rows = _query_nbgrader_database(download.root / DATABASE, QUERY, is_immutable=True)
    except sqlite3.Error:
        return {}
    return {
        student_id: Person(student_id, ", ".join(filter(None, (last_name, first_name))), email or "", student_id)
        for student_id, first_name, last_name, email in rows
    }


def _query_nbgrader_database(
    database: Path, query: str, *parameters: str, is_immutable: bool = False
) -> list[tuple[Any, ...]]:
    """Return the rows that a query finds; nothing is ever written, not even a journal if the file is immutable.

    Raises:
        sqlite3.Error: this is no readable database of nbgrader's.
    """
    uri = f"file:{quote(str(database.absolute()))}?mode=ro{'&immutable=1' if is_immutable else ''}"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        return connection.execute(query, parameters).fetchall()


SUBMITTED = "submitted"
SCORES = """
    SELECT submitted_assignment.student_id,
        TOTAL(COALESCE(grade.manual_score, grade.auto_score, 0.0) + COALESCE(grade.extra_credit, 0.0)),
        COUNT(grade.manual_score) + COUNT(grade.extra_credit)
    FROM assignment
    JOIN submitted_assignment ON submitted_assignment.assignment_id = assignment.id
    LEFT JOIN submitted_notebook ON submitted_notebook.assignment_id = submitted_assignment.id
    LEFT JOIN grade ON grade.notebook_id = submitted_notebook.id
    WHERE assignment.name = ? GROUP BY submitted_assignment.student_id
"""
"""The same as nbgrader's ``Grade.score``: points that a person gave replace those of a test."""
PENALTIES = """
    SELECT submitted_assignment.student_id, TOTAL(submitted_notebook.late_submission_penalty)
    FROM assignment
    JOIN submitted_assignment ON submitted_assignment.assignment_id = assignment.id
    JOIN submitted_notebook ON submitted_notebook.assignment_id = submitted_assignment.id
    WHERE assignment.name = ? GROUP BY submitted_assignment.student_id
"""
MAXIMUM = """
    SELECT TOTAL(grade_cells.max_score) FROM assignment
    JOIN notebook ON notebook.assignment_id = assignment.id
    JOIN base_cell ON base_cell.notebook_id = notebook.id
    JOIN grade_cells ON grade_cells.id = base_cell.id
    WHERE assignment.name = ?
"""


@dataclass(frozen=True, slots=True)
class NbgraderMark:
    """One student's mark, as nbgrader holds it."""

    raw: float
    penalty: float

    @property
    def score_after_penalty(self) -> float:
        """Return what counts, as ``nbgrader export`` counts it."""
        return max(0.0, self.raw - self.penalty)


@dataclass(frozen=True, slots=True)
class NbgraderGradebookMarks:
    """The marks of an assignment, as nbgrader holds them."""

    max_points: float = 0.0
    """0 where the assignment has no cell with points."""
    mark_by_student: Mapping[str, NbgraderMark] = field(default_factory=dict)
    """Those of students to whom a person gave points, be it 0, or a test more than 0."""


def _find_nbgrader_database(submissions_folder: Path | None) -> Path | None:
    """Return the database of the course whose folder, or whose ``submitted``, this is; None if there is none."""
    if submissions_folder is None:
        return None
    course = submissions_folder.parent if submissions_folder.name == SUBMITTED else submissions_folder
    return course / DATABASE if (course / DATABASE).is_file() else None


def try_read_gradebook_marks(database: Path, assignment_name: str) -> NbgraderGradebookMarks | None:
    """Return an assignment's marks, by its name in nbgrader; None if this is no readable database of nbgrader's.

    The tables have had these columns since nbgrader 0.5.
    """
    try:
        penalties = dict(_query_nbgrader_database(database, PENALTIES, assignment_name))
        ((max_points,),) = _query_nbgrader_database(database, MAXIMUM, assignment_name)
        marks = {
            str(student): NbgraderMark(float(points), float(penalties.get(student, 0.0)))
            for student, points, manual_count in _query_nbgrader_database(database, SCORES, assignment_name)
            if points or manual_count
        }
    except sqlite3.Error:
        return None
    return NbgraderGradebookMarks(float(max_points), marks)


class ExistingMarkDetector:
    """Tells whether a row of nbgrader's table holds a mark.

    It asks nbgrader's database, and what the kit wrote last.
    """

    def __init__(self, options: ExportOptions, table_lines: Iterable[str] = ()) -> None:
        """Look for nbgrader's database; read nothing yet."""
        self._options = options
        self._database = _find_nbgrader_database(options.submissions)
        self._marks_by_assignment: dict[str, NbgraderGradebookMarks | None] = {}
        self._may_hold_our_marks = self._may_table_hold_marks_of_kit(table_lines)

    def read_gradebook_marks(self, assignment_name: str) -> NbgraderGradebookMarks:
        """Return the marks in nbgrader's database; none where there is none, or it cannot be read."""
        if self._database and assignment_name not in self._marks_by_assignment:
            self._marks_by_assignment[assignment_name] = try_read_gradebook_marks(self._database, assignment_name)
        return self._marks_by_assignment.get(assignment_name) or NbgraderGradebookMarks()

    @property
    def has_readable_database(self) -> bool:
        """Return whether there is a database and no read of it has failed so far; nothing is read here."""
        return self._database is not None and None not in self._marks_by_assignment.values()

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence if there is a database that could not be read."""
        if self._database is None or self.has_readable_database:
            return ()
        return (f"cannot read {self._database}: marks that a person set there are not known",)

    def has_mark(self, assignment_name: str, student_id: str, mark_cells: Sequence[str]) -> bool:
        """Return whether a student has a mark.

        The mark is in the row's cells or in nbgrader's database. A row without one also counts if the kit wrote a
        mark there and a person has evidently set it to 0 since.

        Args:
            assignment_name: its name in nbgrader.
            student_id: the student's id.
            mark_cells: raw score, penalty and score.
        """
        if (
            any(map(_is_neither_empty_nor_zero, mark_cells))
            or student_id in self.read_gradebook_marks(assignment_name).mark_by_student
        ):
            return True
        last_mark, sheet_state = (
            self._options.written.get(("mark", assignment_name, student_id)),
            self._options.sheet_state,
        )
        is_same_sheet = bool(last_mark and sheet_state and last_mark.platform_state_before == sheet_state)
        return self._may_hold_our_marks and self._wrote_points(assignment_name, student_id) and not is_same_sheet

    def _may_table_hold_marks_of_kit(self, table_lines: Iterable[str]) -> bool:
        """Return whether a table may come from the one that the kit wrote last, and not straight from nbgrader.

        nbgrader imports no marks: a table that it exports anew has 0.0 wherever the kit wrote a mark. A single such
        row does not tell that from a person's 0.
        """
        rows = (line.rstrip("\r").split(",") for line in table_lines)
        our_rows = [cells for cells in rows if len(cells) > 3 and self._wrote_points(cells[0], cells[3])]
        return len(our_rows) == 1 or any(_is_neither_empty_nor_zero(cells[-2]) for cells in our_rows)

    def _wrote_points(self, assignment: str, student: str) -> bool:
        last_mark = self._options.written.get(("mark", assignment, student))
        return bool(last_mark and _is_neither_empty_nor_zero(last_mark.after))


def _is_neither_empty_nor_zero(cell: str) -> bool:
    """Return whether a cell is anything but empty, ``0`` or ``0.0``.

    Texts are compared, not numbers: another spelling of zero, such as ``0.00``, counts as a mark.
    """
    return cell.strip() not in ("", "0", "0.0")
