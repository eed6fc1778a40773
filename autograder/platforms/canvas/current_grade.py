"""Read the grade and comments that Canvas holds for one student in one assignment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CanvasGradeAndComments:
    """The grade and comments that Canvas holds for one student in one assignment."""

    student_fields: Mapping[str, Any]
    """As Canvas describes them: ``id``, ``sortable_name``, ``sis_user_id``, ``login_id``."""
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
    score = getattr(canvasapi_submission, "entered_score", None)
    score = getattr(canvasapi_submission, "score", None) if score is None else score
    return CanvasGradeAndComments(
        student_fields={
            **(getattr(canvasapi_submission, "user", None) or {}),
            "id": str(canvasapi_submission.user_id),
        },
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
