"""Turn the exception of a test, if any, into its result for the submission."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import pytest

from autograder.bridge.student_exceptions import (
    STOP_KINDS,
    ReportedException,
    StudentError,
    StudentStopped,
    StudentTimeout,
)
from autograder.faults import KitFault
from autograder.grading import explanations
from autograder.grading.explanations import RequiredNameNotUsable
from autograder.grading.interpreter_messages import is_known_name
from autograder.grading.own_errors import describe_own_error_of_test, is_raised_by_assertion_message
from autograder.grading.results import HiddenTestResult, HiddenTestSpec
from autograder.grading.source_slips import does_program_follow_hint
from autograder.text import escape_for_display

if TYPE_CHECKING:
    from autograder.course import Assignment

ENDLESS_MESSAGE = "does not end"
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?")


def _escape_and_round_numbers_in_message(test_message: str) -> str:
    """Escape a test's message, and round its numbers to nine significant digits; never return an empty text.

    So 1 and 1.0 give the same text, and so do values that differ only by rounding errors.
    """
    return (
        NUMBER.sub(lambda match: f"{float(match[0]) + 0.0:.9g}", escape_for_display(test_message)) or "does not hold"
    )


class HiddenTestResultBuilder:
    """Makes the results of one submission's tests from the outcomes of their runs.

    Attributes:
        faulty_test_ids: ids of tests that do not work here for any submission.
    """

    def __init__(
        self,
        assignment: Assignment,
        faulty_test_ids: frozenset[str],
        get_disclosable_facts: Callable[[], explanations.DisclosableFacts] = explanations.DisclosableFacts,
    ) -> None:
        self._get_disclosable_facts = get_disclosable_facts
        self._shows_observed = assignment.feedback.observed_values
        self._suite_folder = assignment.hidden_suite_folder
        self.faulty_test_ids = faulty_test_ids

    @cached_property
    def _disclosable_facts(self) -> explanations.DisclosableFacts:
        """Return the facts of the submission that may be shown; they are collected when first needed."""
        return self._get_disclosable_facts()

    def build_result(self, spec: HiddenTestSpec, raised: BaseException | None, seconds: float) -> HiddenTestResult:
        """Return the result of one test.

        Args:
            spec: the test.
            raised: what the test raised in any phase; None when it passed.
            seconds: how long the test took.

        Raises:
            KitFault: the kit failed; the submission is not to be scored.
        """
        if spec.id in self.faulty_test_ids:
            return self._make_grader_error_result(spec, seconds)
        match raised:
            case None:
                return HiddenTestResult(spec, "passed", seconds=seconds)
            case KitFault():
                raise raised
            case RequiredNameNotUsable():
                return self._make_missing_name_result(
                    spec, raised.name, seconds, is_tested=raised.is_tested_name, is_defined=raised.is_defined
                )
            case StudentStopped():
                return _make_stopped_result(spec, raised, seconds)
            case StudentError():
                return self._make_student_error_result(spec, raised.raised, seconds)
            case AssertionError() | pytest.fail.Exception():
                return self._make_failed_result(spec, raised, seconds)
            case pytest.skip.Exception():
                return HiddenTestResult(
                    spec,
                    "grader error",
                    "This test was left out. It costs no marks.",
                    seconds=seconds,
                    own_error=f"{spec.id} skips itself: {escape_for_display(str(raised.msg))}",
                )
            case _ if own_error := describe_own_error_of_test(raised, self._suite_folder):
                if is_raised_by_assertion_message(raised, self._suite_folder):
                    return HiddenTestResult(
                        spec, "failed", "This does not hold yet.", seconds=seconds, own_error=own_error
                    )
                return self._make_grader_error_result(spec, seconds, own_error)
            case _:
                # The reference passes this test, so the cause is a value from the student's code.
                message, hint = explanations.explain_test_exception(raised)
                hinted_spec = self._replace_or_drop_hint(spec, self._find_slip_hint(spec, ""), hint)
                return HiddenTestResult(
                    hinted_spec, "failed", message, seconds=seconds, observed_behavior="nothing that can be used"
                )

    def _make_student_error_result(
        self, spec: HiddenTestSpec, reported: ReportedException, seconds: float
    ) -> HiddenTestResult:
        if reported.builtin == "NotImplementedError":
            qualified_name = reported.function.rpartition("<locals>.")[2]
            name = qualified_name.rpartition(".")[2]
            name = name if is_known_name(name, self._disclosable_facts.known_words) else ""
            is_tested = not {name, qualified_name}.isdisjoint(spec.tested_names)
            return self._make_missing_name_result(spec, name or spec.id, seconds, is_tested=is_tested)
        message, hint = explanations.explain_exception_with_hint(reported, self._disclosable_facts)
        hinted_spec = self._replace_or_drop_hint(spec, self._find_slip_hint(spec, reported.message), hint)
        behavior = f"raises {reported.builtin}"
        return HiddenTestResult(hinted_spec, "error", message, seconds=seconds, observed_behavior=behavior)

    def _make_failed_result(self, spec: HiddenTestSpec, raised: BaseException, seconds: float) -> HiddenTestResult:
        words, _, hint = _split_assertion_message(raised).partition("\n")
        shown_text = escape_for_display(words) if self._shows_observed else ""
        return HiddenTestResult(
            self._replace_or_drop_hint(spec, self._find_slip_hint(spec, words), escape_for_display(hint.strip())),
            "failed",
            shown_text or "This does not hold yet.",
            seconds=seconds,
            observed_behavior=_escape_and_round_numbers_in_message(words),
        )

    def _make_grader_error_result(
        self, spec: HiddenTestSpec, seconds: float, own_error: str = ""
    ) -> HiddenTestResult:
        message = "This test does not work here. It costs no marks, and the staff is told."
        return HiddenTestResult(spec, "grader error", message, seconds=seconds, own_error=own_error)

    def _find_slip_hint(self, spec: HiddenTestSpec, words: str) -> str:
        """Return the hint on a slip in the source that explains what a test saw; empty without one."""
        names = (name.rpartition(".")[2] for name in (*spec.tested_names, *spec.required_names))
        return self._disclosable_facts.get_source_slip_hint((*names,), words)

    def _replace_or_drop_hint(self, spec: HiddenTestSpec, slip_hint: str, fitting_hint: str) -> HiddenTestSpec:
        """Return the test with the hint that fits its failure best; with none if the program follows it already."""
        hint = slip_hint or fitting_hint or spec.hint
        follows = not slip_hint and does_program_follow_hint(hint, spec.tested_names, self._disclosable_facts.sources)
        return replace(spec, hint="" if follows else hint)

    def _make_missing_name_result(
        self, spec: HiddenTestSpec, name: str, seconds: float, *, is_tested: bool, is_defined: bool = False
    ) -> HiddenTestResult:
        outcome = "not attempted" if is_tested else "blocked"
        message = explanations.explain_unusable_name(
            escape_for_display(name, 60), is_tested_name=is_tested, is_defined_but_failing=is_defined
        )
        return HiddenTestResult(
            spec,
            outcome,  # type: ignore[arg-type]
            message,
            seconds=seconds,
            blocking_name=name if is_defined else "",
        )


def _make_stopped_result(spec: HiddenTestSpec, stop: StudentStopped, seconds: float) -> HiddenTestResult:
    outcome = "timeout" if isinstance(stop, StudentTimeout) or stop.cause == "cpu" else "crashed"
    message = explanations.explain_stopped_process(stop)
    hinted_spec = replace(spec, hint=STOP_KINDS[stop.cause].hint)
    behavior = ENDLESS_MESSAGE if STOP_KINDS[stop.cause].never_ends else stop.cause
    return HiddenTestResult(hinted_spec, outcome, message, stop.cause, seconds, behavior)  # type: ignore[arg-type]


def _split_assertion_message(raised: BaseException) -> str:
    """Return an assertion's message, and a hint on a second line if its author gave one.

    Leave out the lines that pytest may add: they would reveal the answer.
    """
    return f"\n{raised}".partition("\nassert ")[0].strip()
