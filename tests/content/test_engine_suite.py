"""The hidden suite of the engine: nothing is earned by doing nothing, and no mark depends on a legal choice."""

from __future__ import annotations

from fractions import Fraction

import pytest

from autograder.course import Assignment
from autograder.grading import GradedSubmission, Grader
from tests.graded_sources import grade_source

IDLE = """
class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data, self.grad, self._prev, self._op, self._backward = data, 0.0, (), "", lambda: None

    def does_nothing(self, *others):
        return {result}

    __add__ = __mul__ = tanh = backward = zero_grad = does_nothing
"""
LEFT_FIRST = (("iter(self._prev)", "iter(self._prev)"),)
RIGHT_FIRST = (("iter(self._prev)", "reversed(self._prev)"), ("iter(operand._prev)", "reversed(operand._prev)"))
SUM_REPLACES = (("self.grad += out.grad\n            other.grad += out.grad", "self.grad = other.grad = out.grad"),)
NOT_REVERSED = (("in reversed(self._operands_first())", "in self._operands_first()"),)
NOT_SEEDED = (("        self.grad = 1.0\n        for", "        for"),)
WHOLE = "the engine as a whole"

Edits = tuple[tuple[str, str], ...]


def edited(engine: Assignment, *edits: tuple[str, str]) -> str:
    """The reference solution with edits, each of which it must have a place for."""
    source = engine.solution_file.read_text(encoding="utf-8")
    for old, new in edits:
        assert old in source
        source = source.replace(old, new, 1)
    return source


def marks(graded: GradedSubmission) -> dict[str, Fraction]:
    return {concept.name: concept.score for concept in graded.concept_scores if not concept.bonus}


def lost_core_messages(graded: GradedSubmission) -> dict[str, str]:
    """What is said of each core test that is lost."""
    return {
        r.spec.id: r.message for r in graded.test_results if r.outcome != "passed" and not r.spec.asks_beyond_contract
    }


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("result", ["None", "self", "Value(1.0)"])
def test_methods_that_do_nothing_earn_nothing_but_what_a_new_value_is(grader: Grader, result: str) -> None:
    earned = marks(grade_source(grader, IDLE.format(result=result)))
    assert sum(earned.values()) == earned["forward"] <= 6


@pytest.mark.parametrize("mistake", [SUM_REPLACES, NOT_REVERSED])
def test_walking_left_or_right_first_costs_the_same_and_is_told_the_same(
    grader: Grader, engine: Assignment, mistake: Edits
) -> None:
    left = grade_source(grader, edited(engine, *LEFT_FIRST, *mistake))
    right = grade_source(grader, edited(engine, *RIGHT_FIRST, *mistake))
    assert marks(left) == marks(right)
    assert lost_core_messages(left) == lost_core_messages(right) != {}


def test_gradients_that_are_all_zero_earn_nothing_in_the_engine_as_a_whole(
    grader: Grader, engine: Assignment
) -> None:
    earned = marks(grade_source(grader, edited(engine, *NOT_SEEDED)))
    assert earned[WHOLE] == 0
    assert sum(earned.values()) <= 62


def test_a_prerequisite_that_is_wrong_blocks_a_test_and_is_named(grader: Grader, engine: Assignment) -> None:
    results = {r.spec.id: r for r in grade_source(grader, edited(engine, *NOT_SEEDED)).test_results}
    blocked = results["tanh.backward-goes-through-tanh"]
    assert blocked.outcome == "blocked"
    assert blocked.message == "This needs `backward`, which does not work yet."
