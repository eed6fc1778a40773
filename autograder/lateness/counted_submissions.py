"""Decide which of a student's submissions counts, and how many may be handed in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, Literal

from autograder.course.deadline_rules import Attempts, DeadlineRules
from autograder.lateness.submission_times import SubmissionTimes

CountingReason = Literal["reopened", "set score", "most points", "last", "first"]
"""Why one attempt counts before another: see ``REASON_PHRASES`` in ``counting_text``."""


def select_counting_submissions(
    ids_with_points: Iterable[tuple[str, float]], submission_times: SubmissionTimes, which_attempt_counts: Attempts
) -> set[str]:
    """Return the submissions that count: one per student, and every one whose student is unknown.

    Args:
        ids_with_points: each submission's id and its final points, bonus included.
        submission_times: whose the submissions are, and when they were handed in.
        which_attempt_counts: ``best``: the one with the most points, the earlier of two equal ones; ``last``: the
            one handed in last. Submissions of the same second are ordered by points, then by name. A reopened
            attempt takes precedence over earlier ones, and a submission with a score set by the staff over others.

    >>> from autograder.lateness.submission_times import SubmissionTime
    >>> first = SubmissionTime("ada", datetime(2026, 11, 20))
    >>> second = SubmissionTime("ada", datetime(2026, 11, 21))
    >>> times, points = SubmissionTimes({"ada-1": first, "ada-2": second}), [("ada-1", 80.0), ("ada-2", 75.0)]
    >>> select_counting_submissions(points, times, "best")
    {'ada-1'}
    >>> select_counting_submissions(points, times, "last")
    {'ada-2'}
    """
    return {*explain_counting_submissions(ids_with_points, submission_times, which_attempt_counts)}


def explain_counting_submissions(
    ids_with_points: Iterable[tuple[str, float]], submission_times: SubmissionTimes, which_attempt_counts: Attempts
) -> dict[str, tuple[CountingReason, ...]]:
    """Return the submissions that count, each with the reasons that put it before others of its student, in order.

    The arguments are those of ``select_counting_submissions``. Without another submission there are no reasons.
    """
    ranks_by_student: dict[str, list[tuple[Any, ...]]] = {}
    counting: dict[str, tuple[CountingReason, ...]] = {}
    for name, points in ids_with_points:
        submission_time = submission_times.find_submission_time(name)
        if submission_time is None:
            counting[name] = ()
            continue
        rank = (
            submission_times.find_reopened_attempt(name) is None,
            name not in submission_times.chosen,
            *_compute_sort_key(Fraction(str(points)), submission_time.handed_in, which_attempt_counts),
            name,
        )
        ranks_by_student.setdefault(submission_time.student, []).append(rank)
    for ranks in ranks_by_student.values():
        counting[min(ranks)[-1]] = tuple(_iterate_deciding_reasons(ranks, which_attempt_counts))
    return counting


def _iterate_deciding_reasons(
    ranks: list[tuple[Any, ...]], which_attempt_counts: Attempts
) -> Iterator[CountingReason]:
    """Yield each reason that leaves fewer of a student's submissions than the reasons before it."""
    by_course: tuple[CountingReason, CountingReason]
    by_course = ("most points", "first") if which_attempt_counts == "best" else ("last", "most points")
    reasons: tuple[CountingReason, ...] = ("reopened", "set score", *by_course)
    best = min(ranks)
    for place, reason in enumerate(reasons):
        left = [rank for rank in ranks if rank[place] == best[place]]
        if len(left) < len(ranks):
            yield reason
        ranks = left


def _compute_sort_key(points: Fraction, handed_in: datetime, attempts: Attempts) -> tuple[Fraction, Fraction]:
    """Return the sort key of a submission; the smallest counts."""
    seconds = Fraction(handed_in.timestamp())
    return (-points, seconds) if attempts == "best" else (-seconds, -points)


REASON_PHRASES: dict[CountingReason, str] = {
    "reopened": "was handed in after the staff gave another attempt",
    "set score": "has a score that the staff set, which counts whatever points other attempts have",
    "most points": "has the most points",
    "last": "is the last one that was graded",
    "first": "was handed in first",
}
"""What the attempt that counts has before others, by the reason why it counts."""


def format_counting_sentence(attempt_number: int, reasons: tuple[CountingReason, ...]) -> str:
    """Return a sentence on the attempt that counts.

    Args:
        reasons: see ``explain_counting_submissions``.

    >>> format_counting_sentence(2, ("most points", "first"))
    'Attempt 2 counts: it has the most points, and of those attempts it was handed in first.'
    """
    phrases = ", and of those attempts it ".join(REASON_PHRASES[reason] for reason in reasons)
    return f"Attempt {attempt_number} counts{f': it {phrases}' if phrases else ''}."


def format_counting_cell(attempt_number: int, reasons: tuple[CountingReason, ...]) -> str:
    """Return the attempt that counts in a few words, for a table.

    >>> format_counting_cell(2, ("most points", "first")), format_counting_cell(1, ())
    ('attempt 2: most points, first', 'attempt 1')
    """
    return f"attempt {attempt_number}{': ' if reasons else ''}{', '.join(reasons)}"


@dataclass(frozen=True, slots=True)
class AttemptAllowance:
    """How many attempts a student has left, and from when on."""

    left: int | None
    """None where there is no limit."""
    wait_until: datetime | None = None
    """When the next attempt may be handed in, rounded up to a whole second; None if now."""
    reopened: bool = False
    """Whether the next attempt is one that the staff gave, regardless of the rules."""

    @property
    def may_hand_in_now(self) -> bool:
        """Return whether the next attempt may be handed in now."""
        return self.left != 0 and self.wait_until is None


def compute_attempt_allowance(
    deadline_rules: DeadlineRules,
    counted_attempt_times: Sequence[datetime],
    reopened_at: datetime | None,
    now: datetime,
) -> AttemptAllowance:
    """Compute what a student may still hand in.

    Args:
        deadline_rules: the rules of the assignment.
        counted_attempt_times: the times of the attempts, in order, without those on which the grader failed: they
            do not count.
        reopened_at: when the staff last gave another attempt; one attempt may follow regardless of the rules.
        now: the present time.

    >>> rules = DeadlineRules(most_attempts=3, minutes_between=10)
    >>> noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    >>> allowance = compute_attempt_allowance(rules, [noon], None, now=noon)
    >>> allowance.left, allowance.wait_until.isoformat()
    (2, '2026-11-20T12:10:00+00:00')
    """
    attempts_left = (
        None
        if deadline_rules.most_attempts is None
        else max(0, deadline_rules.most_attempts - len(counted_attempt_times))
    )
    if reopened_at is not None and not any(attempt_time >= reopened_at for attempt_time in counted_attempt_times):
        return AttemptAllowance(None if attempts_left is None else max(1, attempts_left), reopened=True)
    if not counted_attempt_times or attempts_left == 0 or not deadline_rules.minutes_between:
        return AttemptAllowance(attempts_left)
    next_at = counted_attempt_times[-1] + timedelta(minutes=deadline_rules.minutes_between)
    if next_at <= now:
        return AttemptAllowance(attempts_left)
    return AttemptAllowance(attempts_left, datetime.fromtimestamp(math.ceil(next_at.timestamp()), UTC))
