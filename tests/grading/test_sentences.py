"""What a student reads about a real program: the slip that is in it, and no advice that does not fit."""

from __future__ import annotations

import pytest

from autograder.grading import GradedSubmission, Grader
from autograder.grading.results import HiddenTestResult
from tests.graded_sources import grade_source
from tests.grading.engines import ENGINE, edited


def lost(result: GradedSubmission, *names: str) -> list[HiddenTestResult]:
    """The lost tests that need one of these functions."""
    return [
        one
        for one in result.test_results
        if one.outcome in ("failed", "error", "timeout")
        and {*names} & {*one.spec.tested_names, *one.spec.required_names}
    ]


def of_add(result: GradedSubmission) -> list[HiddenTestResult]:
    """The lost tests that are about `+` alone."""
    return [one for one in lost(result, "__add__") if one.spec.tested_names == ("__add__",)]


STORED = "out._backward = _backward\n        return out\n    def __mul__"


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (STORED, STORED.replace("out._backward", "out.backward"), "`out.backward` hides the method `backward`"),
        (STORED, STORED.replace("out._backward = _backward", "_backward()"), "`_backward()` runs it at once"),
        (STORED, STORED.replace("out._backward = _backward", "pass"), "`_backward` is never stored"),
        ("other.grad += out.grad\n", "other.grad =+ out.grad\n", "`=+` sets the gradient, `+=` adds to it"),
    ],
    ids=["stored as backward", "called at once", "never stored", "=+"],
)
def test_a_slip_in_the_source_is_told_with_its_line(grader: Grader, old: str, new: str, said: str) -> None:
    tests = [one for one in of_add(grade_source(grader, edited(ENGINE, (old, new)))) if "grad" in one.message]
    assert tests
    for test in tests:
        assert said in test.spec.hint
        assert "and not `=`" not in test.spec.hint
        assert "d(a + b)" not in test.spec.hint


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("            node._backward\n", "`node._backward` alone calls nothing; add `()`"),
        ("            node.grad = 1.0\n", "Nothing calls `_backward`"),
    ],
    ids=["mentioned", "not even mentioned"],
)
def test_a_walk_that_calls_nothing_is_not_told_to_visit_every_operand(grader: Grader, new: str, said: str) -> None:
    result = grade_source(grader, edited(ENGINE, ("            node._backward()\n", new)))
    tests = [one for one in lost(result, "backward") if one.spec.concept == "topological order"]
    assert tests
    told = [one for one in tests if "never called" in one.message or "_backward" in one.message]
    assert told
    for test in told:
        assert said in test.spec.hint
        assert "operand" not in test.spec.hint


def test_a_caret_is_told_as_one(grader: Grader) -> None:
    result = grade_source(grader, edited(ENGINE, ("(1 - t**2)", "(1 - t^2)")))
    tests = [one for one in lost(result, "tanh") if one.outcome == "error"]
    assert tests
    for test in tests:
        assert "write `**`" in test.spec.hint
        assert "plain numbers" not in test.spec.hint


EQ = "    def __eq__(self, other):\n        return self.data == other.data\n    def __add__"
DATACLASS = """\
from dataclasses import dataclass, field
@dataclass
class Value:
    data: float
    _prev: tuple = ()
    _op: str = ''
    grad: float = 0.0
    _backward: object = lambda: None
"""


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    ("source", "said"),
    [
        (edited(ENGINE, ("    def __add__", EQ)), "take out `__eq__`"),
        (
            edited(DATACLASS + ENGINE[ENGINE.index("    def __add__") :], ("t = math", "import math; t = math")),
            "`@dataclass(eq=False)`",
        ),
    ],
    ids=["__eq__", "@dataclass"],
)
def test_who_compares_nodes_by_number_is_told_to_compare_them_by_identity(
    grader: Grader, source: str, said: str
) -> None:
    tests = [one for one in grade_source(grader, source).test_results if "unhashable" in one.message]
    assert tests
    for test in tests:
        assert said in test.spec.hint
        assert "__hash__" not in test.spec.hint


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("visited.add(v)", "visited.append(v)"), "This is a set"),
        (("topo.append(v)", "topo.add(v)"), "This is a list"),
    ],
    ids=["append to a set", "add to a list"],
)
def test_a_set_is_told_from_a_list(grader: Grader, edit: tuple[str, str], said: str) -> None:
    tests = [
        one for one in lost(grade_source(grader, edited(ENGINE, edit)), "backward") if "attribute" in one.message
    ]
    assert tests
    for test in tests:
        assert said in test.spec.hint
        assert "__init__" not in test.spec.hint
