"""Write what a student reads about being late."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction

from autograder.course.time_format import format_time_for_people
from autograder.english_wording import format_count
from autograder.reports.report_wording import format_points

UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))


def format_lateness_sentence(
    deadline: datetime, seconds_late: int, *, has_extension: bool, is_late: bool, percent_off: Fraction, reason: str
) -> str:
    """Return a sentence on how late a submission is, by which deadline, and which penalty applies for which reason.

    Args:
        deadline: the student's own deadline.
        seconds_late: how many seconds late; 0 in time.
        has_extension: whether the deadline is an extension.
        is_late: whether the submission is later than the time of grace.
        percent_off: the percentage that is taken off.
        reason: the rule that says so; empty when none does.

    >>> from datetime import UTC
    >>> due = datetime(2026, 11, 20, 23, 59, tzinfo=UTC)
    >>> off, reason = Fraction(10), "1 day begun"
    >>> format_lateness_sentence(due, 90, has_extension=False, is_late=True, percent_off=off, reason=reason)
    'Handed in 1 minute 30 seconds after the deadline, 2026-11-20 23:59 UTC: 10 % is taken off (1 day begun).'
    """
    deadline_phrase = (
        f"{'your extended deadline' if has_extension else 'the deadline'}, {format_time_for_people(deadline)}"
    )
    if not seconds_late:
        return f"Handed in in time: by {deadline_phrase}."
    start = f"Handed in {format_duration_in_two_units(seconds_late)} after {deadline_phrase}"
    if not is_late:
        return f"{start}, within the time of grace: nothing is taken off."
    if not percent_off:
        return f"{start}: nothing is taken off."
    if percent_off == 100:
        return f"{start}: no points are left ({reason})."
    return f"{start}: {format_points(float(percent_off))} % is taken off ({reason})."


def format_cost_of_handing_in_now(
    deadline: datetime,
    seconds_late: int,
    *,
    grace_minutes: float,
    is_late: bool,
    percent_off: Fraction,
    reason: str,
) -> str:
    """Return a sentence on what a submission costs that is handed in now; empty up to the deadline.

    Args:
        deadline: the student's own deadline.
        seconds_late: how many seconds the deadline is past.
        grace_minutes: the minutes after the deadline in which nothing is taken off.
        is_late: whether these are over, too.
        percent_off: the percentage that is taken off now.
        reason: the rule that says so; empty when none does.

    >>> from datetime import UTC
    >>> due, late = datetime(2026, 11, 20, 23, 59, tzinfo=UTC), {"is_late": True, "percent_off": Fraction(10)}
    >>> format_cost_of_handing_in_now(due, 90, grace_minutes=0, reason="1 day begun", **late)
    'The deadline is over: 10 % is taken off what is handed in now (1 day begun).'
    """
    if not seconds_late:
        return ""
    if not is_late:
        grace_end = (deadline.astimezone(UTC) + timedelta(minutes=grace_minutes)).astimezone(deadline.tzinfo)
        end = format_time_for_people(grace_end.replace(microsecond=0))
        return f"The deadline is over, but nothing is taken off until the time of grace ends, {end}."
    if not percent_off:
        return "The deadline is over, but nothing is taken off what is handed in late."
    if percent_off == 100:
        return f"The deadline is over: what is handed in now gets no points ({reason})."
    return (
        f"The deadline is over: {format_points(float(percent_off))} % is taken off what is handed in now ({reason})."
    )


def format_duration_in_two_units(seconds: int) -> str:
    """Return a duration in its two largest units, ``1 day 3 hours``; smaller units are dropped.

    >>> format_duration_in_two_units(90_061)
    '1 day 1 hour'
    """
    parts: list[str] = []
    for name, size in UNITS:
        count, seconds = divmod(seconds, size)
        if count or parts:
            parts.append(format_count(count, name) if count else "")
        if len(parts) == 2:
            break
    return " ".join(part for part in parts if part)
