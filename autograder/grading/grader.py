"""Grade one submission, from its path to results and points."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from pathlib import Path

from autograder.bridge import Bridge, SubmissionProgram
from autograder.course import Assignment, Limits
from autograder.grading.calibration import calibrate_suite, learn_alternative_request_paths
from autograder.grading.calibration_cache import (
    PART_PATHS,
    PathCache,
    load_calibration,
    open_path_cache,
    save_calibration,
)
from autograder.grading.graded_submission import GradedSubmission
from autograder.grading.hidden_suite import LocatedTest
from autograder.grading.result_marking import ResultMarker
from autograder.grading.result_model import TestResult, TestSpec
from autograder.grading.suite_runner import SuiteRunner
from autograder.sandbox import Sandbox
from autograder.submissions import Submission, UnreadableSubmission, read_submission

LEARN_AFTER = 10
"""How often all tests were run before it is learnt what they ask of engines that are written otherwise: by then,
running them has cost as much as learning does."""


class Grader:
    """Grades submissions of one assignment, one after the other.

    Attributes:
        assignment: which.
        specs: its hidden tests.
        faulty: ids of tests that the reference solution does not pass here: the kit's or the course's fault,
            whoever is graded.
    """

    def __init__(
        self, assignment: Assignment, sandbox: Sandbox, *, scripts: bool = True, in_processes: bool = False
    ) -> None:
        """Collect the hidden suite and try it on the reference solution.

        Args:
            assignment: the assignment to grade.
            sandbox: how submissions are shut in.
            scripts: see ``SuiteRunner``.
            in_processes: see ``SuiteRunner``.

        Raises:
            CourseFault: the suite or the solution cannot be used.
            KitFault: no process can be started.
        """
        self.assignment = assignment
        self._knows_other_ways = self._looked_for_other_ways = False
        self._runner = SuiteRunner(assignment, sandbox, scripts=scripts, in_processes=in_processes)
        self.specs: tuple[TestSpec, ...] = self._runner.suite.specs
        self._marking = ResultMarker(assignment, self.specs, sandbox.tier)
        try:
            self.faulty = frozenset() if load_calibration(self._runner) else self._calibrate()
        except BaseException:
            self.close()
            raise

    def _calibrate(self) -> frozenset[str]:
        faulty = calibrate_suite(self._runner)
        if not faulty:
            save_calibration(self._runner)
        return faulty

    def grade(self, path: Path, name: str = "") -> GradedSubmission:
        """Grade what lies at ``path``; whatever it is, there is a result.

        Args:
            path: a file, folder or zip.
            name: the submission's id; taken from the path when empty.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the submission.
        """
        started = time.perf_counter()
        try:
            submission = read_submission(path, self.assignment, name)
        except UnreadableSubmission as error:
            return self.make_ungradable_result(name or path.stem, error, started)
        return self.grade_submission(submission, started)

    def make_ungradable_result(
        self, name: str, reason: UnreadableSubmission, started: float | None = None
    ) -> GradedSubmission:
        """Return the result of a submission that cannot be graded at all."""
        return self._marking.make_ungradable_submission(
            name, reason, time.perf_counter() if started is None else started
        )

    def grade_submission(self, submission: Submission, started: float | None = None) -> GradedSubmission:
        """Grade a submission that was read already. See ``grade``."""
        started = time.perf_counter() if started is None else started
        self._learn()
        with self._runner.start_submission_run(submission, self.faulty) as run:
            loading = time.perf_counter() - started
            if run.problem:
                loaded = run.target.loaded
                return self._marking.make_ungradable_submission(
                    submission.id, run.problem, started, run.notes, loaded
                )
            results = run.run_all_tests()
        seconds = {"loading": loading, "tests": sum(r.seconds for r in results)}
        return self._marking.make_graded_submission(
            submission, run, results, self._runner.suite.make_json_report(), started, seconds
        )

    def _learn(self) -> None:
        """Learn more ways through the tests, once so many tests had to be run that learning pays."""
        known = self._runner.transcripts
        if known is None or self._knows_other_ways or not known.unknown:
            return
        if not self._looked_for_other_ways:
            self._looked_for_other_ways = True
            self._knows_other_ways = open_path_cache(self._runner).load(known)
        elif known.unknown >= LEARN_AFTER * len(self.specs):
            self._knows_other_ways = True
            learn_alternative_request_paths(self._runner)
            open_path_cache(self._runner).save(known)

    def grade_missing_tests(
        self, submission: Submission, earlier_results: Mapping[str, TestResult]
    ) -> GradedSubmission | None:
        """Grade a submission that was graded before, and run only the tests that have no result.

        Args:
            submission: the submission.
            earlier_results: results that still hold, by the test's id.

        Returns:
            What ``grade_submission`` gives, with ``raw`` only of the tests that were run. None where a test cannot be
            run alone, since its outcome may depend on other tests, and where the submission cannot be graded at all.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the submission.
        """
        started = time.perf_counter()
        with self._runner.start_submission_run(submission, self.faulty) as run:
            results = None if run.problem else run.run_remaining_tests(earlier_results)
        if results is None:
            return None
        ran = any(spec.id not in earlier_results for spec in self.specs)
        raw = self._runner.suite.make_json_report() if ran else {}
        seconds = {"tests": sum(r.seconds for r in results)}
        return self._marking.make_graded_submission(submission, run, results, raw, started, seconds)

    @property
    def test_locations(self) -> dict[str, LocatedTest]:
        """Return where each hidden test stands, by its id."""
        return self._runner.suite.test_locations

    @property
    def pytest_names(self) -> dict[str, str]:
        """Return pytest's name for each test, by its id."""
        return {name: place.node for name, place in self._runner.suite.test_locations.items()}

    def open_part_cache(self, *inputs: str) -> PathCache:
        """Return what is kept of the experiments on parts; for ``inputs``, see ``calibration_cache``."""
        return open_path_cache(self._runner, PART_PATHS, *inputs)

    def make_program(self, source: str) -> SubmissionProgram:
        """Return a program of the course's own, with the given code of the assignment."""
        return self._runner.make_program(source)

    def open_bridge(self, program: SubmissionProgram, limits: Limits | None = None) -> Bridge:
        """Open a process for a program beside the one that is graded. The caller must discard it."""
        return self._runner.open_bridge(program, limits)

    def find_first_lost_test(self, submission: Submission, tests_to_run_first: Collection[str] = ()) -> str:
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
        with self._runner.start_submission_run(submission, self.faulty) as run:
            return run.problem.reason if run.problem else run.find_first_lost_test(tests_to_run_first)

    def close(self) -> None:
        """End the processes and the pytest session that were started."""
        self._runner.close()

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
