"""A batch in numbers: what is common, what is slow, what failed; and no more of it however many submissions pass."""

from __future__ import annotations

from autograder.batch import BatchSummary
from autograder.workers.grading_tasks import GradingTaskResult


def summed(*ones: GradingTaskResult) -> BatchSummary:
    summary = BatchSummary(submission_count=len(ones))
    for one in ones:
        summary.add_result(one)
    return summary


def task_result(
    name: str, score: float = 10.0, seconds: float = 0.1, *mistakes: str, reused: bool = False
) -> GradingTaskResult:
    return GradingTaskResult(name, score, "graded", misconceptions=mistakes, seconds=seconds, was_reused=reused)


def test_a_mistake_is_counted_once_for_each_submission_with_it() -> None:
    summary = summed(
        task_result("a", 5, 0.1, "assigns", "assigns", "forgets"),
        task_result("b", 5, 0.1, "assigns", reused=True),
        task_result("c"),
    )
    assert summary.mistakes_by_frequency == [("assigns", 2), ("forgets", 1)]


def test_mistakes_that_are_equally_common_stand_in_one_order_whoever_is_graded_first() -> None:
    one, two = task_result("a", 5, 0.1, "forgets"), task_result("b", 5, 0.1, "assigns")
    assert (
        summed(one, two).mistakes_by_frequency
        == summed(two, one).mistakes_by_frequency
        == [("assigns", 1), ("forgets", 1)]
    )


def test_the_three_slowest_are_named_the_slowest_first() -> None:
    fast = [task_result(f"fast{n}") for n in range(10)]
    slow = [task_result(f"slow{n}", seconds=n) for n in (2, 5, 3, 4)]
    assert summed(*slow, *fast).slow_submissions == [("slow5", 5), ("slow4", 4), ("slow3", 3)]


def test_who_is_not_clearly_slower_than_most_is_not_called_slow() -> None:
    assert (
        summed(
            task_result("a", seconds=4), task_result("b", seconds=5), task_result("c", seconds=11)
        ).slow_submissions
        == []
    )
    assert (
        summed(
            *(task_result(f"{n}", seconds=0.01) for n in range(9)), task_result("slow", seconds=0.9)
        ).slow_submissions
        == []
    )


def test_who_was_graded_before_is_not_slow_now() -> None:
    summary = summed(*(task_result(f"{n}") for n in range(9)), task_result("before", seconds=60, reused=True))
    assert (summary.slow_submissions, summary.reused_count) == ([], 1)
