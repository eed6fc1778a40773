"""Decide which tests run again, and which of two results counts: only the submission itself may cost marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.bridge import Bridge
from autograder.grading.hidden_test_model import HiddenTestResult

LOST_OUTCOMES = ("failed", "error", "timeout", "crashed")
STOPPED_OUTCOMES = ("timeout", "crashed")
ONE_ORDER_HINT = "The order of a set is not defined, and in one of two orders this breaks"


class RerunPolicy:
    """Says which tests of one submission must run again, and remembers which did."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._rerun_test_ids: set[str] = set()

    def end_process_if_rerun_needed(self, result: HiddenTestResult) -> bool:
        """Return whether a test must be run again in a fresh process before its result counts.

        If so, end the current process and record the test. State left behind by an earlier test must not make a later
        one fail, and a busy machine must not cost marks.
        """
        left_behind = (
            self._bridge.state.process_served_earlier_test
            and result.outcome in LOST_OUTCOMES
            and not self._bridge.is_stop_repeated
        )
        repeat = left_behind or self.needs_rerun_despite_isolation(result)
        if repeat:
            self._rerun_test_ids.add(result.spec.id)
            self._bridge.end_process()
        return repeat

    def has_passed_rerun(self, results: Sequence[HiddenTestResult]) -> bool:
        """Return whether a test that failed in a used process passed in a fresh one.

        A program can detect the first test of its process, and behave differently in later ones. Then the code must
        be loaded again for every test, so that only one of these behaviours counts.
        """
        return any(result.outcome == "passed" and result.spec.id in self._rerun_test_ids for result in results)

    def needs_rerun_despite_isolation(self, result: HiddenTestResult) -> bool:
        """Return whether a test must run again although no other test can have affected it; change nothing."""
        return (
            result.stop_cause == "wall" and self._bridge.time_budget.grants_full_test_limit
        ) or self._bridge.adaptive_memory_limit.was_exceeded


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
