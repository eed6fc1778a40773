"""Make the message that carries a mark to a platform.

Format: https://www.imsglobal.org/spec/lti-ags/v2p0#score-publish-service. Moodle erases a mark where ``scoreGiven``
is missing or ``gradingProgress`` is not ``FullyGraded``, so there is no way to leave one out or to say another.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import msgspec

from autograder.store.lti.lti_platform_table import PlatformKind
from autograder.store.lti.outbox_mark import OutboxMark

SCORE_TYPE = "application/vnd.ims.lis.v1.score+json"


class _ScoreSubmissionTime(msgspec.Struct, frozen=True, rename="camel"):
    """When the work was handed in, for platforms that say what is late."""

    submitted_at: str


class CanvasOverwriteOptions(msgspec.Struct, frozen=True):
    """Canvas's own fields: https://developerdocs.instructure.com/services/canvas/resources/score."""

    prioritize_non_tool_grade: bool
    """Whether a person's mark stays."""
    preserve_score: bool = True


class ScoreMessage(
    msgspec.Struct,
    frozen=True,
    omit_defaults=True,
    kw_only=True,
    rename={
        "user_id": "userId",
        "score_given": "scoreGiven",
        "score_maximum": "scoreMaximum",
        "activity_progress": "activityProgress",
        "grading_progress": "gradingProgress",
        "canvas": "https://canvas.instructure.com/lti/submission",
    },
):
    """A mark as it is sent."""

    user_id: str
    score_given: float
    score_maximum: float
    activity_progress: Literal["Completed"]
    grading_progress: Literal["FullyGraded"]
    timestamp: str
    comment: str | None = None
    submission: _ScoreSubmissionTime | None = None
    canvas: CanvasOverwriteOptions | None = None


def make_score_message(mark: OutboxMark, subject_on_platform: str, platform_kind: PlatformKind) -> ScoreMessage:
    """Return the message for a mark that is about to be sent.

    Args:
        mark: the mark; its ``last_timestamp`` is that of this message.
        subject_on_platform: what the platform calls the person.
        platform_kind: the kind of platform. Canvas appends each comment to earlier ones, so it gets a comment only if
            it changed; other platforms delete a comment that is not sent again, so they always get it.

    >>> from types import SimpleNamespace
    >>> from autograder.store.lti.outbox_mark import MarkWithComment
    >>> value, sent_at = MarkWithComment(15.5, 20, "Good."), datetime(2026, 12, 10, tzinfo=UTC)
    >>> mark = SimpleNamespace(value=value, last_timestamp=sent_at, confirmed=value, overwrites=False)
    >>> make_score_message(mark, "7", "moodle").comment, make_score_message(mark, "7", "canvas").comment
    ('Good.', None)
    """
    assert mark.last_timestamp is not None
    value, is_canvas = mark.value, platform_kind == "canvas"
    is_comment_known = is_canvas and mark.confirmed is not None and mark.confirmed.comment == value.comment
    return ScoreMessage(
        user_id=subject_on_platform,
        score_given=value.points,
        score_maximum=value.maximum,
        activity_progress="Completed",
        grading_progress="FullyGraded",
        timestamp=format_iso_utc(mark.last_timestamp),
        comment=None if is_comment_known else value.comment,
        submission=_ScoreSubmissionTime(value.submitted_at) if value.submitted_at else None,
        canvas=CanvasOverwriteOptions(prioritize_non_tool_grade=not mark.overwrites) if is_canvas else None,
    )


def format_iso_utc(moment: datetime) -> str:
    """Return a moment as platforms take it.

    >>> format_iso_utc(datetime(2026, 12, 10, 14, 46, 16, 327000, UTC))
    '2026-12-10T14:46:16.327Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
