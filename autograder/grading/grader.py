"""Grade one submission, from its path to results and points."""

from __future__ import annotations

import hashlib
import logging
import random
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

from autograder.bridge import LoadResult, StudentError, StudentProxy, StudentStopped
from autograder.bridge.student_exceptions import WALL
from autograder.course import Assignment
from autograder.course.assignment_code import load_assignment_module_if_present
from autograder.course.course_loading import FRESH_LOOK_FILE
from autograder.faults import Fault
from autograder.files import list_files_without_tool_caches
from autograder.grading.graded_submission import GRADED, GradedSubmission
from autograder.grading.hidden_suite import HiddenTestLocation
from autograder.grading.reference_runs import find_faulty_test_ids
from autograder.grading.results import (
    LOST_OUTCOMES,
    HiddenTestResult,
    HiddenTestSpec,
    apportion_points,
    compute_concept_scores,
    earns_full_points,
)
from autograder.grading.suite_run import SuiteRunner, SuiteRunSession
from autograder.sandbox import SandboxConfig
from autograder.submissions import Submission, UngradableSubmission, read_submission


class GradedSubmissionFactory:
    """Makes graded submissions of one assignment from the results of their tests."""

    def __init__(self, assignment: Assignment, specs: Sequence[HiddenTestSpec], tier: str) -> None:
        """Share out the points.

        Args:
            assignment: the assignment.
            specs: its hidden tests.
            tier: the isolation tier in which submissions run.
        """
        self._assignment, self._specs, self._tier = assignment, specs, tier
        self._points = apportion_points(specs, assignment)

    def make_graded_submission(
        self,
        submission: Submission,
        run: SuiteRunSession,
        results: tuple[HiddenTestResult, ...],
        pytest_record: dict[str, Any],
        start_perf_counter: float,
        seconds_by_stage: Mapping[str, float],
    ) -> GradedSubmission:
        """Make the result of a submission on which the tests were run.

        Args:
            submission: the submission as it was read.
            run: the run in which it was tested.
            results: one result of each test.
            pytest_record: pytest-json-report's record.
            start_perf_counter: when work on the submission began.
            seconds_by_stage: how long parts of that work took.
        """
        results = _blame_only_what_failed(results)
        return GradedSubmission(
            submission_id=submission.id,
            sha256=submission.sha256,
            files=submission.files,
            status=GRADED,
            message="",
            notes=run.loading_notes,
            test_results=results,
            max_points_by_test=self._points,
            concept_scores=compute_concept_scores(results, self._points, self._assignment),
            tier=self._tier,
            process_count=run.bridge.process_count,
            seconds_by_stage={**seconds_by_stage, "total": time.perf_counter() - start_perf_counter},
            pytest_record=pytest_record,
            program=run.bridge.program,
            implemented_names=run.target.implemented_names,
            ran_each_test_fresh=run.bridge.state.needs_fresh_processes,
            stop_by_location=run.bridge.time_budget.stop_by_location,
            loading_was_cut=_was_loading_cut(run.target.load_result),
        )

    def make_ungradable_result(
        self,
        submission_id: str,
        reason: UngradableSubmission,
        start_perf_counter: float,
        loading_notes: tuple[str, ...] = (),
        load_result: LoadResult | None = None,
    ) -> GradedSubmission:
        """Make the result of a submission that cannot be graded at all.

        Args:
            submission_id: the submission's id.
            reason: why it cannot be graded.
            start_perf_counter: when work on the submission began.
            loading_notes: sentences on how the submission was read and loaded.
            load_result: what the submission defines; None where it was not loaded.
        """
        results = tuple(HiddenTestResult(spec, "blocked", reason.message) for spec in self._specs)
        return GradedSubmission(
            submission_id=submission_id,
            sha256=reason.sha256,
            files=reason.files,
            status=reason.reason,
            message=reason.message,
            notes=loading_notes,
            test_results=results,
            max_points_by_test=self._points,
            concept_scores=compute_concept_scores(results, self._points, self._assignment),
            tier=self._tier,
            seconds_by_stage={"total": time.perf_counter() - start_perf_counter},
            loading_was_cut=load_result is not None and _was_loading_cut(load_result),
        )


def _blame_only_what_failed(results: tuple[HiddenTestResult, ...]) -> tuple[HiddenTestResult, ...]:
    """Let no blocked test say that something does not work of which no test failed."""
    failing_names = {
        name
        for result in results
        if result.outcome in ("failed", "error", "timeout", "crashed")
        for name in result.spec.tested_names
    }
    return tuple(
        replace(result, message="This builds on something that fails above, and could not be tried.")
        if result.blocking_name and result.blocking_name not in failing_names
        else result
        for result in results
    )


def _was_loading_cut(load_result: LoadResult) -> bool:
    """Return whether a wall-clock limit cut loading short; not for a program that sleeps, which is its own choice."""
    return any(note.kind == "stopped" and note.error == WALL for note in load_result.problems)


FRESH_LOOK = FRESH_LOOK_FILE.removesuffix(".py")
"""The module of an assignment with the function ``look(student, numbers)``; most have none."""
LOOKED_AT_FROM = 0.95
"""The share of the tests beside the bonus that a submission passes which is looked at with fresh numbers."""
log = logging.getLogger(__name__)


class Grader:
    """Grades submissions of one assignment, one after the other.

    Attributes:
        assignment: the assignment.
        test_specs: its hidden tests.
        faulty_test_ids: ids of tests that the reference solution does not pass here. The fault is the kit's or the
            course's, so they cost no submission any points.
        keeps_process_for_diagnosis: whether the process of a submission that loses a test stays for
            ``SuiteRunner.acquire_bridge``, until the next submission or until it is ended; set by a
            diagnoser.
        suite_runner: runs the assignment's suite.
    """

    def __init__(
        self,
        assignment: Assignment,
        sandbox: SandboxConfig,
        *,
        prefetches_answers: bool = True,
        fresh_process_per_test: bool = False,
    ) -> None:
        """Collect the hidden suite and try it on the reference solution.

        Args:
            assignment: the assignment to grade.
            sandbox: the sandbox in which submissions run.
            prefetches_answers: see ``SuiteRunner``.
            fresh_process_per_test: see ``SuiteRunner``.

        Raises:
            CourseFault: the suite or the solution cannot be used.
            KitFault: no process can be started.
        """
        self.assignment = assignment
        self.keeps_process_for_diagnosis = False
        self.suite_runner = SuiteRunner(
            assignment, sandbox, prefetches_answers=prefetches_answers, fresh_process_per_test=fresh_process_per_test
        )
        self.test_specs: tuple[HiddenTestSpec, ...] = self.suite_runner.suite.test_specs
        self._factory = GradedSubmissionFactory(assignment, self.test_specs, sandbox.tier)
        try:
            self.faulty_test_ids = find_faulty_test_ids(self.suite_runner)
        except BaseException:
            self.close()
            raise

    def grade(self, submission_path: Path, submission_id: str = "") -> GradedSubmission:
        """Grade the submission at ``submission_path``. Every path gives a result, even one that cannot be graded.

        Args:
            submission_path: a file, folder or zip.
            submission_id: the submission's id; taken from the path when empty.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the submission.
        """
        started = time.perf_counter()
        try:
            submission = read_submission(submission_path, self.assignment, submission_id)
        except UngradableSubmission as error:
            return self.make_ungradable_result(submission_id or submission_path.stem, error, started)
        return self.grade_submission(submission, started)

    def make_ungradable_result(
        self, submission_id: str, reason: UngradableSubmission, start_perf_counter: float
    ) -> GradedSubmission:
        """Return the result of a submission that cannot be graded at all."""
        return self._factory.make_ungradable_result(submission_id, reason, start_perf_counter)

    def grade_submission(self, submission: Submission, start_perf_counter: float | None = None) -> GradedSubmission:
        """Grade a submission that was already read. See ``grade``."""
        start_perf_counter = time.perf_counter() if start_perf_counter is None else start_perf_counter
        try:
            with self.suite_runner.open_run_session(submission, self.faulty_test_ids) as run:
                loading = time.perf_counter() - start_perf_counter
                if run.ungradable_reason:
                    load_result = run.target.load_result
                    return self._factory.make_ungradable_result(
                        submission.id, run.ungradable_reason, start_perf_counter, run.loading_notes, load_result
                    )
                results = run.run_all_tests()
                wrong_with_fresh_numbers = self._look_with_fresh_numbers(run, results, submission)
                if self.keeps_process_for_diagnosis and any(result.outcome in LOST_OUTCOMES for result in results):
                    self.suite_runner.keep_process_for_diagnosis(run)
        except UngradableSubmission as error:
            return self.make_ungradable_result(submission.id, error, start_perf_counter)
        seconds = {"loading": loading, "tests": sum(result.seconds for result in results)}
        graded_submission = self._factory.make_graded_submission(
            submission, run, results, self.suite_runner.suite.get_last_pytest_record(), start_perf_counter, seconds
        )
        return replace(graded_submission, fresh_look=wrong_with_fresh_numbers)

    def _look_with_fresh_numbers(
        self, run: SuiteRunSession, results: Sequence[HiddenTestResult], submission: Submission
    ) -> str:
        """Return what is wrong with numbers that no test uses in a submission with nearly full marks; else nothing.

        A table of the tests' inputs gets as many. No mark changes by this, and a stop says nothing.
        """
        bonus_concepts = {concept.name for concept in self.assignment.concepts if concept.bonus}
        core_results = [result for result in results if result.spec.concept not in bonus_concepts]
        if not core_results or fmean(map(earns_full_points, core_results)) < LOOKED_AT_FROM:
            return ""
        try:
            module = load_assignment_module_if_present(self.assignment, FRESH_LOOK)
            if module is None:
                return ""
            run.bridge.begin_test()
            try:
                seed = hashlib.sha256(self._secret + submission.sha256.encode()).digest()
                module.look(StudentProxy(run.bridge), random.Random(seed))
            finally:
                run.bridge.end_test_and_charge_time()
        except StudentStopped:
            return ""
        except (AssertionError, StudentError) as error:
            return str(error) or type(error).__name__
        except Exception as error:  # the course's own fault, which costs no report
            if isinstance(error, Fault):
                log.warning("%s", error)
            else:
                log.exception("the look at fresh numbers failed")
        return ""

    @cached_property
    def _secret(self) -> bytes:
        """Return a digest of what students never get: the hidden suite. Any file there makes it a course's own."""
        digest = hashlib.sha256(FRESH_LOOK.encode())
        for path in list_files_without_tool_caches(self.assignment.hidden_suite_folder):
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.digest()

    @property
    def location_by_spec_id(self) -> dict[str, HiddenTestLocation]:
        """Return the location of each hidden test, by its id."""
        return self.suite_runner.suite.location_by_spec_id

    @property
    def pytest_id_by_test_id(self) -> dict[str, str]:
        """Return pytest's name for each test, by its id."""
        return {name: place.pytest_id for name, place in self.suite_runner.suite.location_by_spec_id.items()}

    def find_first_failure(self, submission: Submission, tests_to_run_first: Collection[str] = ()) -> str:
        """Find the first test that does not pass, or why the submission cannot be graded; run no test after it.

        A test with a grader error counts as passed.

        Args:
            submission: the submission.
            tests_to_run_first: ids of tests that come before the others.

        Returns:
            The id of a test, or the key that says why the submission cannot be graded at all; empty when it gets full
            marks.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the submission.
        """
        try:
            with self.suite_runner.open_run_session(submission, self.faulty_test_ids) as run:
                reason = run.ungradable_reason
                return reason.reason if reason else run.find_first_unpassed_test(tests_to_run_first)
        except UngradableSubmission as error:
            return error.reason

    def close(self) -> None:
        """End the processes and the pytest session that were started."""
        self.suite_runner.close()

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
