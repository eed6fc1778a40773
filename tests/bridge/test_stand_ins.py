"""The same object there is the same stand-in here, and nothing of the student's has a say in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.bridge.shared import ECHO, LIAR

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

PAIR = """
class Pair:
    def __init__(self, left): self.left = left; self.all = [left]
    def __getitem__(self, key): return self.left
    def give(self): return self.left
    def call(self, function): function(self.left)
thing = object()
pair = Pair(thing)
"""


@pytest.mark.parametrize(
    "route",
    [
        lambda pair: pair.left,
        lambda pair: pair[0],
        lambda pair: pair.give(),
        lambda pair: pair.all[0],
        lambda pair: next(iter(pair.all)),
    ],
    ids=["attribute", "item", "result", "list", "iteration"],
)
def test_an_object_is_the_same_stand_in_by_every_route(hand_in: HandIn, route: Callable[[Any], Any]) -> None:
    with hand_in(PAIR).test() as student:
        assert route(student.get("pair")) is student.get("thing")


def test_an_object_handed_to_a_function_of_the_test_is_the_same_stand_in(hand_in: HandIn) -> None:
    with hand_in(PAIR).test() as student:
        seen: list[Any] = []
        student.get("pair").call(lambda left: seen.append(left))
        assert seen[0] is student.get("thing")


def test_an_object_that_travels_there_and_back_is_the_same_stand_in(hand_in: HandIn) -> None:
    with hand_in(ECHO, "thing = object()").test() as student:
        thing = student.get("thing")
        assert student.get("echo")([thing, {"key": (thing,)}]) == [thing, {"key": (thing,)}]


def test_equality_goes_by_identity_whatever_the_students_eq_says(hand_in: HandIn) -> None:
    with hand_in(LIAR).test() as student:
        a, b = student.get("a"), student.get("b")
        assert (a == a, a == b, a != b, a != a) == (True, False, True, False)


def test_no_object_equals_plain_data(hand_in: HandIn) -> None:
    with hand_in(LIAR).test() as student:
        a = student.get("a")
        plain_data: list[Any] = [1, 2.0, "text", None, True, [], ()]
        for plain in plain_data:
            assert (a == plain, plain == a, a != plain, plain != a) == (False, False, True, True)


def test_membership_of_a_students_container_goes_by_identity(hand_in: HandIn) -> None:
    with hand_in(LIAR, "class Box(list): pass\nbox = Box([a, 3.0])").test() as student:
        box = student.get("box")
        assert (student.get("a") in box, student.get("b") in box, 3 in box, 4 in box) == (True, False, True, False)


@pytest.mark.parametrize(
    "hashing",
    ["__hash__ = None", "def __hash__(self): return 1 / 0", "def __hash__(self): return 1"],
    ids=["none", "raises", "the same for all"],
)
def test_stand_ins_go_into_sets_and_dicts_whatever_the_students_hash_does(hand_in: HandIn, hashing: str) -> None:
    source = f"class Value:\n    def __eq__(self, other): return True\n    {hashing}\na, b = Value(), Value()"
    with hand_in(source).test() as student:
        a, b = student.get("a"), student.get("b")
        assert len({a, b, a}) == 2
        assert {a: 1, b: 2}[b] == 2


def test_a_stand_in_is_shown_by_its_class_without_asking_the_student(hand_in: HandIn) -> None:
    with hand_in("class Value:\n    def __repr__(self): return 1 / 0\nv = Value()").test() as student:
        assert repr(student.get("v")) == "<Value>"


def test_a_class_whose_name_stands_in_no_source_is_shown_as_an_object(hand_in: HandIn) -> None:
    source = "class Value: ...\ndef plain(): return Value()\n"
    source += "def made(): return type(f'I_saw_{1 + 1}_and_{2 + 1}', (), {})()\n"
    with hand_in(source).test() as student:
        made, plain = student.get("made")(), student.get("plain")()
        assert (repr(made), student.get_class_name(made)) == ("<object>", "object")
        assert (repr(plain), student.get_class_name(plain)) == ("<Value>", "Value")


def test_an_object_is_shown_by_the_class_of_the_handout_that_it_is(hand_in: HandIn) -> None:
    source = "class Value:\n    def __new__(cls): return object.__new__(Inner if cls is Value else cls)\n"
    source += "class Inner(Value): ...\nclass Sum(Value): ...\ndef add(): return Sum()\n"
    with hand_in(source).test() as student:
        value = student.get("Value")
        assert (repr(value()), repr(student.get("add")())) == ("<Value>", "<Value>")
