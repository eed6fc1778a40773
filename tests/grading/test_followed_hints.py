"""A hint is not shown where the program does already what it proposes."""

from __future__ import annotations

import pytest

from autograder.grading.source_slips import does_program_follow_hint

ENGINE = """
class Value:
    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad = self.data * out.grad
"""


def follows(hint: str, name: str = "__add__") -> bool:
    return does_program_follow_hint(hint, [name], {"value.py": ENGINE})


@pytest.mark.parametrize(
    "hint",
    [
        "Use `+=` and not `=` for the operands' gradients in `_backward`.",
        "The result's data is `self.data + other.data`.",
        "Does every operation end with `return out`?",
        "Store it without calling it, `out._backward = _backward`.",
    ],
)
def test_a_proposal_that_stands_in_the_method_is_followed(hint: str) -> None:
    assert follows(hint)


@pytest.mark.parametrize(
    "hint",
    [
        "Use `+=` and not `=` for the operands' gradients in `_backward`.",
        "Does every operation end with `return out`?",
        "The result's data is `self.data + other.data`.",
    ],
)
def test_a_proposal_that_stands_elsewhere_or_not_everywhere_is_not(hint: str) -> None:
    assert not follows(hint, "__mul__")


@pytest.mark.parametrize(
    "hint",
    [
        "Hand the operands on: `Value(..., (self, other), '+')`.",
        "`_backward` writes to the operands' `grad` and to nothing else.",
        "Set every node's `grad` to 0.0.",
        "In `a + 3` the number becomes a leaf: `return out`.",
        "Call `node._backward()` for every node.",
        "Draw the graph, and multiply along the way.",
        "`not Python at all`",
    ],
)
def test_what_is_only_spoken_of_is_no_proposal(hint: str) -> None:
    assert not follows(hint)
