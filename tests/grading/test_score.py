"""Points: shared among the tests of a concept by weight, to the cent, the bonus apart."""

from __future__ import annotations

from fractions import Fraction

import pytest

from autograder.course import Assignment
from autograder.grading.results import (
    HiddenTestResult,
    HiddenTestSpec,
    Outcome,
    apportion_points,
    compute_concept_scores,
    earns_full_points,
)


def spec(name: str, concept: str = "forward", weight: int = 1) -> HiddenTestSpec:
    return HiddenTestSpec(name, concept, "A sentence.", "A hint.", (), (), Fraction(weight))


def specs_for(assignment: Assignment, count: int) -> list[HiddenTestSpec]:
    return [spec(f"{c.test_id_prefix}.{n}", c.name) for c in assignment.concepts for n in range(count)]


@pytest.mark.parametrize("count", [1, 3, 7, 13])
def test_the_points_of_a_concepts_tests_add_up_to_the_cent(engine: Assignment, count: int) -> None:
    specs = specs_for(engine, count)
    points = apportion_points(specs, engine)
    for concept in engine.concepts:
        total = sum(points[s.id] for s in specs if s.concept == concept.name)
        assert total == Fraction(str(concept.points))


def test_points_are_shared_by_weight(engine: Assignment) -> None:
    points = apportion_points([spec("light"), spec("heavy", weight=3)], engine)
    assert points == {"light": Fraction("3.75"), "heavy": Fraction("11.25")}


@pytest.mark.parametrize(
    ("outcome", "earned"),
    [
        ("passed", True),
        ("grader error", True),
        ("failed", False),
        ("error", False),
        ("timeout", False),
        ("crashed", False),
        ("blocked", False),
        ("not attempted", False),
    ],
)
def test_a_pass_earns_its_points_and_a_fault_of_the_grader_costs_none(outcome: Outcome, earned: bool) -> None:
    assert earns_full_points(HiddenTestResult(spec("one"), outcome)) is earned


def test_the_bonus_is_counted_apart(engine: Assignment) -> None:
    specs = specs_for(engine, 2)
    points = apportion_points(specs, engine)
    scores = compute_concept_scores([HiddenTestResult(s, "passed") for s in specs], points, engine)
    assert sum(s.score for s in scores if not s.bonus) == 100
    assert sum(s.score for s in scores if s.bonus) == 10
