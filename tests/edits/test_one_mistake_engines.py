"""Engines with one mistake each, as students make them: the right text is among the proposals."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from autograder.edits import propose_edits

RIGHT = (Path(__file__).parents[2] / "solutions" / "autograd-engine" / "value.py").read_text(encoding="utf-8")
MISTAKES = {
    "the right operand of + gets the gradient of the left": (
        "            self.grad += out.grad\n            other.grad += out.grad",
        "            self.grad += out.grad\n            other.grad += self.grad",
    ),
    "* overwrites a gradient": ("self.grad += other.data * out.grad", "self.grad = other.data * out.grad"),
    "* forgets the chain rule": ("self.grad += other.data * out.grad", "self.grad += other.data"),
    "* mixes up the operands": ("other.grad += self.data * out.grad", "other.grad += other.data * out.grad"),
    "tanh does not square": ("(1 - t**2) * out.grad", "(1 - t) * out.grad"),
    "tanh lacks parentheses": ("(1 - t**2) * out.grad", "1 - t**2 * out.grad"),
    "tanh takes the number and not the result": ("(1 - t**2) * out.grad", "(1 - self.data**2) * out.grad"),
    "tanh has no operand": ('Value(t, (self,), "tanh")', 'Value(t, (), "tanh")'),
    "backward walks from the leaves": ("in reversed(self._operands_first())", "in self._operands_first()"),
    "the walk appends a node before its operands": (
        "            else:\n                topo.append(node)\n                stack.pop()",
        "            else:\n                stack.pop()\n                topo.append(node)",
    ),
    "_backward is called at once": (
        "            other.grad += out.grad\n\n        out._backward = _backward\n",
        "            other.grad += out.grad\n\n        out._backward = _backward()\n",
    ),
    "_backward is not kept": (
        "self.grad += (1 - t**2) * out.grad\n\n        out._backward = _backward\n",
        "self.grad += (1 - t**2) * out.grad\n\n",
    ),
    "the result is returned within _backward": (
        "self.grad += out.data * out.grad\n\n        out._backward = _backward\n        return out",
        "self.grad += out.data * out.grad\n            return out\n\n        out._backward = _backward",
    ),
    "zero_grad clears only the result": ("            node.grad = 0.0", "            self.grad = 0.0"),
    "subtraction lacks a sign": ("return -self + other", "return self + other"),
    "division forgets the power's sign": ("return self * other**-1", "return self * other**1"),
    "relu passes on where the number is negative": (
        "            if self.data > 0:\n                self.grad += out.grad",
        "            if self.data < 0:\n                self.grad += out.grad",
    ),
    "relu looks at the gradient": (
        "            if self.data > 0:\n                self.grad += out.grad",
        "            if self.grad > 0:\n                self.grad += out.grad",
    ),
    "a power lacks the lower exponent": ("self.data ** (exponent - 1)", "self.data**exponent"),
    "an attribute is misspelled": ("        self._prev = _prev", "        self.prev = _prev"),
    "there is an __eq__ without a __hash__": (
        "    def tanh(self)",
        "    def __eq__(self, other: object) -> bool:\n        return self is other\n\n    def tanh(self)",
    ),
    "math is not imported": ("import math\n", ""),
}

LACKING = {
    "backward does not start at 1": ("        self.grad = 1.0\n", ""),
    "the walk forgets what it visited": ("                    visited.add(operand)\n", ""),
    "backward does nothing": ("            node._backward()\n", "            pass\n"),
}
"""What only another program can give."""


def normal_form(source: str) -> str:
    """Return what the parser sees."""
    return ast.dump(ast.parse(source))


def without_layout(source: str) -> str:
    """Return the program without white space and parentheses, which tells most others at once."""
    return re.sub(r"[\s()]", "", source)


def is_repaired(wrong: str, donors: list[str]) -> bool:
    """Return whether the right engine is among the proposals."""
    signs, wanted = without_layout(RIGHT), normal_form(RIGHT)
    alike = [edit.text for edit in propose_edits(wrong, donors=donors) if without_layout(edit.text) == signs]
    return any(normal_form(text) == wanted for text in alike)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_right_engine_is_among_the_proposals_for_a_wrong_one(mistake: str) -> None:
    right, wrong = MISTAKES[mistake]
    assert right in RIGHT
    assert is_repaired(RIGHT.replace(right, wrong, 1), [])


@pytest.mark.parametrize("mistake", LACKING)
def test_a_statement_that_is_lacking_comes_from_a_right_program(mistake: str) -> None:
    right, wrong = LACKING[mistake]
    assert right in RIGHT
    assert is_repaired(RIGHT.replace(right, wrong, 1), [RIGHT])
