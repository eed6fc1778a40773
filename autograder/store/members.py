"""Convert one member of a class to a row and back: whose a submission is, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.course.load_deadlines import plain_student
from autograder.lateness import HandIn, members_of
from autograder.store.names import from_text, origin_from, origin_text, students_from, students_text, to_text
from autograder.submissions.origin import Origin


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a class."""

    name: str
    path: Path
    problem: str = ""
    identity: str = ""
    """Empty until it was read."""
    hand_in: HandIn | None = None
    """Whose it is, and when it was handed in; None until somebody said so."""
    origin: Origin | None = None
    """Where it came from; None where nobody said."""


def member_from(row: Any) -> Member:
    """Return the member that a row describes."""
    origin = origin_from(row.origin) if row.origin else None
    name, path = from_text(row.name), Path(from_text(row.path))
    return Member(name, path, from_text(row.problem), row.identity, _hand_in(row, origin), origin)


def row_of(batch: int, place: int, member: Member, before: Any = None) -> dict[str, Any]:
    """Return a member's row.

    Args:
        batch: the class's id.
        place: the member's place in the class.
        member: the member; one without a hand-in keeps that of the last time.
        before: the row of the last time; None if there was none.
    """
    origin = origin_text(member.origin) if member.origin else ""
    handed_in = hand_in_columns(member.hand_in)
    if before and not member.hand_in:
        students = before.students if before.origin == origin else ""  # else others may have handed it in
        handed_in = {"student": before.student, "handed_in": before.handed_in, "students": students}
    return {
        "batch": batch, "name": to_text(member.name), "place": place, "path": to_text(str(member.path)),
        "problem": to_text(member.problem), "identity": before.identity if before else "",
        "sha256": before.sha256 if before else "", "origin": origin, **handed_in,
    }  # fmt: skip


def hand_in_columns(hand_in: HandIn | None) -> dict[str, str]:
    """Return whose a submission is and when it was handed in, as columns of a row."""
    if hand_in is None:
        return {"student": "", "handed_in": "", "students": ""}
    return {
        "student": hand_in.student,
        "handed_in": hand_in.handed_in.isoformat(),
        "students": students_text(hand_in.members),
    }


def _hand_in(row: Any, origin: Origin | None) -> HandIn | None:
    if not row.handed_in:
        return None
    students = students_from(row.students)
    if not students and origin and plain_student(origin.student) == row.student:
        students = members_of(origin)  # a version before 3 did not keep them
    return HandIn(row.student, datetime.fromisoformat(row.handed_in), students)
