"""The student's classes: who is an instance of which, and how objects of them are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

CLASSES = """
class Value: pass
class Sub(Value): pass
class Other: pass
class LyingMeta(type):
    def __instancecheck__(cls, instance): return True
    def __subclasscheck__(cls, subclass): return True
class Everything(metaclass=LyingMeta): pass
class Pretender:
    __class__ = Value
value, sub, other, pretender = Value(), Sub(), Other(), Pretender()
"""


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("value", "Value", True),
        ("sub", "Value", True),
        ("value", "Sub", False),
        ("other", "Value", False),
        ("value", "Everything", False),
        ("pretender", "Value", False),
    ],
)
def test_isinstance_goes_by_the_real_class(hand_in: HandIn, name: str, kind: str, expected: bool) -> None:
    with hand_in(CLASSES).test() as student:
        assert isinstance(student.get(name), student.get(kind)) is expected


@pytest.mark.parametrize("plain", [1, 2.0, "text", None, [], {}])
def test_plain_data_is_an_instance_of_no_class_of_the_students(hand_in: HandIn, plain: Any) -> None:
    with hand_in(CLASSES).test() as student:
        assert not isinstance(plain, student.get("Everything"))


@pytest.mark.parametrize("kind", [int, float, str, list, dict, Exception, (int, float)])
def test_an_object_is_an_instance_of_no_plain_class(hand_in: HandIn, kind: Any) -> None:
    with hand_in(CLASSES).test() as student:
        assert not isinstance(student.get("value"), kind)


def test_class_methods_static_methods_and_class_attributes_can_be_used(hand_in: HandIn) -> None:
    source = """
        class Value:
            count = 3
            @classmethod
            def make(cls, n): return (cls, n)
            @staticmethod
            def double(n): return 2 * n
        """
    with hand_in(source).test() as student:
        value_class = student.get("Value")
        assert value_class.make(4) == (value_class, 4)
        assert (value_class.double(5), value_class().double(6), value_class.count) == (10, 12, 3)


def test_objects_can_be_made_with_positional_and_named_arguments(hand_in: HandIn) -> None:
    source = """
        class Value:
            def __init__(self, data, _prev=(), *, label=''): self.all = [data, _prev, label]
        """
    with hand_in(source).test() as student:
        value_class = student.get("Value")
        child = value_class(1.0)
        assert value_class(2.0, (child,), label="x").all == [2.0, (child,), "x"]
