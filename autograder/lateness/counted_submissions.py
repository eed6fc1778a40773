"""Choose which of a student's submissions counts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from fractions import Fraction

from autograder.course.deadline_rules import Attempts
from autograder.lateness.submission_times import SubmissionTimes


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

    >>> from autograder.lateness.submission_times import TimedSubmission
    >>> first = TimedSubmission("ada", datetime(2026, 11, 20))
    >>> second = TimedSubmission("ada", datetime(2026, 11, 21))
    >>> times, points = SubmissionTimes({"ada-1": first, "ada-2": second}), [("ada-1", 80.0), ("ada-2", 75.0)]
    >>> select_counting_submissions(points, times, "best")
    {'ada-1'}
    >>> select_counting_submissions(points, times, "last")
    {'ada-2'}
    """
    rank_by_student: dict[str, tuple[bool, bool, Fraction, Fraction, str]] = {}
    counting_names = set()
    for name, points in ids_with_points:
        timed_submission = submission_times.find_timed_submission(name)
        if timed_submission is None:
            counting_names.add(name)
            continue
        rank = (
            submission_times.find_reopened_attempt(name) is None,
            name not in submission_times.chosen,
            *_compute_sort_key(Fraction(str(points)), timed_submission.handed_in, which_attempt_counts),
            name,
        )
        rank_by_student[timed_submission.student] = min(rank, rank_by_student.get(timed_submission.student, rank))
    return counting_names | {name for *_, name in rank_by_student.values()}


def _compute_sort_key(points: Fraction, handed_in: datetime, attempts: Attempts) -> tuple[Fraction, Fraction]:
    """Return the sort key of a submission; the smallest counts."""
    seconds = Fraction(handed_in.timestamp())
    return (-points, seconds) if attempts == "best" else (-seconds, -points)
