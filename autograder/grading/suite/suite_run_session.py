"""Run the hidden tests on one program, from the moment it is loaded."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from autograder.bridge import Bridge, StudentStopped
from autograder.bridge.process_messages import MalformedMessage, split_answers_message
from autograder.bridge.request_transcript import RequestTranscript, is_exception_answer, is_remembered_lookup_request
from autograder.bridge.student_exceptions import is_time_limit
from autograder.grading.hidden_test_model import OUTCOMES_WITH_FULL_POINTS, HiddenTestResult, HiddenTestSpec
from autograder.grading.hidden_test_result_builder import HiddenTestResultBuilder
from autograder.grading.prefetching.caching_test_runner import PrefetchingTestRunner
from autograder.grading.prefetching.known_request_paths import ReferenceRun
from autograder.grading.submission_under_test import BridgedSubmissionUnderTest
from autograder.grading.suite.hidden_suite import HiddenSuiteSession
from autograder.grading.suite.hidden_test_reruns import (
    LOST_OUTCOMES,
    choose_result_after_appeal,
    combine_set_order_results,
    is_same_behavior,
)
from autograder.grading.suite.runnable_test import RawTestRun
from autograder.submissions import UngradableSubmission

ORDER_DEPENDENT_OUTCOMES = ("passed", "failed", "error")
"""Outcomes that may change with the order of sets. A stopped test is not run again: it would be stopped again."""


@dataclass(frozen=True, slots=True, eq=False)
class LostRun:
    """A test that was lost, with its requests and their answers."""

    test_id: str
    reverses_set_order: bool
    transcript: RequestTranscript


@dataclass(frozen=True, slots=True)
class SuiteRunSession:
    """A program loaded in its process, with everything that is needed to run the tests on it.

    ``SuiteRunner`` opens and ends it.
    """

    suite: HiddenSuiteSession
    bridge: Bridge
    target: BridgedSubmissionUnderTest
    result_builder: HiddenTestResultBuilder
    reference_runs: Mapping[str, ReferenceRun] = field(default_factory=dict)
    """The tests' runs on the reference solution, as far as they are known."""
    recorded_runs: dict[str, ReferenceRun] | None = None
    """Where the tests' runs on this program are put; only for the reference solution."""
    lost_runs: list[LostRun] = field(default_factory=list)
    """The runs of tests that were lost otherwise than by a limit on time."""
    runs_both_set_orders: bool = False
    """Whether the program may depend on the order of a set. Then tests are run in two opposite orders."""
    loading_notes: tuple[str, ...] = ()
    """Sentences on how the program was read and loaded."""
    ungradable_reason: UngradableSubmission | None = None
    """Why it cannot be graded at all; None when it can."""

    def run_all_tests(self) -> tuple[HiddenTestResult, ...]:
        """Return the result of every test, in the order of the suite.

        What met a limit on time is tried again with more of it. What fails otherwise is tried again in another
        process, after other tests than before. If that makes a difference, each test runs in a process of its own: a
        program can detect the first test of its process, and only one of two behaviours may count.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the program.
        """
        return self.run_tests([spec.id for spec in self.suite.test_specs])

    def run_tests(self, test_ids: Sequence[str]) -> tuple[HiddenTestResult, ...]:
        """Return the results of some tests alone, in their order; see ``run_all_tests``.

        Args:
            test_ids: ids of the tests.
        """
        self.suite.start_record()
        findings = self.target.student.remembered.content
        known_findings = dict(findings)
        results = {result.spec.id: result for result in self._run(test_ids)}
        self._appeal(results)
        if self._depends_on_other_tests(results):
            self.bridge.end_process()
            self.bridge.state.needs_fresh_processes = True
            findings.clear()
            findings.update(known_findings)
            for result in self._run(test_ids):
                if self.bridge.time_budget.may_load_again or result.outcome == "passed":
                    results[result.spec.id] = result
            self._appeal(results)
        return tuple(results[test_id] for test_id in test_ids)

    def _appeal(self, results: dict[str, HiddenTestResult]) -> None:
        """Try tests that met a limit on time again, with more of it, and replace their results."""
        uncertain_ids = [test_id for test_id, result in results.items() if is_time_limit(result.stop_cause)]
        if not uncertain_ids:
            return
        self.bridge.end_process()
        self.bridge.time_budget.begin_appeal()
        for result in self._run(uncertain_ids):
            first = results[result.spec.id]
            results[result.spec.id] = choose_result_after_appeal(first, result)

    def _depends_on_other_tests(self, results: Mapping[str, HiddenTestResult]) -> bool:
        """Return whether a lost test sees something else of the program in another process, after other tests.

        A passed test is seen again, too: a program may be wrong in the first test of its process alone.
        """
        lost_runs = self.lost_runs[::-1]
        self.lost_runs.clear()
        if not lost_runs or self.bridge.state.needs_fresh_processes:
            return False
        passed_ids = [test_id for test_id, result in results.items() if result.outcome == "passed"]
        self.bridge.end_process()
        if not self._run_as_before(passed_ids[-1:], results):
            return True
        self.bridge.end_process()
        answers_alike = {run: self._is_answered_as_before(run) for run in lost_runs}
        if False in answers_alike.values():
            return True
        unclear_ids = dict.fromkeys(run.test_id for run, is_alike in answers_alike.items() if is_alike is None)
        return not self._run_as_before([*unclear_ids], results)

    def _run_as_before(self, test_ids: Sequence[str], results: Mapping[str, HiddenTestResult]) -> bool:
        """Return whether tests see the same of the program once more."""
        with closing(self._run(test_ids)) as again:
            return all(is_same_behavior(results[result.spec.id], result) for result in again)

    def _is_answered_as_before(self, run: LostRun) -> bool | None:
        """Send a lost test's requests again, and return whether the answers are the same; None if unclear.

        A test is a function of the answers that it gets. What follows an exception cannot be sent with it.
        """
        exchanges = run.transcript.exchanges
        sent = [exchange for exchange in exchanges if not is_remembered_lookup_request(exchange[0])]
        if not run.transcript.is_repeatable or any(is_exception_answer(answer) for _, answer in sent[:-1]):
            return None
        packed_requests = b",".join(request for request, _ in sent)
        try:
            packed_answers = self.bridge.prefetch_answers_of_tests([(packed_requests, run.reverses_set_order)])
            answers = split_answers_message(packed_answers[0], len(sent)) if packed_answers else []
        except (StudentStopped, MalformedMessage):
            return None
        if not answers:
            stop = self.bridge.last_prefetch_stop
            return True if stop is not None and is_time_limit(stop.cause) else None
        return [answer.key for answer in answers] == [answer.key for _, answer in sent]

    def find_first_unpassed_test(self, tests_to_run_first: Collection[str] = ()) -> str:
        """Return the id of the first test that does not pass, or an empty text if all do; run no test after it.

        A test with a grader error counts as passed.

        Args:
            tests_to_run_first: ids of tests that come before the others.
        """
        ids = [spec.id for spec in self.suite.test_specs]
        ids.sort(key=lambda test_id: test_id not in tests_to_run_first)
        with closing(self._run(ids)) as run:
            unpassed = (result.spec.id for result in run if result.outcome not in OUTCOMES_WITH_FULL_POINTS)
            return next(unpassed, "")

    def _run(self, test_ids: Sequence[str]) -> Generator[HiddenTestResult]:
        """Yield the results of tests in this order; each test is run only when its result is asked for."""
        bridge, tests = self.bridge, self.suite.select_tests(test_ids)
        prefetcher = None
        if self.reference_runs and bridge.state.runs_code_anew:
            orders = (False, True) if self.runs_both_set_orders else (False,)
            begun = [test.node for test, _ in tests if not self.target.list_unimplemented_names(test.needed)]
            turns = [(pytest_id, is_reversed) for pytest_id in begun for is_reversed in orders]
            prefetcher = PrefetchingTestRunner(self.reference_runs, self.target, turns)
        try:
            with self.suite.open_target(self.target):
                for place, (test, spec) in enumerate(tests, 1):
                    run = partial(test.run, tests[place][0].item if place < len(tests) else None)
                    if prefetcher:
                        run = partial(prefetcher.run_or_reuse_verdict, test.node, run)
                    known_findings = dict(self.target.student.remembered.content)
                    result, raw_run = self._run_test(spec, run)
                    if self.recorded_runs is not None and result.outcome == "passed":
                        self.recorded_runs.setdefault(test.node, self._make_reference_run(known_findings))
                    if self.runs_both_set_orders and result.outcome in ORDER_DEPENDENT_OUTCOMES:
                        bridge.reverses_set_order = True
                        opposite, opposite_run = self._run_test(spec, run)
                        bridge.reverses_set_order = False
                        result = combine_set_order_results(result, opposite)
                        raw_run = raw_run if raw_run.exception else opposite_run
                    self.suite.record_run(test, raw_run)
                    yield result
        finally:
            bridge.reverses_set_order = False

    def _make_reference_run(self, findings_before: Mapping[str, Any]) -> ReferenceRun:
        """Return what the last test asked, was answered and found out."""
        transcript, findings = self.bridge.transcript, self.target.student.remembered.content
        exchanges = transcript.exchanges if transcript.is_repeatable else []
        return ReferenceRun(
            tuple((request, answer.key) for request, answer in exchanges),
            dict(findings.items() - findings_before.items()),
        )

    def _run_test(self, spec: HiddenTestSpec, run: Callable[[], RawTestRun]) -> tuple[HiddenTestResult, RawTestRun]:
        """Run a test, and once more if that is no result yet: it filled a reduced memory, or found something out."""
        findings = self.target.student.remembered
        for may_rerun in (True, False):
            started = time.perf_counter()
            findings.mark_all_as_from_earlier_tests()
            known_findings = dict(findings.content)
            raw_run = run()
            if raw_run.exception is not None and findings.content != known_findings:
                # It may have ended in the attempt to find this out, which also numbers objects. Now it is known.
                raw_run.clear_exception_frames()
                findings.mark_all_as_from_earlier_tests()
                raw_run = run()
            result = self.result_builder.build_result(spec, raw_run.exception, time.perf_counter() - started)
            raw_run.clear_exception_frames()
            if not (may_rerun and self.bridge.adaptive_memory_limit.was_exceeded):
                break
        if result.outcome in LOST_OUTCOMES and not is_time_limit(result.stop_cause):
            self.lost_runs.append(LostRun(spec.id, self.bridge.reverses_set_order, self.bridge.transcript))
        return result, raw_run
