"""A right engine with names of its own for its internals loses little, and is told which names are asked for."""

from __future__ import annotations

import pytest

from autograder.grading import Grader
from tests.graded_sources import grade_source
from tests.grading.engines import ENGINE, edited

NAMES = "forward.internals-have-the-names-of-the-handout"
SLOTS = '    __slots__ = ("data", "grad", "_parents", "_op", "_backward", "__weakref__")\n    def __init__'
AS_EDGES = [
    ("self._prev = set(_children)", "self.edges = [(child, 1.0) for child in _children]"),
    ("for c in v._prev", "for c, _ in v.edges"),
    ("stack.extend(n._prev)", "stack.extend(child for child, _ in n.edges)"),
]
CORE = ("operators", "robustness")

ENGINES = {
    "parents": edited(ENGINE, ("_prev", "parents")),
    "children, a list": edited(ENGINE, ("set(_children)", "list(_children)"), ("_prev", "children")),
    "slots": edited(ENGINE, ("_prev", "_parents"), ("    def __init__", SLOTS)),
    "two underscores": edited(ENGINE, ("_prev", "__operands")),
    "dict": edited(ENGINE, ("set(_children)", "dict.fromkeys(_children)"), ("_prev", "inputs")),
    "edges": edited(ENGINE, *AS_EDGES),
    "all three": edited(ENGINE, ("_prev", "inputs"), ("._op", ".op"), ("._backward", ".grad_fn")),
}
TOLD = {
    "parents": "its operands are in `parents`; the handout asks for `_prev`",
    "children, a list": "`children`",
    "slots": "`_parents`",
    "two underscores": "`__operands`",
    "dict": "`inputs`",
    "edges": "`edges`",
    "all three": "`inputs`",
}


@pytest.mark.first_cases(2)
@pytest.mark.thorough_but("parents", "slots", "all three")
@pytest.mark.parametrize("name", ENGINES)
def test_a_right_engine_with_other_names_loses_at_most_ten_points_and_is_told_why(grader: Grader, name: str) -> None:
    result = grade_source(grader, ENGINES[name])
    lost = {
        one.spec.id: one for one in result.test_results if one.outcome != "passed" and one.spec.concept not in CORE
    }
    assert set(lost) == {NAMES}
    assert TOLD[name] in lost[NAMES].message
    assert sum(one.score for one in result.concept_scores if not one.bonus) >= 90


def test_a_wrong_engine_with_other_names_loses_what_it_loses_with_ours(grader: Grader) -> None:
    wrong = edited(
        ENGINE, ("self.grad += out.grad", "self.grad = out.grad"), ("for node in reversed(topo)", "for node in topo")
    )
    ours = {one.spec.id for one in grade_source(grader, wrong).test_results if one.outcome != "passed"}
    theirs = {
        one.spec.id
        for one in grade_source(grader, edited(wrong, ("_prev", "parents"))).test_results
        if one.outcome != "passed"
    }
    assert theirs == ours | {NAMES}


def test_an_engine_without_any_operands_is_told_the_name_it_lacks(grader: Grader) -> None:
    source = edited(ENGINE, ("self._prev = set(_children)", "pass"))
    (told,) = [one.message for one in grade_source(grader, source).test_results if one.spec.id == NAMES]
    assert "has no attribute '_prev'" in told
