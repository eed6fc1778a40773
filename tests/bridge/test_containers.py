"""Containers of plain data arrive by value; those that are shared live on the student's side."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from autograder.bridge import StandIn
from tests.bridge.shared import ECHO

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn


# --- Containers: of plain data, they arrive by value.

CONTAINERS: list[Any] = [
    [],
    (),
    set(),
    frozenset(),
    {},
    [1, 2.5, "x", None, True],
    (1, (2, (3,))),
    {1, 2},
    frozenset({"a"}),
    {"k": [1], 2: (3,), (4, 5): {6: 7}, None: None},
    [[[[[[[[1]]]]]]]],
    [(), [], {}, {1: set()}],
    ["x", "x", "x"],
    ("x", "x"),
    [[1.5], [2.5, 3.5]],
    [(1.5,), ("x", None)],
    ([True], []),
    ((), ()),
    ([1], [2.5]),
    [["x"], [1 << 70]],
]


SHOW = """
class Thing:
    pass

def make():
    return Thing()

def show(rows, known):
    def place(item):
        return next((at for at, one in enumerate(known) if one is item), item)
    return repr(type(rows)(type(row)(map(place, row)) for row in rows))
"""


@pytest.mark.first_cases(20)
@pytest.mark.parametrize("value", CONTAINERS, ids=repr)
def test_a_container_arrives_with_its_type_and_items(hand_in: HandIn, value: Any) -> None:
    with hand_in(f"value = {value!r}").test() as student:
        assert repr(student.get("value")) == repr(value)


@pytest.mark.first_cases(20)
@pytest.mark.parametrize("value", CONTAINERS, ids=repr)
def test_a_container_is_handed_over_with_its_type_and_items(hand_in: HandIn, value: Any) -> None:
    with hand_in("def shown(x): return repr(x)").test() as student:
        assert student.get("shown")(value) == repr(value)


def test_a_container_that_arrived_is_a_copy(hand_in: HandIn) -> None:
    with hand_in("mine = [1]\ndef read(): return mine").test() as student:
        student.get("read")().append(2)
        assert student.get("read")() == [1]


def test_objects_in_containers_are_stand_ins(hand_in: HandIn) -> None:
    with hand_in("a = object()\ndef read(): return [a, (a, {a}), {'key': a}]").test() as student:
        a = student.get("a")
        assert student.get("read")() == [a, (a, {a}), {"key": a}]


@pytest.mark.parametrize("outer", [list, tuple])
@pytest.mark.parametrize("inner", [list, tuple])
def test_rows_of_objects_are_handed_over_in_their_types(hand_in: HandIn, outer: type[Any], inner: type[Any]) -> None:
    with hand_in(SHOW).test() as student:
        x, y = (student.get("make")() for _ in range(2))
        rows = outer([inner([x]), inner([y, x]), inner([])])
        assert student.get("show")(rows, [x, y]) == repr(outer([inner([0]), inner([1, 0]), inner([])]))


def test_an_object_of_an_earlier_test_is_not_handed_over_in_a_row(hand_in: HandIn) -> None:
    bridge = hand_in(SHOW)
    with bridge.test() as student:
        old = student.get("make")()
    with bridge.test() as student, pytest.raises(LookupError):
        student.get("show")([[student.get("make")()], [old]], [])


def test_a_list_that_holds_itself_arrives_and_ends_in_a_stand_in(hand_in: HandIn) -> None:
    with hand_in("def knot():\n    x = [1]\n    x.append(x)\n    return x").test() as student:
        inner = student.get("knot")()
        while type(inner) is list:
            assert inner[0] == 1
            inner = inner[1]
        assert type(inner) is StandIn


def test_a_list_nested_too_deeply_ends_in_a_stand_in_that_can_be_walked_on(hand_in: HandIn) -> None:
    with hand_in("x = 'bottom'\nfor _ in range(300): x = [x]").test() as student:
        inner, depth = student.get("x"), 0
        while not isinstance(inner, str):
            (inner,), depth = inner, depth + 1
        assert (inner, depth) == ("bottom", 300)


def test_two_hundred_thousand_numbers_arrive_by_value(hand_in: HandIn) -> None:
    with hand_in("numbers = list(range(200_000))").test() as student:
        assert student.get("numbers") == list(range(200_000))


def test_a_list_too_long_to_copy_arrives_as_a_stand_in_with_a_length(hand_in: HandIn) -> None:
    with hand_in("numbers = [0] * 300_000").test() as student:
        numbers = student.get("numbers")
        assert (type(numbers), len(numbers), numbers[299_999]) == (StandIn, 300_000, 0)


@pytest.mark.parametrize(
    "value",
    [
        "type('L', (list,), {'__iter__': lambda self: iter([9])})([1])",
        "type('D', (dict,), {})(a=1)",
        "__import__('collections').deque([1])",
        "__import__('collections').namedtuple('P', 'x')(1)",
        "__import__('collections').OrderedDict()",
        "range(3)",
        "(n for n in 'ab')",
        "{}.keys()",
    ],
)
def test_a_container_of_another_class_is_a_stand_in(hand_in: HandIn, value: str) -> None:
    with hand_in(f"value = {value}").test() as student:
        assert type(student.get("value")) is StandIn


# --- Shared containers live on the student's side.


def test_what_the_student_appends_to_a_shared_list_is_seen_by_the_test(hand_in: HandIn) -> None:
    with hand_in("def fill(x): x.append(7); x.append(x[0])").test() as student:
        shared = student.make_list(1.5)
        student.get("fill")(shared)
        assert list(shared) == [1.5, 7, 1.5]


@pytest.mark.parametrize("make", [lambda student: student.make_list(1), lambda student: student.make_set(1)])
def test_a_shared_container_that_is_given_back_is_the_same_stand_in(
    hand_in: HandIn, make: Callable[[Any], Any]
) -> None:
    with hand_in(ECHO).test() as student:
        shared = make(student)
        assert student.get("echo")(shared) is shared


def test_a_shared_list_can_be_read_and_changed_by_position(hand_in: HandIn) -> None:
    with hand_in("").test() as student:
        shared = student.make_list(1, 2, 3)
        shared[0] = 9
        del shared[1]
        assert (len(shared), shared[0], shared[-1], bool(shared)) == (2, 9, 3, True)


def test_a_result_that_is_kept_stays_on_the_students_side(hand_in: HandIn) -> None:
    with hand_in("def numbers(n): return list(range(n))").test() as student:
        kept = student.call_and_keep_result(student.get("numbers"), 5)
        assert (type(kept), len(kept), kept[4]) == (StandIn, 5, 4)
