"""Normalize the values of decisions as people write them: points, moments, time spans."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal, InvalidOperation

from autograder.course.time_format import InvalidTime, add_calendar_days, parse_time
from autograder.english_wording import format_count
from autograder.faults import CallerFault

SPAN = re.compile(r"\s*(\d{1,4})\s*(hours?|days?)\s*", re.IGNORECASE)
"""Matches a span of time; any other value of an extension is a moment."""
MOST_POINTS = Decimal(10**6)


def normalize_points(written_points: str, source_location: str) -> str:
    """Return points in normalized form, such as ``7.5``; a decimal comma is accepted.

    Raises:
        CallerFault: the text is not a number of points with at most two decimals, or is beyond ``MOST_POINTS``.

    >>> normalize_points("7,50", "--score"), normalize_points("-0", "--score")
    ('7.5', '0')
    """
    try:
        points = Decimal(written_points.strip().replace(",", "."))
    except InvalidOperation:
        points = Decimal("NaN")
    if not points.is_finite() or abs(points) > MOST_POINTS:
        raise CallerFault(f"{written_points!r} is not a number of points", source_location, "write it as 7 or 7.5")
    if points != round(points, 2):
        raise CallerFault(
            f"{written_points} is finer than hundredths of a point", source_location, f"write {round(points, 2)}"
        )
    return format(points.normalize() + Decimal(0), "f")


def normalize_extension(written_extension: str, default_zone: tzinfo | None, source_location: str) -> str:
    """Return a moment in ISO 8601, or a span of time such as ``3 days``, in one form.

    Args:
        written_extension: as somebody wrote it.
        default_zone: the time zone of a moment that names none.
        source_location: where it was written, for messages.

    Raises:
        CallerFault: that is neither.

    >>> normalize_extension("3 Days", UTC, "--until")
    '3 days'
    >>> normalize_extension("2025-11-21 23:59", UTC, "--until")
    '2025-11-21T23:59:00+00:00'
    """
    if span := SPAN.fullmatch(written_extension):
        number, unit = int(span[1]), span[2].lower().rstrip("s")
        if not number:
            raise CallerFault(f"the time span is zero: {written_extension}", source_location, "write it as 2 days")
        return format_count(number, unit)
    return normalize_moment_to_iso(written_extension, default_zone, source_location)


def normalize_moment_to_iso(written_moment: str, default_zone: tzinfo | None, source_location: str) -> str:
    """Return a moment in ISO 8601 with its offset from UTC.

    Raises:
        CallerFault: it is none.

    >>> normalize_moment_to_iso("2025-11-21 23:59", UTC, "--until")
    '2025-11-21T23:59:00+00:00'
    """
    try:
        return parse_time(written_moment, default_zone, latest_if_ambiguous=True).isoformat()
    except InvalidTime as error:
        raise CallerFault(
            str(error), source_location, error.advice or "write it as 2025-11-21 23:59, or as 2 days"
        ) from error


def compute_moved_deadline(deadline: datetime, moment_or_time_span: str) -> datetime:
    """Return a deadline moved by a span of time, or the moment that a value says, in the deadline's time zone.

    >>> compute_moved_deadline(datetime(2026, 11, 20, 23, 59, tzinfo=UTC), "3 days").isoformat()
    '2026-11-23T23:59:00+00:00'
    >>> compute_moved_deadline(datetime(2026, 11, 20, 23, 59, tzinfo=UTC), "2026-11-25T12:00:00+01:00").isoformat()
    '2026-11-25T11:00:00+00:00'
    """
    if span := SPAN.fullmatch(moment_or_time_span):
        number = int(span[1])
        if span[2].lower().startswith("day"):
            return add_calendar_days(deadline, number)
        return (deadline.astimezone(UTC) + timedelta(hours=number)).astimezone(deadline.tzinfo)
    return datetime.fromisoformat(moment_or_time_span).astimezone(deadline.tzinfo)
