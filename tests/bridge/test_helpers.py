"""What a test asks for in one message: counting containers, silent relays, gradients sent down."""

from __future__ import annotations

import pytest

from autograder.bridge import StudentError
from tests.bridge.conftest import HandIn

ENGINE = """
class Value:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 0.0, prev
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))
        def back():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = back
        return out

    def walk(self):
        for node in self._prev:
            node.walk()
"""


def test_whoever_goes_through_watched_containers_too_often_is_stopped(hand_in: HandIn) -> None:
    with hand_in(ENGINE, defines=["Value"]).test() as student:
        a, b = student.make_all(student.get("Value"), [1.0, 2.0])
        out = a + b
        student.count_iterations([a, b, out], "_prev", 2)
        with pytest.raises(StudentError, match="gone through too often"):
            out.walk()


def test_an_object_that_is_a_float_too_comes_as_an_object(hand_in: HandIn) -> None:
    source = """
        class Value(float):
            def __init__(self, data):
                self.data = data
    """
    submission = hand_in(source, defines=["Value"])
    with submission.test() as student:
        made = student.get("Value")(2.5)
        assert isinstance(made, student.get("Value"))
        assert made.data == 2.5
    assert "__radd__" not in submission.loaded.attributes_by_class["Value"]


def test_a_read_only_backward_gives_way_to_a_tests_own_until_the_next_test(hand_in: HandIn) -> None:
    source = """
        class Value:
            __slots__ = ("data",)

            def __init__(self, data):
                self.data = data

            def _backward(self):
                self.data = 100.0
    """
    submission = hand_in(source, defines=["Value"])
    calls: list[str] = []
    with submission.test() as student:
        a, b = student.make_all(student.get("Value"), [1.0, 2.0])
        a._backward = lambda: calls.append("a")
        a._backward()
        b._backward()
        assert (calls, a.data, b.data) == (["a"], 1.0, 100.0)
    with submission.test() as student:
        c = student.get("Value")(3.0)
        c._backward()
        assert c.data == 100.0
