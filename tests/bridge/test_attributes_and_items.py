"""Attributes and items of a student's objects are read, set and iterated by its own code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn


# --- Attributes.


def test_attributes_are_read_set_and_deleted(hand_in: HandIn) -> None:
    with hand_in("class Value: pass\nv = Value()\ndef names(): return sorted(vars(v))").test() as student:
        v = student.get("v")
        v.data, v._private = 2.0, "x"
        assert (v.data, v._private) == (2.0, "x")
        del v.data
        assert student.get("names")() == ["_private"]


def test_an_attribute_that_is_not_there_is_an_attribute_error(hand_in: HandIn) -> None:
    with hand_in("class Value: pass\nv = Value()").test() as student:
        v = student.get("v")
        assert not hasattr(v, "data")
        assert getattr(v, "data", "nothing") == "nothing"
        with pytest.raises(AttributeError):
            del v.data


def test_properties_are_computed_and_set_by_the_students_code(hand_in: HandIn) -> None:
    source = """
        class Value:
            _data = 1
            @property
            def data(self): return self._data + 1
            @data.setter
            def data(self, new): self._data = 10 * new
            @property
            def fixed(self): return 7
        v = Value()
        """
    with hand_in(source).test() as student:
        v = student.get("v")
        v.data = 2
        assert v.data == 21
        with pytest.raises(AttributeError):
            v.fixed = 8


def test_a_class_with_slots_refuses_other_attributes(hand_in: HandIn) -> None:
    with hand_in("class Value:\n    __slots__ = ('data',)\nv = Value()").test() as student:
        v = student.get("v")
        v.data = 1
        with pytest.raises(AttributeError):
            v.other = 1
        assert v.data == 1


def test_special_names_are_never_asked_of_the_student(hand_in: HandIn) -> None:
    source = """
        asked = []
        class Value:
            def __getattr__(self, name): asked.append(name); return 1
        v = Value()
        def read(): return asked
        """
    with hand_in(source).test() as student:
        v = student.get("v")
        for name in ("__wrapped__", "__array__", "__test__", "__iter_me__"):
            with pytest.raises(AttributeError):
                getattr(v, name)
        assert student.get("read")() == []


# --- Iteration and items.

ITERABLES = """
class ByIter:
    def __iter__(self): yield from (1, 2, 3)
class ByItem:
    def __getitem__(self, index): return (1, 2, 3)[index]
def generator():
    yield 1
    yield 2
    yield 3
import collections
make = dict(by_iter=ByIter, by_item=ByItem, generator=generator, deque=lambda: collections.deque([1, 2, 3]),
            range=lambda: range(1, 4), keys=lambda: {1: 0, 2: 0, 3: 0}.keys(), map=lambda: map(int, '123'))
def made(name): return make[name]()
"""


@pytest.mark.parametrize("name", ["by_iter", "by_item", "generator", "deque", "range", "keys", "map"])
def test_any_iterable_can_be_iterated(hand_in: HandIn, name: str) -> None:
    with hand_in(ITERABLES).test() as student:
        assert list(student.get("made")(name)) == [1, 2, 3]


def test_an_iteration_without_an_end_is_an_error(hand_in: HandIn) -> None:
    with hand_in("import itertools\nendless = itertools.count()").test() as student, pytest.raises(OverflowError):
        list(student.get("endless"))


def test_an_object_that_is_not_iterable_is_a_type_error(hand_in: HandIn) -> None:
    with hand_in("v = object()").test() as student, pytest.raises(TypeError):
        list(student.get("v"))


def test_an_error_in_the_middle_of_an_iteration_is_raised(hand_in: HandIn) -> None:
    with hand_in("def g():\n    yield 1\n    1 / 0").test() as student, pytest.raises(ZeroDivisionError):
        list(student.get("g")())


def test_items_are_read_set_and_deleted_by_any_key(hand_in: HandIn) -> None:
    source = """
        class Table(dict): pass
        table = Table()
        def shown(): return repr(dict(table))
        """
    with hand_in(source).test() as student:
        table = student.get("table")
        table["a"], table[1, 2] = 1, 2
        assert (table["a"], table[1, 2], len(table)) == (1, 2, 2)
        del table["a"]
        assert student.get("shown")() == "{(1, 2): 2}"
        with pytest.raises(KeyError):
            table["a"]


@pytest.mark.parametrize(
    ("method", "expected"),
    [("__bool__ = lambda self: False", False), ("__len__ = lambda self: 0", False), ("x = 1", True)],
)
def test_truth_is_the_students(hand_in: HandIn, method: str, expected: bool) -> None:
    with hand_in(f"class Value:\n    {method}\nv = Value()").test() as student:
        assert bool(student.get("v")) is expected
