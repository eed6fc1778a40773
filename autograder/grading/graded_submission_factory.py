"""Make graded submissions from the results of their tests."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from autograder.bridge import LoadResult
from autograder.bridge.student_exceptions import WALL
from autograder.course import Assignment
from autograder.grading.concept_points import apportion_points, compute_concept_scores
from autograder.grading.graded_submission import GRADED, GradedSubmission
from autograder.grading.hidden_test_model import HiddenTestResult, HiddenTestSpec
from autograder.grading.suite.suite_run_session import SuiteRunSession
from autograder.submissions import Submission, UngradableSubmission


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
