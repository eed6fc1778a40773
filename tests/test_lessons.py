"""Engines as lessons print them keep all marks for what they have; what they lack is told as such."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from autograder.course import load_course
from autograder.grading import Grader, HiddenTestResult
from autograder.grading.graded_submission import GRADED, GradedSubmission
from autograder.sandbox import choose_strongest_sandbox

pytestmark = pytest.mark.first_cases(8)
ROOT = Path(__file__).resolve().parent.parent
LESSONS = ROOT / "tests" / "data" / "lessons"
NOT_WRITTEN = ("not attempted", "blocked")
BEYOND_LESSONS = "robustness"
"""Every lesson recurses, and many overflow in tanh: that costs them bonus, as it should."""


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    score: float
    not_attempted: list[str]


EXPECTED = msgspec.json.decode((LESSONS / "expected.json").read_bytes(), type=dict[str, Expected])


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson's engine, graded."""

    graded: GradedSubmission
    expected: Expected

    def for_marks(self) -> list[HiddenTestResult]:
        """The results that count for more than bonus."""
        bonus = {concept.name for concept in self.graded.concept_scores if concept.bonus}
        return [result for result in self.graded.test_results if result.spec.concept not in bonus]


@pytest.fixture(scope="module")
def lesson_grader() -> Iterator[Grader]:
    assignment = next(one for one in load_course(ROOT).assignments if one.name == "autograd-engine")
    with Grader(assignment, choose_strongest_sandbox("process")) as grader:
        yield grader


@pytest.fixture(scope="module", params=EXPECTED)
def lesson(lesson_grader: Grader, request: pytest.FixtureRequest) -> Lesson:
    name: str = request.param
    return Lesson(lesson_grader.grade(LESSONS / name), EXPECTED[name])


def test_something_is_expected_of_every_lesson_and_of_nothing_else() -> None:
    assert {path.name for path in LESSONS.iterdir() if path.suffix in (".py", ".ipynb")} == set(EXPECTED)


def test_a_lesson_is_graded(lesson: Lesson) -> None:
    assert lesson.graded.status == GRADED, lesson.graded.message


def test_a_lesson_gets_its_score(lesson: Lesson) -> None:
    score = float(sum(concept.score for concept in lesson.graded.concept_scores if not concept.bonus))
    assert score == pytest.approx(lesson.expected.score, abs=0.001)


def test_what_a_lesson_lacks_is_not_attempted(lesson: Lesson) -> None:
    lacking = {result.spec.concept for result in lesson.for_marks() if result.outcome in NOT_WRITTEN}
    assert lacking == set(lesson.expected.not_attempted)


def test_nothing_that_a_lesson_has_fails(lesson: Lesson) -> None:
    failed = {
        result.spec.id: result.message
        for result in lesson.graded.test_results
        if result.outcome not in ("passed", *NOT_WRITTEN) and result.spec.concept != BEYOND_LESSONS
    }
    assert failed == {}
