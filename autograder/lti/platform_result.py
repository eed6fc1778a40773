"""Read what stands in a platform's gradebook, and compare it with what the kit sent.

Format: https://www.imsglobal.org/spec/lti-ags/v2p0#result-service. Moodle shows marks out of its own maximum, and
adds the time at which it wrote them.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from autograder.store.outbox_mark import MarkValue

MOST_ROUNDED = 0.005
"""Gradebooks keep hundredths."""
MOST_ROUNDED_SHARE = 0.0005
"""Of full marks, where those are few."""


class PlatformResult(msgspec.Struct, frozen=True, rename="camel"):
    """The mark of one person on the platform."""

    user_id: str
    result_score: float | None = None
    result_maximum: float | None = None
    comment: str | None = None
    timestamp: str | None = None

    @property
    def written_at(self) -> datetime | None:
        """Return when the platform wrote it, by its own clock; None where it does not say."""
        try:
            found = datetime.fromisoformat(self.timestamp or "")
        except ValueError:
            return None
        return found if found.tzinfo else found.replace(tzinfo=UTC)


def parse_results(body: bytes) -> list[PlatformResult]:
    """Return the results of an answer.

    Raises:
        ValueError: it holds none.
    """
    try:
        return msgspec.json.decode(body, type=list[PlatformResult], strict=False)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from None


def has_points_of(platform_result: PlatformResult, value: MarkValue) -> bool:
    """Return whether a gradebook shows the points of a mark, whatever it scales them to.

    >>> has_points_of(PlatformResult("7", 77.5, 100), MarkValue(15.5, 20, ""))
    True
    """
    if platform_result.result_score is None:
        return False
    maximum = platform_result.result_maximum or value.maximum
    expected = value.points * maximum / value.maximum if value.maximum else value.points
    return abs(platform_result.result_score - expected) <= min(MOST_ROUNDED, maximum * MOST_ROUNDED_SHARE) + 1e-9


def has_points_and_comment_of(
    platform_result: PlatformResult, value: MarkValue, other_possible_values: Iterable[MarkValue]
) -> bool:
    """Return whether a gradebook certainly shows a mark and its comment.

    Args:
        platform_result: what it shows.
        value: the mark.
        other_possible_values: other marks that may stand there. Where a platform does not show comments, one of the
            same points cannot be told from this one.
    """
    if not has_points_of(platform_result, value):
        return False
    if platform_result.comment is not None:
        return _simplify(platform_result.comment) == _simplify(value.comment)
    return all(
        one.comment == value.comment or not has_points_of(platform_result, one) for one in other_possible_values
    )


def _simplify(comment: str) -> str:
    """Return a comment without what platforms change: spaces, ends of lines, escapes."""
    return " ".join(html.unescape(comment).split())
