"""Make the message that carries a mark to a platform.

Format: https://www.imsglobal.org/spec/lti-ags/v2p0#score-publish-service. Moodle erases a mark where ``scoreGiven``
is missing or ``gradingProgress`` is not ``FullyGraded``, so there is no way to leave one out or to say another.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from autograder.store.lti.lti_platform_table import PlatformKind
from autograder.store.lti.outbox_mark import OutboxMark

SCORE_TYPE = "application/vnd.ims.lis.v1.score+json"


def make_score_message(mark: OutboxMark, subject_on_platform: str, platform_kind: PlatformKind) -> dict[str, Any]:
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
    >>> make_score_message(mark, "7", "moodle")["comment"], "comment" in make_score_message(mark, "7", "canvas")
    ('Good.', False)
    """
    assert mark.last_timestamp is not None
    value, is_canvas = mark.value, platform_kind == "canvas"
    message: dict[str, Any] = {
        "userId": subject_on_platform,
        "scoreGiven": value.points,
        "scoreMaximum": value.maximum,
        "activityProgress": "Completed",
        "gradingProgress": "FullyGraded",
        "timestamp": format_iso_utc(mark.last_timestamp),
    }
    if not (is_canvas and mark.confirmed is not None and mark.confirmed.comment == value.comment):
        message["comment"] = value.comment
    if value.submitted_at:  # for platforms that say what is late
        message["submission"] = {"submittedAt": value.submitted_at}
    if is_canvas:  # https://developerdocs.instructure.com/services/canvas/resources/score
        options = {"prioritize_non_tool_grade": not mark.overwrites, "preserve_score": True}
        message["https://canvas.instructure.com/lti/submission"] = options
    return message


def format_iso_utc(moment: datetime) -> str:
    """Return a moment as platforms take it.

    >>> format_iso_utc(datetime(2026, 12, 10, 14, 46, 16, 327000, UTC))
    '2026-12-10T14:46:16.327Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
