"""An operator is the student's, whichever side its objects stand on."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

RECORDER = """
class Value:
    def __init__(self, name): self.name = name
names = 'add sub mul truediv floordiv mod pow matmul lt le gt ge'.split()
for name in names + ['r' + n for n in names[:8]]:
    setattr(Value, f'__{name}__', lambda self, other, name=name: [name, getattr(other, 'name', other)])
for name in ['neg', 'pos', 'abs']:
    setattr(Value, f'__{name}__', lambda self, name=name: [name, self.name])
a, b = Value('a'), Value('b')
"""
BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"]
ORDER = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def test_an_operator_between_two_objects_is_the_students(hand_in: HandIn) -> None:
    with hand_in(RECORDER).test() as student:
        a, b = student.get("a"), student.get("b")
        for name in (*BINARY, *ORDER):
            assert getattr(operator, name)(a, b) == [name, "b"]


def test_an_operator_with_a_number_on_the_right_is_the_students(hand_in: HandIn) -> None:
    with hand_in(RECORDER).test() as student:
        for name in (*BINARY, *ORDER):
            assert getattr(operator, name)(student.get("a"), 2.5) == [name, 2.5]


def test_an_operator_with_a_number_on_the_left_is_the_students_reflected_one(hand_in: HandIn) -> None:
    with hand_in(RECORDER).test() as student:
        for name in BINARY:
            assert getattr(operator, name)(3, student.get("a")) == [f"r{name}", 3]


def test_an_order_with_a_number_on_the_left_is_asked_the_other_way_round(hand_in: HandIn) -> None:
    with hand_in(RECORDER).test() as student:
        for name, other_way in ORDER.items():
            assert getattr(operator, name)(3, student.get("a")) == [other_way, 3]


def test_a_unary_operator_is_the_students(hand_in: HandIn) -> None:
    with hand_in(RECORDER).test() as student:
        for name in ("neg", "pos", "abs"):
            assert getattr(operator, name)(student.get("a")) == [name, "a"]


def test_an_operator_in_place_falls_back_to_the_ordinary_one(hand_in: HandIn) -> None:
    with hand_in(RECORDER).test() as student:
        a = student.get("a")
        a += 1
        assert a == ["add", 1]


def test_an_operator_in_place_is_the_students_own_where_there_is_one(hand_in: HandIn) -> None:
    source = "class Value:\n    def __imul__(self, other): self.by = other; return self\nv = Value()"
    with hand_in(source).test() as student:
        before = after = student.get("v")
        after *= 3
        assert after is before
        assert after.by == 3


@pytest.mark.parametrize(
    "operation", [lambda v: v + 1, lambda v: 1 + v, lambda v: v + v, lambda v: -v, lambda v: v < v]
)
def test_an_operator_that_is_not_there_is_a_type_error(hand_in: HandIn, operation: Callable[[Any], Any]) -> None:
    with hand_in("class Value: pass\nv = Value()").test() as student, pytest.raises(TypeError):
        operation(student.get("v"))


def test_a_reflected_operator_is_tried_when_the_left_one_gives_up(hand_in: HandIn) -> None:
    source = """
        class Left:
            def __add__(self, other): return NotImplemented
        class Right:
            def __radd__(self, other): return 'right'
        left, right = Left(), Right()
        """
    with hand_in(source).test() as student:
        assert student.get("left") + student.get("right") == "right"


def test_sum_adds_a_students_objects_from_zero(hand_in: HandIn) -> None:
    source = """
        class Value:
            def __init__(self, data): self.data = data
            def __add__(self, other): return Value(self.data + getattr(other, 'data', other))
            __radd__ = __add__
        """
    with hand_in(source).test() as student:
        value_class = student.get("Value")
        assert sum([value_class(2), value_class(3)]).data == 5
