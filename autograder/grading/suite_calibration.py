"""Learn from the course's own programs which tests are faulty, and which requests tests make."""

from __future__ import annotations

from autograder.course.solution_styles import hash_solution_styles
from autograder.grading.prefetching.course_program_request_cache import (
    CALIBRATION,
    OTHER_STYLES,
    try_add_cached_requests,
    try_save_known_requests,
)
from autograder.grading.prefetching.style_path_learning import learn_request_paths_of_other_styles
from autograder.grading.suite.reference_suite_runs import find_faulty_test_ids
from autograder.grading.suite.suite_runner import SuiteRunner

SUITE_RUNS_BEFORE_LEARNING = 10
"""After this many runs of all tests, their requests to engines that are written differently are learnt. By then,
running the tests has cost as much as learning does."""


class SuiteCalibration:
    """Runs a suite on the course's own programs, unless an earlier grader has kept what they showed."""

    def __init__(self, suite_runner: SuiteRunner) -> None:
        """Run nothing yet."""
        self._suite_runner = suite_runner
        self._known_requests = suite_runner.known_requests_and_verdicts
        self._knows_other_styles = False

    def find_faulty_test_ids(self) -> frozenset[str]:
        """Return the ids of the tests that the reference solution does not pass.

        Raises:
            CourseFault: the solution cannot be used.
            KitFault: no process can be started.
        """
        known_requests = self._known_requests
        if known_requests is None:
            return find_faulty_test_ids(self._suite_runner)
        has_solution = self._suite_runner.assignment.solution_file.is_file()
        if has_solution and try_add_cached_requests(self._suite_runner, CALIBRATION, known_requests):
            faulty: frozenset[str] = frozenset()
        else:
            faulty = find_faulty_test_ids(self._suite_runner)
            if not faulty:
                try_save_known_requests(self._suite_runner, CALIBRATION, known_requests)
        known_requests.load_more = self._load_other_styles
        return faulty

    def learn_other_styles_if_due(self) -> None:
        """Learn more request paths of the tests, once so many tests had to be run that learning pays off."""
        known_requests = self._known_requests
        if known_requests is None or self._knows_other_styles:
            return
        test_count = len(self._suite_runner.suite.test_specs)
        if known_requests.unknown_test_count >= SUITE_RUNS_BEFORE_LEARNING * test_count:
            self._knows_other_styles = True
            learn_request_paths_of_other_styles(self._suite_runner)
            try_save_known_requests(self._suite_runner, OTHER_STYLES, known_requests, self._hash_styles())

    def _load_other_styles(self) -> bool:
        """Read the request paths that an earlier grader learnt; return whether there are any."""
        self._knows_other_styles = self._known_requests is not None and try_add_cached_requests(
            self._suite_runner, OTHER_STYLES, self._known_requests, self._hash_styles()
        )
        return self._knows_other_styles

    def _hash_styles(self) -> str:
        return hash_solution_styles(self._suite_runner.assignment)
