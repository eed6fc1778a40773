"""Turn the results of one submission into everything that is said of it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from autograder.bridge import LoadResult
from autograder.course import Assignment
from autograder.grading.graded_submission import GRADED, WALL_CLOCKS, GradedSubmission
from autograder.grading.result_model import TestResult, TestSpec
from autograder.grading.score import score_concepts, share_points_among_tests
from autograder.grading.suite_run import SuiteRun
from autograder.submissions import Submission, UnreadableSubmission


class ResultMarker:
    """Marks the submissions of one assignment, each by its results."""

    def __init__(self, assignment: Assignment, specs: Sequence[TestSpec], tier: str) -> None:
        """Share out the points.

        Args:
            assignment: the assignment.
            specs: its hidden tests.
            tier: how the submissions are shut in.
        """
        self._assignment, self._specs, self._tier = assignment, specs, tier
        self._points = share_points_among_tests(specs, assignment)

    def make_graded_submission(
        self,
        submission: Submission,
        run: SuiteRun,
        results: tuple[TestResult, ...],
        raw: dict[str, Any],
        started: float,
        seconds: Mapping[str, float],
    ) -> GradedSubmission:
        """Mark a submission on which the tests were run.

        Args:
            submission: the submission as it was read.
            run: the run in which it was tested.
            results: one result of each test.
            raw: pytest-json-report's record.
            started: when work on the submission began.
            seconds: how long parts of that work took.
        """
        return GradedSubmission(
            submission=submission.id,
            sha256=submission.sha256,
            files=submission.files,
            status=GRADED,
            message="",
            notes=run.notes,
            results=results,
            points=self._points,
            concepts=score_concepts(results, self._points, self._assignment),
            tier=self._tier,
            processes=run.bridge.processes,
            seconds={**seconds, "total": time.perf_counter() - started},
            raw=raw,
            program=run.bridge.program,
            has=run.target.has,
            apart=run.bridge.apart,
            loading_was_cut=_was_cut(run.target.loaded),
        )

    def make_ungradable_submission(
        self,
        name: str,
        reason: UnreadableSubmission,
        started: float,
        notes: tuple[str, ...] = (),
        loaded: LoadResult | None = None,
    ) -> GradedSubmission:
        """Mark a submission that cannot be graded at all.

        Args:
            name: the submission's id.
            reason: what is in the way.
            started: when work on the submission began.
            notes: sentences on how the submission was read and loaded.
            loaded: what the submission defines; None where it was not loaded.
        """
        results = tuple(TestResult(spec, "blocked", reason.message) for spec in self._specs)
        return GradedSubmission(
            submission=name,
            sha256=reason.sha256,
            files=reason.files,
            status=reason.reason,
            message=reason.message,
            notes=notes,
            results=results,
            points=self._points,
            concepts=score_concepts(results, self._points, self._assignment),
            tier=self._tier,
            seconds={"total": time.perf_counter() - started},
            loading_was_cut=loaded is not None and _was_cut(loaded),
        )


def _was_cut(loaded: LoadResult) -> bool:
    """Return whether a wall-clock limit cut loading short; not for a program that sleeps, which is its own choice."""
    return any(note.kind == "stopped" and note.error in WALL_CLOCKS for note in loaded.notes)
