"""Run the hidden tests on one program, from the moment it is loaded."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice

from autograder.bridge import Bridge
from autograder.grading.graded_submission import may_timeouts_affect_other_tests
from autograder.grading.hidden_test_model import OUTCOMES_WITH_FULL_POINTS, HiddenTestResult
from autograder.grading.hidden_test_result_builder import HiddenTestResultBuilder
from autograder.grading.prefetching.caching_test_runner import (
    CachingTestRunner,
    UnsoundPrefetching,
)
from autograder.grading.prefetching.known_requests_and_verdicts import KnownRequestsAndVerdicts
from autograder.grading.submission_under_test import BridgedSubmissionUnderTest
from autograder.grading.suite.hidden_suite import HiddenSuiteSession, NeedsRerun
from autograder.grading.suite.hidden_test_reruns import LOST_OUTCOMES, RerunPolicy, combine_set_order_results
from autograder.submissions import UngradableSubmission


@dataclass(frozen=True, slots=True)
class SuiteRunSession:
    """A program loaded in its process, with everything that is needed to run the tests on it.

    ``SuiteRunner`` opens and ends it.
    """

    suite: HiddenSuiteSession
    bridge: Bridge
    target: BridgedSubmissionUnderTest
    result_builder: HiddenTestResultBuilder
    reruns: RerunPolicy
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
        """Return the result of every test.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the program.
        """
        results: list[HiddenTestResult] = []
        try:
            with closing(self._run(self._needs_rerun, known=self.known_requests_and_verdicts)) as run:
                for result in run:
                    results.append(result)
                    if self.reruns.has_passed_rerun((result,)):
                        break
                else:
                    return tuple(results)
        except UnsoundPrefetching:
            self.bridge.end_process()
            self.target.student.remembered.content.clear()
            return replace(self, known_requests_and_verdicts=None).run_all_tests()
        self.bridge.isolate_tests()
        return tuple(self._run(self.reruns.needs_rerun_despite_isolation))

    def _needs_rerun(self, result: HiddenTestResult) -> bool:
        """Return whether a test must be run twice; see ``RerunPolicy.end_process_if_rerun_needed``."""
        if (
            result.outcome in LOST_OUTCOMES
            and self.known_requests_and_verdicts is not None
            and self.bridge.state.tests_are_independent
        ):
            return self.reruns.needs_rerun_despite_isolation(result)
        return self.reruns.end_process_if_rerun_needed(result)

    def run_tests(self, test_ids: Collection[str]) -> tuple[HiddenTestResult, ...]:
        """Return the results of some tests alone, in the order of the suite; see ``run_all_tests``.

        Args:
            test_ids: ids of the tests.
        """
        with closing(self._run(self.reruns.end_process_if_rerun_needed, test_ids)) as run:
            return tuple(islice(run, len(test_ids)))

    def try_run_remaining_tests(
        self, earlier_results_by_test_id: Mapping[str, HiddenTestResult]
    ) -> tuple[HiddenTestResult, ...] | None:
        """Return the result of every test, and run only the tests that have none yet; see ``run_all_tests``.

        Args:
            earlier_results_by_test_id: results that still hold, by the test's id.

        Returns:
            The results; None where a test cannot be run alone, since its outcome may depend on other tests.
        """
        specs, result_builder = self.suite.test_specs, self.result_builder
        anew = self.run_tests([spec.id for spec in specs if spec.id not in earlier_results_by_test_id])
        known = {**earlier_results_by_test_id, **{result.spec.id: result for result in anew}}
        known |= {
            spec.id: result_builder.build_result(spec, None, 0.0)
            for spec in specs
            if spec.id in result_builder.faulty_test_ids
        }
        results = tuple(known[spec.id] for spec in specs)
        depends = self.reruns.has_passed_rerun(results) or may_timeouts_affect_other_tests(
            (result.outcome, result.stop_cause) for result in results
        )
        return None if depends else results

    def find_first_unpassed_test(self, tests_to_run_first: Collection[str] = ()) -> str:
        """Return the id of the first test that does not pass, or an empty text if all do; run no test after it.

        A test with a grader error counts as passed.

        Args:
            tests_to_run_first: ids of tests that come before the others.
        """
        known = (
            self.known_requests_and_verdicts
            if self.known_requests_and_verdicts and self.bridge.state.tests_are_independent
            else None
        )
        with closing(self._run(self.reruns.end_process_if_rerun_needed, tests_to_run_first, known)) as run:
            unpassed = (result.spec.id for result in run if result.outcome not in OUTCOMES_WITH_FULL_POINTS)
            return next(unpassed, "")

    def _run(
        self,
        needs_rerun: NeedsRerun,
        tests_to_run_first: Collection[str] = (),
        known: KnownRequestsAndVerdicts | None = None,
    ) -> Generator[HiddenTestResult]:
        """Run the suite on this program; see ``HiddenSuiteSession.iterate_results``."""
        result_builder, runner = self.result_builder, None
        if known is not None:
            runner = CachingTestRunner(known, self.target, learns_request_paths=self.learns_request_paths)
        combine_set_orders = combine_set_order_results if self.runs_both_set_orders else None
        return self.suite.iterate_results(
            self.target, result_builder.build_result, needs_rerun, tests_to_run_first, combine_set_orders, runner
        )
