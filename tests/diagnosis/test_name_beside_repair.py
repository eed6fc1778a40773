"""A name stays beside a repair unless the repair changes other functions than the mistake does."""

from __future__ import annotations

import pytest

from autograder.diagnosis.naming import is_contradicted_by_repair
from autograder.repair.model import Edit, Repair

SOLUTION = """
LIMIT = 3

class Value:
    def add(self):
        return 1

    def clear(self):
        return self._walk()

    def _walk(self):
        return 2

def sort():
    def visit():
        return 3
    return visit()
"""
TESTED = {"add", "clear", "sort"}


def repair_in(*functions: str, complete: bool = True) -> Repair:
    edits = tuple(
        Edit(file="value.py", line=1, end_line=1, before="a", after="b", kind="name", function=function)
        for function in functions
    )
    return Repair(edits=edits, proven=True, complete=complete)


@pytest.mark.parametrize(
    ("functions", "changed", "is_contradicted"),
    [
        (("Value.add",), "return 1", False),
        (("Value.add.backward",), "return 1", False),
        (("Value.clear",), "return 1", True),
        (("Value.clear", "Value.add"), "return 1", False),
        (("sort.visit",), "return 3", False),
        (("sort.visit",), "return 1", True),
        (("sorted_nodes",), "return 1", False),
        (("Value._walk",), "return 1", False),
        (("Value.clear",), "return 2", False),
        (("",), "return 1", False),
        (("Value.clear",), "LIMIT = 3", False),
    ],
    ids=[
        "the same method", "a function within it", "another method", "one of two", "a function within", "elsewhere",
        "a helper of the student", "a helper of both", "a helper of the solution", "outside functions",
        "a mistake outside functions",
    ],
)  # fmt: skip
def test_a_repair_of_other_functions_contradicts(
    functions: tuple[str, ...], changed: str, is_contradicted: bool
) -> None:
    wrong = SOLUTION.replace(changed, f"{changed} + 1")
    assert is_contradicted_by_repair(repair_in(*functions), SOLUTION, wrong, TESTED) is is_contradicted


def test_a_repair_that_leaves_failed_tests_contradicts_nothing() -> None:
    wrong = SOLUTION.replace("return 1", "return 4")
    assert not is_contradicted_by_repair(repair_in("Value.clear", complete=False), SOLUTION, wrong, TESTED)


def test_without_a_repair_a_name_stays() -> None:
    assert not is_contradicted_by_repair(repair_in(), SOLUTION, SOLUTION.replace("return 1", "return 4"), TESTED)
