"""Read the values of decisions as people write them, and write them in one form: points, moments, spans of time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal, InvalidOperation

from autograder.course.time_parsing import InvalidTime, add_calendar_days, parse_time
from autograder.faults import CallerFault

SPAN = re.compile(r"\s*(\d{1,4})\s*(hours?|days?)\s*", re.IGNORECASE)
MOST_POINTS = Decimal(10**6)


def normalize_points(written: str, where: str) -> str:
    """Return points in one form, ``7.5``; a decimal comma will do.

    Raises:
        CallerFault: that is no number of points in hundredths.
    """
    try:
        points = Decimal(written.strip().replace(",", "."))
    except InvalidOperation:
        points = Decimal("NaN")
    if not points.is_finite() or abs(points) > MOST_POINTS:
        raise CallerFault(f"is no number of points: {written!r}", where, "write them as 7 or 7.5")
    if points != round(points, 2):
        raise CallerFault(f"is finer than hundredths of a point: {written}", where, f"write {round(points, 2)}")
    return format(points.normalize() + Decimal(0), "f")


def normalize_new_deadline(written: str, zone: tzinfo | None, where: str) -> str:
    """Return a moment in ISO 8601, or a span of time such as ``3 days``, in one form.

    Args:
        written: as somebody wrote it.
        zone: the time zone of a moment that names none.
        where: where it was written, for messages.

    Raises:
        CallerFault: that is neither.
    """
    if span := SPAN.fullmatch(written):
        number, unit = int(span[1]), span[2].lower().rstrip("s")
        if not number:
            raise CallerFault(f"gives no time: {written}", where, "write it as 2 days")
        return f"{number} {unit}{'' if number == 1 else 's'}"
    return normalize_moment(written, zone, where)


def normalize_moment(written: str, zone: tzinfo | None, where: str) -> str:
    """Return a moment in ISO 8601 with its offset from UTC.

    Raises:
        CallerFault: it is none.
    """
    try:
        return parse_time(written, zone, latest_if_ambiguous=True).isoformat()
    except InvalidTime as error:
        raise CallerFault(str(error), where, error.advice or "write it as 2025-11-21 23:59, or as 2 days") from error


def move_deadline(deadline: datetime, value: str) -> datetime:
    """Return a deadline moved by a span of time, or the moment that a value says, in the deadline's time zone."""
    if span := SPAN.fullmatch(value):
        number = int(span[1])
        if span[2].lower().startswith("day"):
            return add_calendar_days(deadline, number)
        return (deadline.astimezone(UTC) + timedelta(hours=number)).astimezone(deadline.tzinfo)
    return datetime.fromisoformat(value).astimezone(deadline.tzinfo)
