"""Read the marks of an assignment from nbgrader's gradebook, a database beside ``submitted``; never write to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.platforms.nbgrader.gradebook_students import DATABASE, query_nbgrader_database

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


def find_nbgrader_database(submissions_folder: Path | None) -> Path | None:
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
        penalties = dict(query_nbgrader_database(database, PENALTIES, assignment_name))
        ((max_points,),) = query_nbgrader_database(database, MAXIMUM, assignment_name)
        marks = {
            str(student): NbgraderMark(float(points), float(penalties.get(student, 0.0)))
            for student, points, manual_count in query_nbgrader_database(database, SCORES, assignment_name)
            if points or manual_count
        }
    except sqlite3.Error:
        return None
    return NbgraderGradebookMarks(float(max_points), marks)
