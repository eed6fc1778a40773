"""Write what a student reads about being late."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction

from autograder.course.time_parsing import format_time

UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))


def format_lateness_sentence(
    deadline: datetime, extended: bool, seconds: int, *, late: bool, percent: Fraction, why: str
) -> str:
    """Say in one sentence how late it is, by which deadline, and what is taken off for which reason.

    Args:
        deadline: the student's own deadline.
        extended: whether the deadline is an extension.
        seconds: how many seconds late; 0 in time.
        late: whether the hand-in is later than the time of grace.
        percent: the percentage that is taken off.
        why: the rule that says so; empty when none does.
    """
    by = f"{'your extended deadline' if extended else 'the deadline'}, {format_time(deadline)}"
    if not seconds:
        return f"Handed in in time: by {by}."
    start = f"Handed in {format_duration(seconds)} after {by}"
    if not late:
        return f"{start}, within the time of grace: nothing is taken off."
    if not percent:
        return f"{start}: nothing is taken off."
    if percent == 100:
        return f"{start}: no points are left ({why})."
    return f"{start}: {format_percentage(percent)} % is taken off ({why})."


def format_duration(seconds: int) -> str:
    """Give a time in its two largest units, ``1 day 3 hours``; anything smaller is dropped.

    >>> format_duration(90_061)
    '1 day 1 hour'
    """
    parts: list[str] = []
    for name, size in UNITS:
        count, seconds = divmod(seconds, size)
        if count or parts:
            parts.append(f"{count} {name}{'' if count == 1 else 's'}" if count else "")
        if len(parts) == 2:
            break
    return " ".join(part for part in parts if part)


def format_percentage(percent: Fraction) -> str:
    """Write a percentage without a useless fraction: 10, 12.5, 33.33."""
    return f"{float(percent):.2f}".rstrip("0").rstrip(".")
