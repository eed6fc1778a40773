"""Choose which of a student's submissions counts, and say why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from fractions import Fraction
from typing import Any, Literal

from autograder.course.deadline_rules import Attempts
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
