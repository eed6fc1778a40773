"""Hold the result of grading one submission."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from autograder.bridge import StopByLocation, SubmissionProgram
from autograder.bridge.student_exceptions import WALL
from autograder.grading.results import ConceptScore, HiddenTestResult

GRADED = "graded"


@dataclass(frozen=True, slots=True)
class GradedSubmission:
    """The result of grading one submission."""

    submission_id: str
    sha256: str
    files: tuple[str, ...]
    status: str
    """``graded``, or the stable key of the reason why it could not be graded."""
    message: str
    """The reason why it could not be graded, for the student; else empty."""
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
    """The names of methods and functions that it implements; stubs are not among them."""
    ran_each_test_fresh: bool = False
    """Whether each test ran in a process of its own, because one saw something else in another process."""
    stop_by_location: StopByLocation = field(default_factory=dict)
    """The locations where tests were stopped, and how. A later run of the code need not wait at these locations."""
    fresh_look: str = ""
    """What is wrong with numbers that no test uses, for the staff; empty where nothing is, or nobody looked."""
    loading_was_cut: bool = False
    """Whether a wall-clock limit stopped the loading of the code."""

    @property
    def has_wall_clock_stop(self) -> bool:
        """Return whether a wall-clock limit was reached, so that the result may be due to a busy machine."""
        return self.loading_was_cut or any(result.stop_cause == WALL for result in self.test_results)
