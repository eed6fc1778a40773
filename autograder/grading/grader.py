"""Grade one submission, from its path to results and points."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from pathlib import Path

from autograder.bridge import Bridge, StopByLocation, SubmissionProgram
from autograder.course import Assignment, Limits
from autograder.course.engine_styles import hash_engine_styles
from autograder.grading.calibration import calibrate_and_get_faulty_ids, learn_alternative_request_paths
from autograder.grading.graded_submission import GradedSubmission
from autograder.grading.graded_submission_builder import GradedSubmissionBuilder
from autograder.grading.hidden_suite import HiddenTestLocation
from autograder.grading.known_behavior_file import (
    OTHER_WAYS,
    PART_PATHS,
    KnownBehaviorFile,
    get_known_behavior_file,
    get_suite_cache_file,
    load_calibration_if_cached,
    save_calibration,
)
from autograder.grading.outcome_classifier import LOST_OUTCOMES
from autograder.grading.result_model import HiddenTestResult, HiddenTestSpec
from autograder.grading.suite_runner import SuiteRunner
from autograder.sandbox import Sandbox
from autograder.submissions import Submission, UngradableSubmission, read_submission

UNKNOWN_TESTS_BEFORE_LEARNING = 10
"""How often all tests were run before it is learnt what they ask of engines that are written otherwise: by then,
running them has cost as much as learning does."""


class Grader:
    """Grades submissions of one assignment, one after the other.

    Attributes:
        assignment: which.
        test_specs: its hidden tests.
        faulty_test_ids: ids of tests that the reference solution does not pass here: the kit's or the course's fault,
            whoever is graded.
        keeps_process_for_diagnosis: whether the process of a submission that loses a test stays for ``open_bridge``,
            until ``end_kept_process`` or the next submission; set by whoever diagnoses.
    """

    def __init__(
        self,
        assignment: Assignment,
        sandbox: Sandbox,
        *,
        prefetches_answers: bool = True,
        fresh_process_per_test: bool = False,
    ) -> None:
        """Collect the hidden suite and try it on the reference solution.

        Args:
            assignment: the assignment to grade.
            sandbox: how submissions are shut in.
            prefetches_answers: see ``SuiteRunner``.
            fresh_process_per_test: see ``SuiteRunner``.

        Raises:
            CourseFault: the suite or the solution cannot be used.
            KitFault: no process can be started.
        """
        self.assignment = assignment
        self.keeps_process_for_diagnosis = False
        self._knows_other_ways = self._looked_for_other_ways = False
        self._runner = SuiteRunner(
            assignment, sandbox, prefetches_answers=prefetches_answers, fresh_process_per_test=fresh_process_per_test
        )
        self.test_specs: tuple[HiddenTestSpec, ...] = self._runner.suite.test_specs
        self._marking = GradedSubmissionBuilder(assignment, self.test_specs, sandbox.tier)
        try:
            self.faulty_test_ids = frozenset() if load_calibration_if_cached(self._runner) else self._calibrate()
        except BaseException:
            self.close()
            raise

    def _calibrate(self) -> frozenset[str]:
        faulty = calibrate_and_get_faulty_ids(self._runner)
        if not faulty:
            save_calibration(self._runner)
        return faulty

    def grade(self, path: Path, submission_id: str = "") -> GradedSubmission:
        """Grade what lies at ``path``; whatever it is, there is a result.

        Args:
            path: a file, folder or zip.
            submission_id: the submission's id; taken from the path when empty.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the submission.
        """
        started = time.perf_counter()
        try:
            submission = read_submission(path, self.assignment, submission_id)
        except UngradableSubmission as error:
            return self.make_ungradable_result(submission_id or path.stem, error, started)
        return self.grade_submission(submission, started)

    def make_ungradable_result(
        self, submission_id: str, reason: UngradableSubmission, start_time: float | None = None
    ) -> GradedSubmission:
        """Return the result of a submission that cannot be graded at all."""
        return self._marking.make_ungradable_submission(
            submission_id, reason, time.perf_counter() if start_time is None else start_time
        )

    def grade_submission(self, submission: Submission, start_time: float | None = None) -> GradedSubmission:
        """Grade a submission that was read already. See ``grade``."""
        start_time = time.perf_counter() if start_time is None else start_time
        self._learn_paths_if_due()
        with self._runner.open_submission_run(submission, self.faulty_test_ids) as run:
            loading = time.perf_counter() - start_time
            if run.ungradable_reason:
                loaded = run.target.load_result
                return self._marking.make_ungradable_submission(
                    submission.id, run.ungradable_reason, start_time, run.loading_notes, loaded
                )
            results = run.run_all_tests()
            if self.keeps_process_for_diagnosis and any(result.outcome in LOST_OUTCOMES for result in results):
                self._runner.keep_process_for_next_bridge(run)
        seconds = {"loading": loading, "tests": sum(r.seconds for r in results)}
        return self._marking.make_graded_submission(
            submission, run, results, self._runner.suite.make_pytest_record(), start_time, seconds
        )

    def _learn_paths_if_due(self) -> None:
        """Learn more ways through the tests, once so many tests had to be run that learning pays."""
        known = self._runner.known_behavior
        if known is None or self._knows_other_ways or not known.unknown_test_count:
            return
        cache = get_known_behavior_file(self._runner, OTHER_WAYS, hash_engine_styles(self.assignment))
        if not self._looked_for_other_ways:
            self._looked_for_other_ways = True
            self._knows_other_ways = cache.load(known)
        elif known.unknown_test_count >= UNKNOWN_TESTS_BEFORE_LEARNING * len(self.test_specs):
            self._knows_other_ways = True
            learn_alternative_request_paths(self._runner)
            cache.save(known)

    def try_grade_missing_tests(
        self, submission: Submission, earlier_results: Mapping[str, HiddenTestResult]
    ) -> GradedSubmission | None:
        """Grade a submission that was graded before, and run only the tests that have no result.

        Args:
            submission: the submission.
            earlier_results: results that still hold, by the test's id.

        Returns:
            What ``grade_submission`` gives, with a ``pytest_record`` only of the tests that were run. None where a
            test cannot be run alone, since its outcome may depend on other tests, and where the submission cannot be
            graded at all.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the submission.
        """
        started = time.perf_counter()
        with self._runner.open_submission_run(submission, self.faulty_test_ids) as run:
            results = None if run.ungradable_reason else run.try_run_remaining_tests(earlier_results)
        if results is None:
            return None
        ran = any(spec.id not in earlier_results for spec in self.test_specs)
        record = self._runner.suite.make_pytest_record() if ran else {}
        seconds = {"tests": sum(r.seconds for r in results)}
        return self._marking.make_graded_submission(submission, run, results, record, started, seconds)

    @property
    def location_by_test_id(self) -> dict[str, HiddenTestLocation]:
        """Return where each hidden test stands, by its id."""
        return self._runner.suite.location_by_test_id

    @property
    def pytest_id_by_test(self) -> dict[str, str]:
        """Return pytest's name for each test, by its id."""
        return {name: place.pytest_id for name, place in self._runner.suite.location_by_test_id.items()}

    def get_part_experiments_file(self, *inputs: str) -> KnownBehaviorFile:
        """Return what is kept of the experiments on parts; for ``inputs``, see ``known_behavior_file``."""
        return get_known_behavior_file(self._runner, PART_PATHS, *inputs)

    def get_cache_file(self, suffix: str, *inputs: str) -> Path:
        """Return a file for what is kept between runs; see ``known_behavior_file.get_suite_cache_file``."""
        return get_suite_cache_file(self._runner, suffix, *inputs)

    def make_course_program(self, source: str) -> SubmissionProgram:
        """Return a program of the course's own, with the given code of the assignment."""
        return self._runner.make_course_program(source)

    def open_or_reuse_bridge(
        self,
        program: SubmissionProgram,
        limits: Limits | None = None,
        earlier_stops: StopByLocation | None = None,
    ) -> Bridge:
        """Open a process for a program beside the one that is graded; see ``SuiteRunner.open_or_reuse_bridge``."""
        return self._runner.open_or_reuse_bridge(program, limits, earlier_stops)

    def end_process_kept_for_diagnosis(self) -> None:
        """End the process that was kept for a diagnosis."""
        self._runner.end_process_kept_for_diagnosis()

    def get_first_loss_or_empty(self, submission: Submission, tests_to_run_first: Collection[str] = ()) -> str:
        """Find what a submission loses first, where nothing else about it is of interest.

        Args:
            submission: the submission.
            tests_to_run_first: ids of tests that come before the others.

        Returns:
            The id of a test, or the key that says why the submission cannot be graded at all; empty when it gets full
            marks.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the submission.
        """
        with self._runner.open_submission_run(submission, self.faulty_test_ids) as run:
            reason = run.ungradable_reason
            return reason.reason if reason else run.get_first_lost_or_empty(tests_to_run_first)

    def close(self) -> None:
        """End the processes and the pytest session that were started."""
        self._runner.close()

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
