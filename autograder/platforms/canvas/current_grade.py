"""Read the grade and comments that Canvas holds for one student in one assignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograder.platforms.canvas.student_matching import CanvasStudent


@dataclass(frozen=True, slots=True)
class CanvasGradeAndComments:
    """The grade and comments that Canvas holds for one student in one assignment."""

    student: CanvasStudent
    score: float | None
    """The score as it was entered, before Canvas's own late policy."""
    is_excused: bool
    is_assigned: bool
    comments: tuple[str, ...]
    canvasapi_submission: Any
    graded_at: str = ""
    """When the score was last changed; empty where there is none."""


def parse_current_canvas_grade(canvasapi_submission: Any) -> CanvasGradeAndComments:
    """Return what Canvas's answer about a submission says."""
    user = getattr(canvasapi_submission, "user", None) or {}
    score = getattr(canvasapi_submission, "entered_score", None)
    score = getattr(canvasapi_submission, "score", None) if score is None else score
    return CanvasGradeAndComments(
        student=CanvasStudent(
            str(canvasapi_submission.user_id),
            str(user.get("sortable_name") or user.get("name") or ""),
            *(str(user.get(key) or "") for key in ("sis_user_id", "login_id", "email")),
        ),
        score=None if score is None else float(score),
        is_excused=bool(getattr(canvasapi_submission, "excused", False)),
        is_assigned=getattr(canvasapi_submission, "assignment_visible", True) is not False,
        comments=tuple(
            str(comment.get("comment", ""))
            for comment in getattr(canvasapi_submission, "submission_comments", None) or ()
        ),
        canvasapi_submission=canvasapi_submission,
        graded_at=str(getattr(canvasapi_submission, "graded_at", None) or ""),
    )
