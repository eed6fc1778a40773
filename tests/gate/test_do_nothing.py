"""Programs that do nothing are made of the reference solution, whatever the assignment defines."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.author_checks.stubbing import (
    NO_GRADIENTS,
    NONE,
    TRANSFORMATIONS,
    try_transform_solution,
)
from autograder.course import Assignment, load_course
from tests.toy import SOLUTION, load_toy, write_toy

CLASS = """\
class Node:
    def __init__(self, data, label=""):
        # BEGIN SOLUTION
        self.grad = 0.0
        self.grad = data
        # END SOLUTION

    def double(self):
        # BEGIN SOLUTION
        self.grad += 1

        def later():
            self.grad = 2

        return later
        # END SOLUTION


def helper(x):
    return x
"""


@pytest.fixture
def course(tmp_path: Path) -> Assignment:
    """A toy assignment that defines a class."""
    return load_toy(tmp_path, files={SOLUTION: CLASS}, defines="Node")


def source(course: Assignment, name: str) -> str:
    """The program of a transformation that changes something."""
    program = try_transform_solution(course, name)
    assert program is not None
    return program.source


def test_the_first_init_is_kept_and_helpers_are_not_touched(course: Assignment) -> None:
    text = source(course, NONE)
    assert "self.grad = data" in text
    assert "later" not in text
    assert "def helper(x):\n    return x" in text


@pytest.mark.parametrize(
    ("name", "gives"),
    [
        ("every method returns its first argument", "node"),
        ("every method returns a list of it", "[node]"),
        ("every method returns 0", "0"),
        ("every method returns an empty list", "[]"),
    ],
)
def test_a_method_returns_what_the_name_says(course: Assignment, name: str, gives: str) -> None:
    names: dict[str, object] = {}
    exec(source(course, name) + f"\nnode = Node(3)\nsame = node.double() == {gives}", names)
    assert names["same"] is True


def test_a_new_object_gets_a_number_for_each_argument_it_must_have(course: Assignment) -> None:
    names: dict[str, object] = {}
    exec(source(course, "every method returns a new object") + "\nmade = Node(3).double().grad", names)
    assert names["made"] == 1.0


def test_gradients_that_are_never_set_keep_what_the_constructor_gave_first(course: Assignment) -> None:
    names: dict[str, object] = {}
    text = source(course, NO_GRADIENTS)
    exec(text + "\nnode = Node(3)\nnode.double()()\ngrad = node.grad", names)
    assert names["grad"] == 0.0
    assert "later" in text


def test_every_transformation_of_a_function_is_a_program(tmp_path: Path) -> None:
    course = load_course(write_toy(tmp_path)).assignments[0]
    made = [try_transform_solution(course, name) for name in TRANSFORMATIONS]
    assert [compile(one.source, "made", "exec") for one in made if one] != []
