"""Tests that ask a submission one by one, and once more with their requests sent ahead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from autograder.bridge import StudentProxy
from autograder.bridge.messages import Exchange, split_answers_message

if TYPE_CHECKING:
    from tests.bridge.conftest import LoadedSubmission


Test = Callable[[StudentProxy], Any]
ENGINE = """
calls = []

class Value:
    def __init__(self, data, _prev=()):
        calls.append("made")
        self.data, self.grad, self._prev = data, 0.0, _prev
        self._backward = lambda: None

    def __add__(self, other):
        calls.append("add")
        out = Value(self.data + other.data, (self, other))
        def passes_on():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = passes_on
        return out

    def __mul__(self, other):
        calls.append("mul")
        raise TypeError("no products")

    def backward(self):
        self.grad = 1.0
        self._backward()

    def kept(self):
        return calls
"""


def sums(student: StudentProxy) -> Any:
    """A test with objects, numbers and an exception in it."""
    Value = student.get("Value")  # noqa: N806
    a, b = Value(2.0), Value(3.0)
    c = a + b
    c.backward()
    a.grad = 7.0
    with pytest.raises(TypeError, match="no products"):
        a * b
    assert c._prev[0] is a
    return [c.data, a.grad, b.grad, student.get_class_name(c), len(c._prev)]


def watched(student: StudentProxy) -> Any:
    """A test that notes what is called."""
    Value = student.get("Value")  # noqa: N806
    a, b = Value(2.0), Value(3.0)
    recorder = student.make_call_recorder()
    (a._backward,) = student.make_relays([(recorder.make_callback("a"), [b], "grad", 4.0)])
    a.backward()
    a.backward()
    return [b.grad, recorder.called_names]


def ask_one_by_one(submission: LoadedSubmission, test: Test) -> tuple[Any, list[Exchange]]:
    """What a test finds when it asks one by one, and what it asked."""
    with submission.test() as student:
        found = test(student)
        assert submission.bridge.transcript.is_repeatable
        return found, list(submission.bridge.transcript.exchanges)


def fetch_answers(submission: LoadedSubmission, requests: Sequence[bytes]) -> list[Exchange]:
    """The answers to requests that are sent in one message, up to the first that has none."""
    (packed_answers,) = submission.bridge.prefetch_answers_of_tests([(b",".join(requests), False)])
    return [*zip(requests, split_answers_message(packed_answers, len(requests)), strict=False)]
