"""A submission over which a wall clock struck is graded once more, and what comes of that is the result."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from autograder.bridge import LoadResult
from autograder.bridge.submission_program import LoadProblem
from autograder.cli.grade import grade_with_report
from autograder.course import Assignment
from autograder.diagnosis import Diagnosis
from autograder.diagnosis.diagnoser import BUSY, NO_TIME
from autograder.diagnosis.naming import NO_NAME
from autograder.grading import GradedSubmission, HiddenTestResult
from autograder.grading.grader import GradedSubmissionFactory
from autograder.grading.results import HiddenTestSpec
from autograder.reports import make_score_report
from autograder.submissions import UngradableSubmission

TEST = HiddenTestSpec("tanh.it-is-right", "tanh", "It is right.", "", (), (), Fraction(1))


class Clocks:
    """A grader of one test; what stopped that, time after time, is given."""

    def __init__(self, assignment: Assignment, *causes: str) -> None:
        self.assignment = assignment
        self.left, self.suite_runner = [*causes], self

    def grade(self, path: Path, name: str = "") -> GradedSubmission:
        cause = self.left.pop(0)
        return graded_once(HiddenTestResult(TEST, "timeout" if cause else "passed", stop_cause=cause))

    def end_process_kept_for_diagnosis(self) -> None:
        """There is none."""


def graded_once(result: HiddenTestResult, **settings: Any) -> GradedSubmission:
    values = {"status": "graded", "message": "", "notes": (), "tier": "namespaces", "files": ()}
    points = {TEST.id: TEST.weight}
    return GradedSubmission(
        submission_id="a",
        sha256="",
        test_results=(result,),
        max_points_by_test=points,
        concept_scores=(),
        **{**values, **settings},
    )


def test_a_clock_that_strikes_once_costs_nothing(engine: Assignment) -> None:
    clocks = Clocks(engine, "wall", "")
    result, report = grade_with_report(clocks, Path("a.py"), most_tried=0)  # type: ignore[arg-type]
    assert (report.status.provisional, report.tests[0].outcome, result.has_wall_clock_stop) == (
        False,
        "passed",
        False,
    )


def test_a_clock_that_strikes_twice_leaves_it_provisional_and_is_not_tried_again(engine: Assignment) -> None:
    clocks = Clocks(engine, "wall", "wall", "")
    _, report = grade_with_report(clocks, Path("a.py"), most_tried=0)  # type: ignore[arg-type]
    assert report.status.provisional
    assert clocks.left == [""]


@pytest.mark.parametrize("cause", ["", "cpu", "sleep", "submission", "memory", "messages", "exit"])
def test_work_that_is_counted_is_final(engine: Assignment, cause: str) -> None:
    clocks = Clocks(engine, cause, "")
    _, report = grade_with_report(clocks, Path("a.py"), most_tried=0)  # type: ignore[arg-type]
    assert not report.status.provisional
    assert clocks.left == [""]


@pytest.mark.parametrize(
    ("kind", "error", "provisional"),
    [
        ("timed out", "_Waited", False),
        ("timed out", "LoadTimeout", False),
        ("stopped", "wall", True),
        ("stopped", "submission", False),
        ("stopped", "cpu", False),
        ("failed", "NameError", False),
        ("failed", "wall", False),
    ],
)
def test_a_clock_that_strikes_while_it_is_loaded_counts_as_well(
    engine: Assignment, kind: str, error: str, provisional: bool
) -> None:
    loaded = LoadResult(problems=(LoadProblem(kind, 0, 0, 1, error, ""),))
    refused = GradedSubmissionFactory(engine, [], "namespaces").make_ungradable_result(
        "a", UngradableSubmission("nothing-defined", "no"), 0.0, (), loaded
    )
    assert refused.has_wall_clock_stop is provisional


@pytest.mark.parametrize(("reason", "provisional"), [(BUSY, True), (NO_TIME, False), (NO_NAME, False)])
def test_mistakes_that_a_busy_machine_kept_from_being_looked_for_make_it_provisional(
    engine: Assignment, reason: str, provisional: bool
) -> None:
    wrong = graded_once(HiddenTestResult(TEST, "failed"))
    report = make_score_report(wrong, engine, Diagnosis(verdict="unknown", reason=reason))
    assert report.status.provisional is provisional
