"""Collect a hidden suite with pytest once, and run it against many submissions."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from autograder.course import Assignment
from autograder.grading.hidden_test_model import HiddenTestResult, HiddenTestSpec
from autograder.grading.submission_under_test import SubmissionUnderTest
from autograder.grading.suite import suite_stash_keys
from autograder.grading.suite.hidden_test_spec_reader import read_test_specs, select_tests_of_listed_concepts
from autograder.grading.suite.pytest_json_report_recorder import PytestJsonReportRecorder
from autograder.grading.suite.runnable_test import RawTestRun, RunnableTest
from autograder.grading.suite.suite_collection import start_session_and_collect_items

ClassifyOutcome = Callable[[HiddenTestSpec, BaseException | None, float], HiddenTestResult]
NeedsRerun = Callable[[HiddenTestResult], bool]
CombineSetOrders = Callable[[HiddenTestResult, HiddenTestResult], HiddenTestResult]


ORDER_DEPENDENT_OUTCOMES = ("passed", "failed", "error")
"""Outcomes that may change with the order of sets. A stopped test is not run again: it would be stopped again."""


@dataclass(frozen=True, slots=True)
class HiddenTestLocation:
    """The location of a test in the suite."""

    file: Path
    function_name: str
    """The qualified name of its function; empty if the test is not a function."""
    pytest_id: str
    """pytest's name for the test."""
    line: int = 0
    """The line of its first decorator, or else of its `def`."""


class SuiteTestRunner(Protocol):
    """Runs the tests of one submission; see ``CachingTestRunner``."""

    def prepare_run(self, turns_with_required_names: Sequence[tuple[tuple[str, bool], Collection[str]]]) -> None:
        """Get ready for a run."""

    def run_or_reuse_verdict(
        self, pytest_id: str, names_needed_to_begin: Collection[str], run_test: Callable[[], RawTestRun]
    ) -> RawTestRun:
        """Run a test, or reuse the verdict that follows from the answers to its requests."""


class HiddenSuiteSession:
    """A pytest session with the hidden tests of one assignment, which can be run again and again.

    Attributes:
        test_specs: the description of each test, in the order of the files.
    """

    def __init__(self, assignment: Assignment) -> None:
        """Collect the tests.

        Raises:
            CourseFault: a test cannot be collected, has no docstring or no concept, or a concept has no test.
        """
        self._session, items = start_session_and_collect_items(assignment)
        items = select_tests_of_listed_concepts(items, assignment)
        self._recorder = PytestJsonReportRecorder(self._session.config)
        idle = (self._recorder.plugin, self._session.config.pluginmanager.getplugin("capturemanager"))
        self._tests = [RunnableTest(item, idle) for item in items]
        self.test_specs: tuple[HiddenTestSpec, ...] = read_test_specs(items, assignment)

    def iterate_results(
        self,
        target: SubmissionUnderTest,
        classify_outcome: ClassifyOutcome,
        needs_rerun: NeedsRerun,
        test_ids: Sequence[str] | None = None,
        combine_set_orders: CombineSetOrders | None = None,
        test_runner: SuiteTestRunner | None = None,
    ) -> Generator[HiddenTestResult]:
        """Yield the result of tests on one submission; each test is run only when its result is asked for.

        Args:
            target: the submission.
            classify_outcome: turns what a test raised, and the seconds it took, into its result.
            needs_rerun: says whether a test must be run twice; called before the second run, and may
                end the process for it.
            test_ids: ids of the tests in the order in which they run; all, in the order of the suite, when None.
            combine_set_orders: combines the results with sets in the usual and in the opposite order into the
                one that counts. None for a submission that does not depend on the order; its tests run in one order.
            test_runner: runs the tests, or reuses their verdicts; None if each test sends its own requests.

        Raises:
            UnsoundPrefetching: see ``CachingTestRunner.run_or_reuse_verdict``.
        """
        self._session.config.stash[suite_stash_keys.TARGET_KEY] = target
        tests = [*zip(self._tests, self.test_specs, strict=True)]
        if test_ids is not None:
            by_id = {spec.id: (test, spec) for test, spec in tests}
            tests = [by_id[test_id] for test_id in test_ids]
        if test_runner:
            orders = (False, True) if combine_set_orders else (False,)
            test_runner.prepare_run([((test.node, falling), test.needed) for test, _ in tests for falling in orders])
        try:
            for number, (test, spec) in enumerate(tests, 1):
                run_test = partial(test.run, tests[number][0].item if number < len(tests) else None)
                if test_runner:
                    run_test = partial(test_runner.run_or_reuse_verdict, test.node, test.needed, run_test)
                run_with_rerun = partial(
                    _run_with_rerun, target, run_test, partial(classify_outcome, spec), needs_rerun
                )
                result, ran = run_with_rerun()
                if combine_set_orders and result.outcome in ORDER_DEPENDENT_OUTCOMES:
                    target.reverses_set_order = True
                    opposite, ran_so = run_with_rerun()
                    target.reverses_set_order = False
                    result, ran = combine_set_orders(result, opposite), ran if ran.exception else ran_so
                self._recorder.add_test(test.item, ran)
                yield result
        finally:
            target.reverses_set_order = False
            self._session._setupstate.teardown_exact(None)  # fixtures that are still set up if the caller stops early

    def start_record(self) -> None:
        """Start pytest-json-report's record of a submission: of the last run of each of its tests."""
        self._recorder.start(self._session)

    @property
    def location_by_spec_id(self) -> dict[str, HiddenTestLocation]:
        """Return the location of each test, by its id."""
        items = [test.item for test in self._tests]
        functions = (getattr(item, "function", None) for item in items)
        return {
            spec.id: HiddenTestLocation(
                item.path, getattr(function, "__qualname__", ""), item.nodeid, (item.location[1] or 0) + 1
            )
            for item, spec, function in zip(items, self.test_specs, functions, strict=True)
        }

    def get_last_pytest_record(self) -> dict[str, Any]:
        """Return pytest-json-report's record since ``start_record``."""
        return self._recorder.finish_submission_record(self._session)

    def close(self) -> None:
        """End the pytest session."""
        self._session.config._ensure_unconfigure()

    def __enter__(self) -> HiddenSuiteSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _run_with_rerun(
    target: SubmissionUnderTest,
    run_test: Callable[[], RawTestRun],
    classify_outcome: Callable[[BaseException | None, float], HiddenTestResult],
    needs_rerun: NeedsRerun,
) -> tuple[HiddenTestResult, RawTestRun]:
    """Run a hidden test, and once more if it must be run twice; return the last result."""
    for may_rerun in (True, False):
        started = time.perf_counter()
        known = target.snapshot_test_findings()
        ran = run_test()
        if ran.exception is not None and target.snapshot_test_findings() != known:
            # It may have ended in the attempt to find this out, which also numbers objects. Now it is known.
            ran.clear_exception_frames()
            ran = run_test()
        result = classify_outcome(ran.exception, time.perf_counter() - started)
        ran.clear_exception_frames()
        if not (may_rerun and needs_rerun(result)):
            break
    return result, ran
