"""A cause has the failed tests that need what it is about, and stands aside for what failed before it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from autograder.course.misconceptions import Misconception
from autograder.diagnosis.diagnosis_definition import DiagnosablePart
from autograder.diagnosis.diagnosis_model import NamedMistake
from autograder.diagnosis.naming.failed_test_causes import make_causes_of_failed_tests
from autograder.diagnosis.naming.mistake_naming import NamedWrongPartGroup
from autograder.grading import HiddenTestResult
from autograder.grading.hidden_test_model import HiddenTestSpec, Outcome


def part(name: str, *, is_required: bool = True) -> DiagnosablePart:
    return DiagnosablePart(name, f"`{name}`", (name,), lambda log, student: None, is_required=is_required)


def failed(*tested: str, needs: tuple[str, ...] = (), outcome: Outcome = "failed") -> HiddenTestResult:
    spec = HiddenTestSpec(" ".join(tested), "concept", "It holds.", "", (*tested, *needs), tested, Fraction(1))
    return HiddenTestResult(spec, outcome)


def group(*parts: str, seen: str = "seen", proven: tuple[Misconception, ...] = ()) -> NamedWrongPartGroup:
    mistake = NamedMistake(id=seen, title="What was seen", explanation="", hints=())
    return NamedWrongPartGroup(parts, (mistake,), proven)


PARTS = [part("neuron"), part("step"), part("loss"), part("bonus", is_required=False)]


def find_tests(groups: list[NamedWrongPartGroup], *results: HiddenTestResult) -> list[tuple[str, ...]]:
    return [cause.tests for cause in make_causes_of_failed_tests(groups, PARTS, results)]


def test_a_test_belongs_to_the_mistake_that_it_is_about_or_else_to_one_that_it_needs() -> None:
    groups = [group("neuron"), group("loss")]
    found = find_tests(groups, failed("neuron"), failed("loss", needs=("neuron",)), failed("step", needs=("neuron",)))
    assert found == [("neuron", "step"), ("loss",)]


def test_a_test_that_needs_no_part_of_a_mistake_belongs_to_none() -> None:
    assert find_tests([group("neuron")], failed("neuron"), failed("loss")) == [("neuron",)]


def test_what_was_seen_of_a_part_is_no_cause_where_something_that_it_needs_failed() -> None:
    assert find_tests([group("step")], failed("neuron"), failed("step", needs=("neuron",))) == []
    assert find_tests([group("step")], failed("loss"), failed("step", needs=("neuron",))) == [("step",)]


@pytest.mark.parametrize(("before", "causes"), [("neuron", []), ("other", [("bonus",)])])
def test_what_is_optional_is_no_cause_where_something_required_failed(
    before: str, causes: list[tuple[str, ...]]
) -> None:
    assert find_tests([group("bonus")], failed(before), failed("bonus")) == causes


@pytest.mark.parametrize(("outcome", "causes"), [("failed", []), ("timeout", [("step",)]), ("crashed", [("step",)])])
def test_an_experiment_that_was_stopped_is_no_cause_where_no_test_was(
    outcome: Outcome, causes: list[tuple[str, ...]]
) -> None:
    assert find_tests([group("step", seen="does-not-come-back")], failed("step", outcome=outcome)) == causes
