"""Compute what lateness costs, with extensions, apply it to a report, and say it in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import floor

from msgspec import structs

from autograder.course.deadline_rules import (
    DeadlineRules,
    LatePolicy,
    LatePolicyStep,
    add_calendar_days,
    format_time_for_people,
)
from autograder.reports import ScoreReport
from autograder.reports.report_model import FinalScore, ReportedLateness
from autograder.reports.wording import format_points
from autograder.submissions.origin import TOGETHER, SubmissionOrigin
from autograder.text import format_count, normalize_student_name_keeping_case

UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))


def _format_lateness_sentence(
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
    >>> _format_lateness_sentence(due, 90, has_extension=False, is_late=True, percent_off=off, reason=reason)
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
    deadline: datetime, seconds_late: int, *, grace_minutes: float, is_late: bool, percent_off: Fraction, reason: str
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


StudentNames = tuple[str, ...]
"""One student: the name used by the course, then other names that are certainly theirs alone."""


def list_students_of_origin(origin: SubmissionOrigin) -> tuple[StudentNames, ...]:
    """Return the students of a submission, each by the name on the course's list, or else by the platform's name."""
    return tuple(
        (normalize_student_name_keeping_case(name),)
        for name in origin.student_identifiers
        if normalize_student_name_keeping_case(name)
    )


def list_joined_students(joined_names: str) -> tuple[StudentNames, ...]:
    """Return the students in a joined name such as ``ada + bob``; empty for a single name.

    >>> list_joined_students("ada + bob"), list_joined_students("ada")
    ((('ada',), ('bob',)), ())
    """
    names = [normalize_student_name_keeping_case(name) for name in joined_names.split(TOGETHER)]
    return tuple((name,) for name in names if name) if len(names) > 1 else ()


def _find_effective_extension(
    deadline_rules: DeadlineRules, students: Iterable[StudentNames]
) -> tuple[str, datetime] | None:
    """Return the extension that counts for a submission of some students, as ``grading.yml`` names it; None without.

    Args:
        students: the students who handed in. A group gets the latest extension of any member. If a student has
            several, the one under the name that the course uses counts, or else the latest.
    """
    extensions = dict(deadline_rules.extensions)
    own_extensions = [_find_own_extension(extensions, names) for names in students]
    return max((extension for extension in own_extensions if extension), key=_get_timestamp, default=None)


def _find_own_extension(extensions: dict[str, datetime], names: StudentNames) -> tuple[str, datetime] | None:
    matches = [(name, extensions[name]) for name in names if name in extensions]
    return matches[0] if matches and matches[0][0] == names[0] else max(matches, key=_get_timestamp, default=None)


def _get_timestamp(extension: tuple[str, datetime]) -> float:
    return extension[1].timestamp()


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
    extension_holder, own_deadline = _find_effective_extension(
        deadline_rules, ((student_or_group_identifier,), *members)
    ) or ("", None)
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
        sentence=_format_lateness_sentence(
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


def apply_lateness(report: ScoreReport, lateness: Lateness | None) -> ScoreReport:
    """Return the report with its final points after lateness; everything else stays.

    Earlier lateness in the report is replaced, so applying this repeatedly is safe.

    Args:
        report: the report of one submission.
        lateness: the lateness of that submission; None where nothing is known or nothing can be late.
    """
    percent_off = lateness.percent_off if lateness else Fraction(0)
    final_score = FinalScore(
        score=deduct_percentage(report.score, percent_off),
        max_score=report.max_score,
        bonus=deduct_percentage(report.bonus.score, percent_off),
    )
    return structs.replace(report, final=final_score, lateness=_make_lateness_part(lateness) if lateness else None)


def deduct_percentage(points: float, percent_off: Fraction) -> float:
    """Return points less a percentage, rounded once to hundredths; halves are rounded up.

    >>> deduct_percentage(80.0, Fraction(25, 2))
    70.0
    """
    exact_points = Fraction(str(points)) * (100 - percent_off) / 100
    return float(Fraction(floor(exact_points * 100 + Fraction(1, 2)), 100))


def _make_lateness_part(lateness: Lateness) -> ReportedLateness:
    return ReportedLateness(
        handed_in=lateness.handed_in.isoformat(),
        deadline=lateness.deadline.isoformat(),
        extended=lateness.has_extension,
        seconds_late=lateness.seconds_late,
        days_late=lateness.days_late,
        percent_off=float(lateness.percent_off),
        message=lateness.sentence,
        extension_of=lateness.extension_holder,
    )
