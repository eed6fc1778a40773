"""Decide which tests run again, and which of two results counts: only the submission itself may cost marks."""

from __future__ import annotations

from dataclasses import replace

from autograder.bridge.student_exceptions import WALL, is_time_limit
from autograder.grading.hidden_test_model import HiddenTestResult

LOST_OUTCOMES = ("failed", "error", "timeout", "crashed")
STOPPED_OUTCOMES = ("timeout", "crashed")
ONE_ORDER_HINT = "The order of a set is not defined, and in one of two orders this breaks"


def choose_result_after_appeal(first: HiddenTestResult, appeal: HiddenTestResult) -> HiddenTestResult:
    """Return the result that counts of a test that met a limit, and was tried again with more time.

    Where all the time of the submission was used up, the first result says more: which line was reached.
    """
    return first if appeal.stop_cause == "submission" and first.stop_cause != WALL else appeal


def is_same_behavior(one: HiddenTestResult, other: HiddenTestResult) -> bool:
    """Return whether a test saw the same of a program in two processes; a limit on time says nothing of that."""
    if is_time_limit(one.stop_cause) or is_time_limit(other.stop_cause):
        return True
    return (one.outcome, one.stop_cause, one.observed_behavior) == (
        other.outcome,
        other.stop_cause,
        other.observed_behavior,
    )


def combine_set_order_results(
    result_in_usual_order: HiddenTestResult, result_in_opposite_order: HiddenTestResult
) -> HiddenTestResult:
    """Combine the results of a test with sets in the usual order and in the opposite one.

    Both orders are legal, so a right program passes with both.

    Returns:
        The result that counts, with the seconds of both, and with a hint in its message if only one order lost.
        A stop says nothing about an order.
    """
    lost = [result for result in (result_in_usual_order, result_in_opposite_order) if result.outcome in LOST_OUTCOMES]
    counts = lost[0] if lost else result_in_usual_order
    seconds = result_in_usual_order.seconds + result_in_opposite_order.seconds
    depends_on_order = len(lost) == 1 and counts.outcome not in STOPPED_OUTCOMES
    message = f"{ONE_ORDER_HINT}: {counts.message}" if depends_on_order else counts.message
    return replace(counts, message=message, seconds=seconds)
