"""Of several submissions of a student one counts; of what nobody knows whose it is, all do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from autograder.course.deadline_rules import Attempts
from autograder.lateness import (
    SubmissionTime,
    SubmissionTimes,
    select_counting_submissions,
)

START = datetime(2025, 11, 21, tzinfo=UTC)


def hand_ins(**seconds: int) -> SubmissionTimes:
    """Submissions of one student, ada, handed in so many seconds after the start."""
    return SubmissionTimes(
        {name: SubmissionTime("ada", START + timedelta(seconds=after)) for name, after in seconds.items()}
    )


@pytest.mark.parametrize(
    ("points", "seconds", "which", "counting"),
    [
        ([70, 90, 80], [1, 2, 3], "best", 1),
        ([90, 90], [2, 1], "best", 1),
        ([10, 90], [2, 1], "last", 0),
        ([10, 90], [1, 1], "last", 1),
        ([90, 90], [1, 1], "best", 0),
    ],
    ids=["the best", "of the best the earlier", "the last by time", "of the last the better", "of equals one"],
)
def test_one_attempt_of_a_student_counts_whatever_their_order(
    points: list[float], seconds: list[int], which: Attempts, counting: int
) -> None:
    names = "abc"[: len(points)]
    times, totals = hand_ins(**dict(zip(names, seconds, strict=True))), [*zip(names, points, strict=True)]
    for order in (totals, totals[::-1]):
        assert select_counting_submissions(order, times, which) == {names[counting]}


def test_each_student_has_one_that_counts_and_so_has_what_belongs_to_nobody() -> None:
    rows = {name: SubmissionTime(student, START) for name, student in (("a", "ada"), ("b", "bob"), ("b2", "bob"))}
    totals = [("a", 1), ("b", 2), ("b2", 3), ("one", 1), ("two", 2)]
    assert select_counting_submissions(totals, SubmissionTimes(rows), "best") == {"a", "b2", "one", "two"}
