"""Hold everything that is known of one submission after grading."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from autograder.bridge import StopByLocation, SubmissionProgram
from autograder.grading.hidden_test_spec_and_result import ConceptScore, HiddenTestResult

GRADED = "graded"
WALL_CLOCK_CAUSES = ("wall",)
"""Causes that say more of a machine than of a program: the clock on the wall went on while others were at work."""


@dataclass(frozen=True, slots=True)
class GradedSubmission:
    """Everything that is known of one submission after grading."""

    submission_id: str
    sha256: str
    files: tuple[str, ...]
    status: str
    """``graded``, or the stable key of why it could not be."""
    message: str
    """For the student, when it could not be graded."""
    notes: tuple[str, ...]
    test_results: tuple[HiddenTestResult, ...]
    max_points_by_test: dict[str, Fraction]
    """Each test's maximum."""
    concept_scores: tuple[ConceptScore, ...]
    tier: str
    process_count: int = 0
    seconds_by_stage: dict[str, float] = field(default_factory=dict)
    pytest_record: dict[str, Any] = field(default_factory=dict)
    """pytest-json-report's record; empty when no test was run."""
    program: SubmissionProgram | None = None
    """The code itself, as it is sent into a process; None when it could not be graded."""
    implemented_names: frozenset[str] = frozenset()
    """The names that it has, methods and functions; stubs are not among them."""
    ran_each_test_fresh: bool = False
    """Whether the code was loaded anew for each test, since a failed test passed when it was run again.

    It was loaded anew in the same process where that does what a fresh process does.
    """
    stop_by_location: StopByLocation = field(default_factory=dict)
    """Where tests were stopped, and how: whoever runs the code again need not wait there."""
    loading_was_cut: bool = False
    """Whether a wall clock struck while it was loaded."""

    @property
    def has_wall_clock_stop(self) -> bool:
        """Return whether a wall-clock limit struck: then the result may be the machine's doing."""
        return self.loading_was_cut or any(result.stop_cause in WALL_CLOCK_CAUSES for result in self.test_results)


def may_outcomes_depend_through_time_limits(outcomes_and_stop_causes: Iterable[tuple[str, str]]) -> bool:
    """Return whether a test's outcome may depend on other tests: time-outs make a suite impatient, and time runs out.

    Args:
        outcomes_and_stop_causes: the outcome and cause of every test of a submission.
    """
    outcomes, causes = zip(*outcomes_and_stop_causes, strict=True)
    return "timeout" in outcomes or "submission" in causes
