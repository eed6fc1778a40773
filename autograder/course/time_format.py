"""Parse times as people write them, and format times for people.

Times are written in ISO 8601, with a UTC offset or in the local time of a time zone.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo


class InvalidTime(ValueError):
    """A value that is not a usable time. The message says why, and ``advice`` says what to do."""

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(reason)
        self.advice = advice


def require_time_zone(zone_name: str) -> ZoneInfo:
    """Return the time zone of this name.

    Raises:
        InvalidTime: there is no such time zone.
    """
    try:
        return ZoneInfo(zone_name)
    except (KeyError, ValueError, OSError) as error:
        raise InvalidTime(
            f"unknown time zone {zone_name!r}", "write one such as Europe/Berlin or America/New_York"
        ) from error


def parse_time(written: object, default_zone: tzinfo | None, *, latest_if_ambiguous: bool = False) -> datetime:
    """Parse a time, to the second.

    Args:
        written: ISO 8601 with a time of day, ``UTC`` for its zone as well, or the ``datetime`` that YAML makes of it.
        default_zone: the time zone of a time that names none; a time that names one is converted to this zone.
        latest_if_ambiguous: when clocks are put back and show a time twice, whether to return the later moment.

    Raises:
        InvalidTime: ``written`` is not a date and time, has no time zone, or is a time that clocks skip.

    >>> parse_time("2025-11-21 23:59", ZoneInfo("Europe/Berlin")).isoformat()
    '2025-11-21T23:59:00+01:00'
    >>> parse_time("2025-11-21T23:59Z", ZoneInfo("Europe/Berlin")).isoformat()
    '2025-11-22T00:59:00+01:00'
    """
    if isinstance(written, str):
        written = _parse_date_or_time(written.strip())
    if not isinstance(written, datetime):
        is_date = isinstance(written, date)
        problem = f"the date {written} has no time of day" if is_date else f"{written!r} is not a date and time"
        raise InvalidTime(problem, "write it as 2025-11-21 23:59")
    moment = written.replace(microsecond=0)
    if not 1970 <= moment.year < 9000:
        raise InvalidTime(f"the year {moment.year} is out of range", "write the year in four digits")
    if moment.tzinfo is not None:
        return moment.astimezone(default_zone) if default_zone else moment
    if default_zone is None:
        raise InvalidTime(
            f"the time {moment:%Y-%m-%d %H:%M} has no time zone",
            "name one: `timezone: Europe/Berlin`, or write 2025-11-21T23:59+01:00",
        )
    local = moment.replace(tzinfo=default_zone, fold=int(latest_if_ambiguous))
    if local.astimezone(UTC).astimezone(default_zone).replace(tzinfo=None) != moment:
        raise InvalidTime(
            f"the time {moment:%Y-%m-%d %H:%M} does not exist: clocks in {default_zone} are put forward then",
            "write another time",
        )
    return local


def add_calendar_days(moment: datetime, days: int) -> datetime:
    """Return the moment with the same local time so many days later; the later one if clocks show that time twice.

    >>> before_clock_change = datetime(2026, 3, 28, 23, 59, tzinfo=ZoneInfo("Europe/Berlin"))
    >>> add_calendar_days(before_clock_change, 1).isoformat()
    '2026-03-29T23:59:00+02:00'
    """
    local_moment = moment + timedelta(days=days)
    later_moment = max(local_moment.replace(fold=0).astimezone(UTC), local_moment.replace(fold=1).astimezone(UTC))
    return later_moment.astimezone(moment.tzinfo)


def format_time_for_people(moment: datetime) -> str:
    """Format a moment for people: ``2025-11-21 23:59 CET``.

    >>> format_time_for_people(datetime(2025, 11, 21, 23, 59, tzinfo=ZoneInfo("Europe/Berlin")))
    '2025-11-21 23:59 CET'
    """
    return f"{moment:%Y-%m-%d %H:%M}{f':{moment:%S}' if moment.second else ''} {moment:%Z}"


def _parse_date_or_time(text: str) -> object:
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text.replace(" UTC", "+00:00"))
    except ValueError:
        return text
