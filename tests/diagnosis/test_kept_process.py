"""A diagnosis is the same in the process that was graded as in a fresh one, and whatever was diagnosed before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.course import Assignment
from autograder.diagnosis import SubmissionDiagnoser
from autograder.grading import GradedSubmission, Grader
from autograder.sandbox import SandboxConfig


@pytest.fixture
def fresh_grader(engine: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    """A grader of this test's own, whose submissions are diagnosed."""
    with Grader(engine, sandbox) as opened:
        SubmissionDiagnoser(opened)
        yield opened


def grade_file(grader: Grader, path: Path) -> GradedSubmission:
    return grader.grade_submission(make_submission_from_source("value.py", path.read_text(encoding="utf-8")))


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("count", [2, pytest.param(8, marks=pytest.mark.thorough)])
def test_a_diagnosis_is_the_same_in_the_kept_process_and_in_a_fresh_one(
    fresh_grader: Grader, root: Path, count: int
) -> None:
    diagnoser = SubmissionDiagnoser(fresh_grader)
    for path in sorted((root / "examples" / "submissions").glob("*.py"))[-count:]:
        graded = grade_file(fresh_grader, path)
        kept = diagnoser.diagnose(graded)
        assert diagnoser.diagnose(graded) == kept


@pytest.mark.thorough
def test_a_diagnosis_is_the_same_whatever_was_diagnosed_before(grader: Grader, root: Path) -> None:
    names = ("zero_grad_shallow", "overwrites", "no_visited", "forgot_reversed")
    graded = [grade_file(grader, root / "examples" / "submissions" / f"{name}.py") for name in names]
    remembering = SubmissionDiagnoser(grader)
    first = [remembering.diagnose(one) for one in graded]
    assert {one.verdict for one in first} == {"named"}
    assert [remembering.diagnose(one) for one in graded] == first
    assert [SubmissionDiagnoser(grader).diagnose(one) for one in graded] == first
