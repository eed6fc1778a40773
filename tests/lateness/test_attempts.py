"""Of several submissions of a student one counts; of what nobody knows whose it is, all do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from autograder.course.deadline_rules import Attempts
from autograder.lateness import (
    CountingReason,
    ReopenedAttempt,
    SubmissionTime,
    SubmissionTimes,
    explain_counting_submissions,
    select_counting_submissions,
)

START = datetime(2025, 11, 21, tzinfo=UTC)


def hand_ins(**seconds: int) -> SubmissionTimes:
    """Submissions of one student, ada, handed in so many seconds after the start."""
    return SubmissionTimes(
        {name: SubmissionTime("ada", START + timedelta(seconds=after)) for name, after in seconds.items()}
    )


def test_of_three_attempts_the_best_counts() -> None:
    assert select_counting_submissions(
        [("one", 70), ("two", 90), ("three", 80)], hand_ins(one=1, two=2, three=3), "best"
    ) == {"two"}


def test_of_the_best_two_alike_the_earlier_counts() -> None:
    assert select_counting_submissions([("late", 90), ("soon", 90)], hand_ins(late=2, soon=1), "best") == {"soon"}


def test_the_last_counts_by_time_and_not_by_its_place_in_the_batch() -> None:
    assert select_counting_submissions([("late", 10), ("soon", 90)], hand_ins(late=2, soon=1), "last") == {"late"}


def test_of_two_last_at_the_same_second_the_better_counts() -> None:
    assert select_counting_submissions([("a", 10), ("b", 90)], hand_ins(a=1, b=1), "last") == {"b"}


def test_of_two_that_nothing_tells_apart_one_counts() -> None:
    for order in ([("a", 90), ("b", 90)], [("b", 90), ("a", 90)]):
        assert select_counting_submissions(order, hand_ins(a=1, b=1), "best") == {"a"}


def test_each_student_has_one_that_counts() -> None:
    rows = {
        "a": SubmissionTime("ada", START),
        "b": SubmissionTime("bob", START),
        "b2": SubmissionTime("bob", START),
    }
    assert select_counting_submissions([("a", 1), ("b", 2), ("b2", 3)], SubmissionTimes(rows), "best") == {
        "a",
        "b2",
    }


def test_what_belongs_to_nobody_counts() -> None:
    assert select_counting_submissions([("one", 1), ("two", 2)], SubmissionTimes(), "last") == {
        "one",
        "two",
    }


ATTEMPTS = hand_ins(one=1, two=2, three=3)


@pytest.mark.parametrize(
    ("points", "which", "expected"),
    [
        ((70, 90, 80), "best", {"two": ("most points",)}),
        ((70, 90, 90), "best", {"two": ("most points", "first")}),
        ((90, 90, 90), "best", {"one": ("first",)}),
        ((90, 90, 10), "last", {"three": ("last",)}),
    ],
)
def test_the_rules_are_told_by_which_an_attempt_counts_before_others(
    points: tuple[float, ...], which: Attempts, expected: dict[str, tuple[CountingReason, ...]]
) -> None:
    found = explain_counting_submissions(zip(("one", "two", "three"), points, strict=True), ATTEMPTS, which)
    assert found == expected


def test_a_single_attempt_counts_by_no_rule() -> None:
    assert explain_counting_submissions([("one", 5)], ATTEMPTS, "best") == {"one": ()}


def test_what_the_staff_decided_is_told_before_the_rule_of_the_course() -> None:
    points = [("one", 90), ("two", 10), ("three", 20)]
    chosen = replace(ATTEMPTS, chosen=frozenset({"two"}))
    assert explain_counting_submissions(points, chosen, "best") == {"two": ("set score",)}
    reopened = replace(ATTEMPTS, reopened={"ada": ReopenedAttempt(START + timedelta(seconds=2))})
    assert explain_counting_submissions(points, reopened, "best") == {"three": ("reopened", "most points")}
