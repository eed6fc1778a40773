"""How many attempts a student has left, and when the next may come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from autograder.course.deadline_rules import DeadlineRules
from autograder.lateness import AttemptAllowance, compute_attempt_allowance

START = datetime(2025, 11, 21, 12, 0, 0, 500_000, tzinfo=UTC)


def minutes(*numbers: float) -> list[datetime]:
    return [START + timedelta(minutes=number) for number in numbers]


@pytest.mark.parametrize(
    ("most", "handed_in", "left"), [(None, 9, None), (3, 0, 3), (3, 2, 1), (3, 3, 0), (3, 5, 0), (1, 0, 1)]
)
def test_what_is_left_is_the_limit_without_what_was_handed_in(
    most: int | None, handed_in: int, left: int | None
) -> None:
    due = DeadlineRules(most_attempts=most)
    allowance = compute_attempt_allowance(due, minutes(*range(handed_in)), None, START)
    assert (allowance.left, allowance.may_hand_in_now) == (left, left != 0)


@pytest.mark.parametrize(("after", "is_open"), [(0, False), (9.99, False), (10, True), (11, True)])
def test_the_next_comes_so_many_minutes_after_the_last(after: float, is_open: bool) -> None:
    due = DeadlineRules(minutes_between=10)
    allowance = compute_attempt_allowance(due, minutes(-60, 0), None, START + timedelta(minutes=after))
    assert allowance.may_hand_in_now == is_open
    until = datetime(2025, 11, 21, 12, 10, 1, tzinfo=UTC)  # never before the time that is said
    assert allowance.wait_until == (None if is_open else until)


def test_a_clock_that_was_put_back_makes_nobody_wait_where_there_is_no_wait() -> None:
    assert compute_attempt_allowance(DeadlineRules(most_attempts=5), minutes(3), None, START).may_hand_in_now


def test_a_first_attempt_waits_for_nothing() -> None:
    assert compute_attempt_allowance(DeadlineRules(minutes_between=10), [], None, START).may_hand_in_now


def test_a_reopened_attempt_goes_beyond_the_limit_once_and_at_once() -> None:
    due, reopened_at = DeadlineRules(most_attempts=2, minutes_between=10), START + timedelta(minutes=5)
    now = START + timedelta(minutes=6)
    assert compute_attempt_allowance(due, minutes(-9, 0), reopened_at, now) == AttemptAllowance(1, reopened=True)
    assert compute_attempt_allowance(due, minutes(-9, 0, 6), reopened_at, now) == AttemptAllowance(0)


def test_who_has_attempts_left_loses_none_by_another() -> None:
    due = DeadlineRules(most_attempts=5)
    assert compute_attempt_allowance(due, minutes(0), START + timedelta(minutes=1), START).left == 4
