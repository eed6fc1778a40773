"""Run the hidden tests on one program, from the moment it is loaded."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from autograder.bridge import Bridge, StudentStopped
from autograder.bridge.request_transcript import RequestTranscript, is_exception_answer, is_remembered_lookup_request
from autograder.grading.hidden_test_model import OUTCOMES_WITH_FULL_POINTS, HiddenTestResult, HiddenTestSpec
from autograder.grading.hidden_test_result_builder import HiddenTestResultBuilder
from autograder.grading.prefetching.caching_test_runner import (
    CachingTestRunner,
    UnsoundPrefetching,
)
from autograder.grading.prefetching.known_requests_and_verdicts import KnownRequestsAndVerdicts
from autograder.grading.submission_under_test import BridgedSubmissionUnderTest
from autograder.grading.suite.hidden_suite import ClassifyOutcome, HiddenSuiteSession
from autograder.grading.suite.hidden_test_reruns import (
    LOST_OUTCOMES,
    TIME_CAUSES,
    choose_result_after_appeal,
    combine_set_order_results,
    is_same_behavior,
    list_uncertain_test_ids,
)
from autograder.submissions import UngradableSubmission


@dataclass(frozen=True, slots=True)
class DoubtfulRun:
    """A test that was lost in a process in which other tests had run before, with its requests and their answers."""

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
    known_requests_and_verdicts: KnownRequestsAndVerdicts | None = None
    """What is known of the tests; None if each test sends its own requests."""
    learns_request_paths: bool = False
    """Whether the tests' requests to this program are learnt; only for the course's own programs."""
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
        try:
            results, doubtful = self._run_and_list_doubtful(test_ids, self.known_requests_and_verdicts)
        except UnsoundPrefetching:
            self.bridge.end_process()
            findings.clear()
            findings.update(known_findings)
            results, doubtful = self._run_and_list_doubtful(test_ids, None)
        self._appeal(results)
        is_lost = any(
            result.outcome in LOST_OUTCOMES and result.stop_cause not in TIME_CAUSES for result in results.values()
        )
        if is_lost and self._depends_on_other_tests(results, doubtful):
            self.bridge.end_process()
            self.bridge.state.needs_fresh_processes = True
            findings.clear()
            findings.update(known_findings)
            for result in self._run(test_ids):
                if self.bridge.time_budget.may_load_again or result.outcome == "passed":
                    results[result.spec.id] = result
            self._appeal(results)
        return tuple(results[test_id] for test_id in test_ids)

    def _run_and_list_doubtful(
        self, test_ids: Sequence[str], known: KnownRequestsAndVerdicts | None
    ) -> tuple[dict[str, HiddenTestResult], list[DoubtfulRun]]:
        """Run tests; return the results by id, and the lost runs in processes in which other tests had run before."""
        doubtful: list[DoubtfulRun] = []

        def build_result(spec: HiddenTestSpec, raised: BaseException | None, seconds: float) -> HiddenTestResult:
            result = self.result_builder.build_result(spec, raised, seconds)
            if (
                result.outcome in LOST_OUTCOMES
                and result.stop_cause not in TIME_CAUSES
                and self.bridge.state.process_served_earlier_test
            ):
                doubtful.append(DoubtfulRun(spec.id, self.target.reverses_set_order, self.bridge.transcript))
            return result

        return {result.spec.id: result for result in self._run(test_ids, known, build_result)}, doubtful

    def _appeal(self, results: dict[str, HiddenTestResult]) -> None:
        """Try tests that met a limit on time again, with more of it, and replace their results."""
        uncertain_ids = list_uncertain_test_ids(results)
        if not uncertain_ids:
            return
        self.bridge.end_process()
        self.bridge.time_budget.begin_appeal()
        for result in self._run(uncertain_ids):
            first = results[result.spec.id]
            results[result.spec.id] = choose_result_after_appeal(first, result)

    def _depends_on_other_tests(
        self, results: Mapping[str, HiddenTestResult], doubtful: Sequence[DoubtfulRun]
    ) -> bool:
        """Return whether a test sees something else of the program in another process, after other tests.

        A test is a function of the answers that it gets. So it is enough to compare these, where that is possible. A
        passed test is seen again, too: a program may be wrong in the first test of its process alone.
        """
        self.bridge.end_process()
        passed_ids = [test_id for test_id, result in results.items() if result.outcome == "passed"][-1:]
        with closing(self._run(passed_ids)) as again:
            if not all(is_same_behavior(results[result.spec.id], result) for result in again):
                return True
        self.bridge.end_process()
        if not all(self._is_answered_as_before(run) for run in doubtful[::-1] if run.transcript.is_repeatable):
            return True
        ids = dict.fromkeys(run.test_id for run in doubtful[::-1] if not run.transcript.is_repeatable)
        with closing(self._run([*ids])) as again:
            return not all(is_same_behavior(results[result.spec.id], result) for result in again)

    def _is_answered_as_before(self, run: DoubtfulRun) -> bool:
        """Send the requests of a test again, and return whether the answers are the same, as far as time allows."""
        sent = [exchange for exchange in run.transcript.exchanges if not is_remembered_lookup_request(exchange[0])]
        raising = [number for number, (_, answer) in enumerate(sent, 1) if is_exception_answer(answer)]
        self.bridge.reverses_set_order = run.reverses_set_order
        try:
            self.bridge.begin_test()
            for start, end in itertools.pairwise(sorted({0, *raising, len(sent)})):
                answers = self.bridge.prefetch_current_test([request for request, _ in sent[start:end]])
                if [answer.key for answer in answers] != [answer.key for _, answer in sent[start:end]]:
                    return False
        except StudentStopped as stop:
            return stop.cause in TIME_CAUSES
        finally:
            self.bridge.end_test_and_charge_time()
            self.bridge.reverses_set_order = False
        return True

    def find_first_unpassed_test(self, tests_to_run_first: Collection[str] = ()) -> str:
        """Return the id of the first test that does not pass, or an empty text if all do; run no test after it.

        A test with a grader error counts as passed.

        Args:
            tests_to_run_first: ids of tests that come before the others.
        """
        ids = [spec.id for spec in self.suite.test_specs]
        ids.sort(key=lambda test_id: test_id not in tests_to_run_first)
        known = self.known_requests_and_verdicts if self.bridge.state.runs_code_anew else None
        with closing(self._run(ids, known)) as run:
            unpassed = (result.spec.id for result in run if result.outcome not in OUTCOMES_WITH_FULL_POINTS)
            return next(unpassed, "")

    def _run(
        self,
        test_ids: Sequence[str],
        known: KnownRequestsAndVerdicts | None = None,
        build_result: ClassifyOutcome | None = None,
    ) -> Generator[HiddenTestResult]:
        """Run tests on this program; see ``HiddenSuiteSession.iterate_results``."""
        runner = None
        if known is not None:
            runner = CachingTestRunner(known, self.target, learns_request_paths=self.learns_request_paths)
        return self.suite.iterate_results(
            self.target,
            build_result or self.result_builder.build_result,
            lambda _: self.bridge.adaptive_memory_limit.was_exceeded,
            test_ids,
            combine_set_order_results if self.runs_both_set_orders else None,
            runner,
        )
