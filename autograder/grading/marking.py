"""Turn the results of one submission into everything that is said of it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from autograder.bridge import Loaded
from autograder.course import Assignment
from autograder.grading.graded import GRADED, WALL_CLOCKS, Graded
from autograder.grading.results import TestResult, TestSpec
from autograder.grading.score import points_of_tests, score_concepts
from autograder.grading.sitting import Sitting
from autograder.submissions import Submission, Unreadable


class Marking:
    """Marks the submissions of one assignment, each by its results."""

    def __init__(self, assignment: Assignment, specs: Sequence[TestSpec], tier: str) -> None:
        """Share out the points.

        Args:
            assignment: the assignment.
            specs: its hidden tests.
            tier: how the submissions are shut in.
        """
        self._assignment, self._specs, self._tier = assignment, specs, tier
        self._points = points_of_tests(specs, assignment)

    def graded(
        self,
        submission: Submission,
        sitting: Sitting,
        results: tuple[TestResult, ...],
        raw: dict[str, Any],
        started: float,
        seconds: Mapping[str, float],
    ) -> Graded:
        """Mark a submission on which the tests were run.

        Args:
            submission: the submission as it was read.
            sitting: the sitting in which it was tested.
            results: one result of each test.
            raw: pytest-json-report's record.
            started: when work on the submission began.
            seconds: how long parts of that work took.
        """
        return Graded(
            submission=submission.id,
            sha256=submission.sha256,
            files=submission.files,
            status=GRADED,
            message="",
            notes=sitting.notes,
            results=results,
            points=self._points,
            concepts=score_concepts(results, self._points, self._assignment),
            tier=self._tier,
            processes=sitting.bridge.processes,
            seconds={**seconds, "total": time.perf_counter() - started},
            raw=raw,
            program=sitting.bridge.program,
            has=sitting.target.has,
            apart=sitting.bridge.apart,
            loading_was_cut=_was_cut(sitting.target.loaded),
        )

    def refused(
        self,
        name: str,
        why: Unreadable,
        started: float,
        notes: tuple[str, ...] = (),
        loaded: Loaded | None = None,
    ) -> Graded:
        """Mark a submission that cannot be graded at all.

        Args:
            name: the submission's id.
            why: what is in the way.
            started: when work on the submission began.
            notes: sentences on how the submission was read and loaded.
            loaded: what the submission defines; None where it was not loaded.
        """
        results = tuple(TestResult(spec, "blocked", why.message) for spec in self._specs)
        return Graded(
            submission=name,
            sha256=why.sha256,
            files=why.files,
            status=why.reason,
            message=why.message,
            notes=notes,
            results=results,
            points=self._points,
            concepts=score_concepts(results, self._points, self._assignment),
            tier=self._tier,
            seconds={"total": time.perf_counter() - started},
            loading_was_cut=loaded is not None and _was_cut(loaded),
        )


def _was_cut(loaded: Loaded) -> bool:
    """Return whether a wall-clock limit cut loading short; not for a program that sleeps, which is its own choice."""
    return any(note.kind == "stopped" and note.error in WALL_CLOCKS for note in loaded.notes)
