"""Convert one submission entry of a class to a row and back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.lateness import StudentNames, SubmissionTime, list_students_of_origin
from autograder.student_name_comparison import normalize_student_name_keeping_case
from autograder.submissions.origin import SubmissionOrigin


@dataclass(frozen=True, slots=True)
class StoredSubmissionEntry:
    """One submission of a class, as the store keeps it."""

    name: str
    path: Path
    problem: str = ""
    submission_identity: str = ""
    """The identity of its content; empty until it was read."""
    submission_time: SubmissionTime | None = None
    """Its students and its time; None until known."""
    origin: SubmissionOrigin | None = None
    """Where it came from; None if unknown."""
    last_result_id: int | None = None
    """The row of the result that counted last; None if unknown."""

    @property
    def names_of_each_student(self) -> tuple[StudentNames, ...]:
        """Return the students of the submission, each with all names; the group's name if no member is known."""
        if self.submission_time:
            return self.submission_time.members or ((self.submission_time.student,),)
        names = self.origin.student_identifiers if self.origin else ()
        return tuple((normalize_student_name_keeping_case(name),) for name in names if name.strip())


def convert_row_to_entry(row: Any) -> StoredSubmissionEntry:
    """Return the entry that a row describes."""
    origin = row.origin
    name, path = row.name, Path(row.path)
    return StoredSubmissionEntry(
        name,
        path,
        row.problem,
        row.identity,
        _make_submission_time(row, origin),
        origin,
        row.last_result,
    )


def convert_entry_to_row(
    class_id: int, position: int, entry: StoredSubmissionEntry, previous_row: Any = None
) -> dict[str, Any]:
    """Return an entry's row.

    Args:
        class_id: the class's id.
        position: the entry's place in the class.
        entry: the entry; one without ``submission_time`` keeps that of the last time.
        previous_row: the row of the last time; None if there was none.
    """
    origin = entry.origin
    handed_in = convert_submission_time_to_columns(entry.submission_time)
    if previous_row and not entry.submission_time:
        students = previous_row.students if previous_row.origin == origin else ()  # else maybe others handed in
        handed_in = {"student": previous_row.student, "handed_in": previous_row.handed_in, "students": students}
    return {
        "batch": class_id, "name": entry.name, "position": position,
        "path": str(entry.path), "problem": entry.problem,
        "identity": previous_row.identity if previous_row else "",
        "sha256": previous_row.sha256 if previous_row else "",
        "last_result": previous_row.last_result if previous_row else None, "origin": origin, **handed_in,
    }  # fmt: skip


def convert_submission_time_to_columns(submission_time: SubmissionTime | None) -> dict[str, Any]:
    """Return whose a submission is and when it was handed in, as columns of a row."""
    if submission_time is None:
        return {"student": "", "handed_in": "", "students": ()}
    return {
        "student": submission_time.student,
        "handed_in": submission_time.handed_in.isoformat(),
        "students": submission_time.members,
    }


def _make_submission_time(row: Any, origin: SubmissionOrigin | None) -> SubmissionTime | None:
    if not row.handed_in:
        return None
    students = row.students
    if (
        not students
        and origin
        and normalize_student_name_keeping_case(origin.student_or_group_identifier) == row.student
    ):
        students = list_students_of_origin(origin)  # store versions before 3 did not save them
    return SubmissionTime(row.student, datetime.fromisoformat(row.handed_in), students)
