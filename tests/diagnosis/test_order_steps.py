"""A wrong order stands beside the reference solution's own one, and the first step that is wrong is marked."""

from __future__ import annotations

import pytest

from autograder.diagnosis.model import Counterexample, Node
from autograder.diagnosis.order_steps import list_order_steps, put_beside_right_order

DIAMOND = (
    Node(name="a"), Node(name="b", operands=("a",)), Node(name="c", operands=("a",)),
    Node(name="d", operands=("b", "c")),
)  # fmt: skip


def compared(order: str, right_order: str) -> Counterexample:
    story = Counterexample(kind="order", program=("p",), nodes=DIAMOND, order=tuple(order), text="p")
    return put_beside_right_order(story, tuple(right_order))


@pytest.mark.parametrize(
    ("order", "right_order", "at", "difference"),
    [
        ("bacd", "abcd", 1, "a must come before b"),
        ("acdb", "abcd", 3, "b must come before d"),
        ("dbac", "dbca", 3, "c must come before a"),
        ("abbcd", "abcd", 3, "b comes once more"),
        ("acb", "abcd", 4, "d never came"),
        ("a?bcd", "abcd", 2, "this does not belong there"),
    ],
)
def test_the_first_step_that_no_right_order_has_is_marked(
    order: str, right_order: str, at: int, difference: str
) -> None:
    steps = list_order_steps(compared(order, right_order))
    assert {step.number: step.difference for step in steps if step.difference} == {at: difference}
    assert "".join(step.right for step in steps) == right_order


def test_another_right_order_is_no_difference() -> None:
    assert list_order_steps(compared("acbd", "abcd")) == []
    assert compared("acbd", "abcd").text == "p"


def test_the_text_shows_both_orders_side_by_side() -> None:
    assert compared("bacd", "abcd").text.splitlines()[2:4] == [
        "step  yours  the reference's",
        "1     b      a   <-- a must come before b",
    ]
