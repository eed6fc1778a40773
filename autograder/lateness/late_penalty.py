"""Compute the penalty for the time of a submission. Pure and exact.

The percentage taken off is the smaller of ``cap_percent`` and ``percent_per_day`` times the days that have begun, or
the same by the hour, or that of a step of a table: see docs/lateness.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from autograder.course.deadline_rules import DeadlineRules, LatePolicy, LatePolicyStep
from autograder.course.time_format import add_calendar_days
from autograder.english_wording import format_count
from autograder.lateness.extension_selection import StudentNames, find_effective_extension
from autograder.lateness.lateness_text import format_lateness_sentence

ALL = Fraction(100)
HOUR = 3600


@dataclass(frozen=True, slots=True)
class Lateness:
    """How late one submission is, and what that costs."""

    handed_in: datetime
    """In the deadline's time zone."""
    deadline: datetime
    """The student's own deadline."""
    has_extension: bool
    """Whether that is an extension."""
    seconds_late: int
    """Seconds after the deadline, also within the grace period; 0 in time."""
    days_late: int
    """Days that have begun since the deadline; 0 in time and within the time of grace."""
    percent_off: Fraction
    """The percentage taken off the points, bonus included: 0 to 100."""
    sentence: str
    """The same for the student."""
    extension_holder: str = ""
    """The student whose extension counts, as named in ``grading.yml``; empty without one."""
    reason: str = ""
    """The rule that takes the percentage off, as the sentence has it; empty where none does."""

    @property
    def is_late(self) -> bool:
        """Return whether it is later than the time of grace."""
        return self.days_late > 0


def compute_lateness_or_none(
    deadline_rules: DeadlineRules,
    student_or_group_identifier: str,
    handed_in: datetime,
    members: Iterable[StudentNames] = (),
) -> Lateness | None:
    """Compute how late a submission is; return None where nothing can be late.

    Args:
        deadline_rules: when the assignment is due.
        student_or_group_identifier: the student, or the group as one word, as ``extensions`` of ``grading.yml``
            names them.
        handed_in: when it was handed in, with a time zone. Fractions of a second are dropped, in the student's
            favour.
        members: the members of the group, each with all names; an extension of any member counts for the group.

    >>> from autograder.course.deadline_rules import LatePolicy
    >>> due = datetime(2026, 11, 20, 23, 59, tzinfo=UTC)
    >>> rules = DeadlineRules(due, LatePolicy(percent_per_day=10))
    >>> late = compute_lateness_or_none(rules, "ada", due + timedelta(hours=25))
    >>> late.days_late, late.percent_off
    (2, Fraction(20, 1))
    """
    members = tuple(members)
    general_deadline = deadline_rules.find_deadline_before_extensions(members or ((student_or_group_identifier,),))
    extension_holder, own_deadline = find_effective_extension(
        deadline_rules, ((student_or_group_identifier,), *members)
    ) or (
        "",
        None,
    )
    if own_deadline and general_deadline and deadline_rules.deadlines_of_students and own_deadline < general_deadline:
        # Another member has more time.
        extension_holder, own_deadline = "", None
    deadline = own_deadline or general_deadline
    if deadline is None:
        return None
    handed_in = handed_in.replace(microsecond=0).astimezone(deadline.tzinfo)
    seconds = max(0, _count_seconds(deadline, handed_in))
    is_late = seconds > Fraction(str(deadline_rules.late_policy.grace_minutes)) * 60
    days = _count_days_begun(deadline, handed_in) if is_late else 0
    percent, reason = (
        _compute_percentage(deadline_rules.late_policy, deadline, handed_in, seconds, days)
        if is_late
        else (Fraction(0), "")
    )
    return Lateness(
        handed_in=handed_in,
        deadline=deadline,
        has_extension=own_deadline is not None,
        seconds_late=seconds,
        days_late=days,
        percent_off=percent,
        sentence=format_lateness_sentence(
            deadline,
            seconds,
            has_extension=own_deadline is not None,
            is_late=is_late,
            percent_off=percent,
            reason=reason,
        ),
        extension_holder=extension_holder,
        reason=reason,
    )


def _compute_percentage(
    policy: LatePolicy, deadline: datetime, handed_in: datetime, seconds: int, days: int
) -> tuple[Fraction, str]:
    """Return the percentage that is taken off, and the reason as it stands in the sentence."""
    if policy.latest_days is not None and days > policy.latest_days:
        return ALL, f"nothing counts that is more than {format_count(policy.latest_days, 'day')} late"
    hours = -(-seconds // HOUR)
    if policy.table:
        step = _find_step(policy.table, deadline, handed_in)
        if step is None:
            last_step = max(policy.table, key=lambda step: step.max_hours_late)
            return ALL, f"nothing counts that is more than {_format_step_end(last_step)} late"
        percent, reason = Fraction(str(step.percent)), f"up to {_format_step_end(step)} late"
    elif policy.percent_per_hour is not None:
        percent = hours * Fraction(str(policy.percent_per_hour))
        reason = f"{format_count(hours, 'hour')} begun, {policy.percent_per_hour:g} % each"
    elif policy.percent_per_day is not None:
        percent = days * Fraction(str(policy.percent_per_day))
        reason = f"{format_count(days, 'day')} begun, {policy.percent_per_day:g} % each"
    else:
        return Fraction(0), ""
    cap = Fraction(str(policy.cap_percent))
    return (cap, f"{reason}, at most {policy.cap_percent:g} %") if percent > cap else (percent, reason)


def _find_step(steps: tuple[LatePolicyStep, ...], deadline: datetime, handed_in: datetime) -> LatePolicyStep | None:
    """Return the first step of a table that has not ended; None after the last."""
    for step in sorted(steps, key=lambda step: step.max_hours_late):
        if _count_seconds(_compute_step_end(step, deadline), handed_in) <= 0:
            return step
    return None


def _compute_step_end(step: LatePolicyStep, deadline: datetime) -> datetime:
    if step.up_to_days is not None:
        return add_calendar_days(deadline, step.up_to_days)
    return deadline.astimezone(UTC) + timedelta(hours=step.up_to_hours or 0)


def _count_days_begun(deadline: datetime, handed_in: datetime) -> int:
    """Count the days begun after the deadline, by local time: with a clock change, a day has 23 or 25 hours."""
    days = max(1, _count_seconds(deadline, handed_in) // (24 * HOUR) - 1)
    while _count_seconds(add_calendar_days(deadline, days), handed_in) > 0:
        days += 1
    return days


def _count_seconds(start: datetime, end: datetime) -> int:
    """Return the elapsed seconds between two moments, independent of clock changes."""
    return int((end.astimezone(UTC) - start.astimezone(UTC)).total_seconds())


def _format_step_end(step: LatePolicyStep) -> str:
    if step.up_to_days is not None:
        return format_count(step.up_to_days, "day")
    return format_count(step.up_to_hours or 0, "hour")
