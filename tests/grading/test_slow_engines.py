"""Slow work keeps its marks as long as it ends; what grows without measure does not, and is told why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autograder.grading import Grader
from tests.graded_sources import grade_source
from tests.grading.engines import edited
from tests.grading.test_fairness import points

if TYPE_CHECKING:
    from tests.grading.conftest import GradeWith

FORTY_TIMES_THE_WORK = """
def forty_times(method):
    def slow(*arguments):
        for _ in range(39):
            method(*arguments)
        return method(*arguments)
    return slow

def passing_on_forty_times(method):
    def made(*operands):
        out = method(*operands)
        pass_on = getattr(out, "_backward", None)
        def slow():
            before = [(operand, operand.grad) for operand in out._prev]
            for _ in range(39):
                pass_on()
                for operand, grad in before:
                    operand.grad = grad
            pass_on()
        if pass_on:
            out._backward = slow
        return out
    return made

for name in ("__add__", "__mul__", "__pow__", "tanh", "exp", "relu"):
    setattr(Value, name, forty_times(passing_on_forty_times(vars(Value)[name])))
Value._operands_first = forty_times(Value._operands_first)
"""
EVERY_PATH = """
        every, stack = [], [self]
        while stack:
            node = stack.pop()
            every.append(node)
            stack.extend(node._prev)
        return [*dict.fromkeys(reversed(every))]
        topo: list[Value] = []
"""


def read_reference(root: Path) -> str:
    return (root / "solutions" / "autograd-engine" / "value.py").read_text(encoding="utf-8")


def test_a_right_engine_that_does_forty_times_the_work_keeps_its_marks(grader: Grader, root: Path) -> None:
    graded = grade_source(grader, read_reference(root) + FORTY_TIMES_THE_WORK)
    assert points(graded) == points(grade_source(grader, read_reference(root)))


def test_an_engine_that_walks_every_path_loses_the_tests_of_work_and_is_told_how_much_it_did(
    grader: Grader, root: Path
) -> None:
    source = edited(read_reference(root), ("        topo: list[Value] = []\n", EVERY_PATH.removeprefix("\n")))
    lost = {one.spec.id: one for one in grade_source(grader, source).test_results if one.outcome != "passed"}
    assert [name.rpartition(".")[2] for name in lost] == [
        "the-sort-goes-into-every-node-once",
        "zero-grad-goes-into-every-node-once",
    ]
    assert all("more than 20000 times, for 33 nodes" in one.message for one in lost.values())


COUNTS = "class Counter:\n    def __init__(self, start=0): self.value = start\n"
WORKS = (
    COUNTS
    + """
    def up(self):
        for _ in range({rounds}):
            self.value += 1
            self.value -= 1
        self.value += 1
        return self.value
"""
)
TESTS = """
import pytest

@pytest.mark.parametrize("start", range(2))
def test_up(Counter, start):
    'Counts.'
    assert Counter(start).up() == start + 1
"""


def test_a_test_that_meets_its_limit_and_ends_a_little_later_passes(grade_with: GradeWith) -> None:
    rounds = 7_000_000  # twice the limit on the reference machine
    graded = grade_with(TESTS, WORKS.format(rounds=rounds))
    assert [one.outcome for one in graded.test_results] == ["passed"] * 2
