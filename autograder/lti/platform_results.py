"""Read the marks in a platform's gradebook, and compare them with those that the kit sent.

Format: https://www.imsglobal.org/spec/lti-ags/v2p0#result-service. Moodle shows marks out of its own maximum, and
adds the time at which it wrote them.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from autograder.lti.json_response import decode_json_response
from autograder.store.lti.outbox_mark import MarkWithComment

MOST_ROUNDED = 0.005
"""Largest difference in points that counts as rounding: gradebooks keep hundredths."""
MOST_ROUNDED_SHARE = 0.0005
"""The same as a share of full marks, for small maxima."""


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
            moment = datetime.fromisoformat(self.timestamp or "")
        except ValueError:
            return None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def parse_platform_results(json_body: bytes) -> list[PlatformResult]:
    """Return the results of an answer.

    Raises:
        ValueError: it holds none.

    >>> parse_platform_results(b'[{"userId": "7", "resultScore": "15.5", "resultMaximum": 20}]')[0].result_score
    15.5
    """
    return decode_json_response(json_body, list[PlatformResult])


def has_equivalent_points(platform_result: PlatformResult, mark_value: MarkWithComment) -> bool:
    """Return whether a gradebook shows the points of a mark, whatever it scales them to.

    >>> has_equivalent_points(PlatformResult("7", 77.5, 100), MarkWithComment(15.5, 20, ""))
    True
    """
    if platform_result.result_score is None:
        return False
    maximum = platform_result.result_maximum or mark_value.maximum
    expected_points = mark_value.points * maximum / mark_value.maximum if mark_value.maximum else mark_value.points
    return (
        abs(platform_result.result_score - expected_points) <= min(MOST_ROUNDED, maximum * MOST_ROUNDED_SHARE) + 1e-9
    )


def certainly_matches_mark(
    platform_result: PlatformResult,
    mark_value: MarkWithComment,
    other_possible_values: Iterable[MarkWithComment],
) -> bool:
    """Return whether a gradebook certainly shows a mark and its comment.

    Args:
        platform_result: what it shows.
        mark_value: the mark.
        other_possible_values: other marks that may be there. If a platform does not show comments, one with the
            same points and another comment cannot be told from this one.
    """
    if not has_equivalent_points(platform_result, mark_value):
        return False
    if platform_result.comment is not None:
        return _simplify_comment(platform_result.comment) == _simplify_comment(mark_value.comment)
    return all(
        value.comment == mark_value.comment or not has_equivalent_points(platform_result, value)
        for value in other_possible_values
    )


def _simplify_comment(comment: str) -> str:
    """Return a comment without what platforms change: spaces, ends of lines, escapes."""
    return " ".join(html.unescape(comment).split())
