"""Read what Canvas holds for one student in one assignment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CanvasEntry:
    """What Canvas holds for one student."""

    user: Mapping[str, Any]
    """As Canvas describes them: ``id``, ``sortable_name``, ``sis_user_id``, ``login_id``."""
    score: float | None
    """As it was entered, before Canvas itself took anything off."""
    excused: bool
    assigned: bool
    comments: tuple[str, ...]
    handle: Any
    graded_at: str = ""
    """When the score was last changed; empty where there is none."""


def parse_canvas_entry(submission: Any) -> CanvasEntry:
    """Return what Canvas's answer about a submission says."""
    score = getattr(submission, "entered_score", None)
    score = getattr(submission, "score", None) if score is None else score
    return CanvasEntry(
        user={**(getattr(submission, "user", None) or {}), "id": str(submission.user_id)},
        score=None if score is None else float(score),
        excused=bool(getattr(submission, "excused", False)),
        assigned=getattr(submission, "assignment_visible", True) is not False,
        comments=tuple(
            str(each.get("comment", "")) for each in getattr(submission, "submission_comments", None) or ()
        ),
        handle=submission,
        graded_at=str(getattr(submission, "graded_at", None) or ""),
    )
