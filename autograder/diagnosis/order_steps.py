"""Show a wrong order beside the reference solution's own one, step by step, and mark the first step that is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from msgspec.structs import replace

from autograder.diagnosis.model import MARK, Counterexample
from autograder.text import join_with_and


@dataclass(frozen=True, slots=True)
class OrderStep:
    """The node that comes at one step in both orders; empty where an order has ended."""

    number: int
    got: str
    right: str
    difference: str = ""
    """What is wrong, at the first step that is wrong; where several orders are right, the other names may differ."""


def list_order_steps(counterexample: Counterexample) -> list[OrderStep]:
    """Return the steps of both orders; none if no step of the student's is wrong by itself."""
    order, right = counterexample.order, counterexample.right_order
    pairs = zip_longest(order, right, fillvalue="")
    steps, is_marked = list[OrderStep](), False
    for at, (got, other) in enumerate(pairs):
        difference = "" if is_marked else _describe_difference(counterexample, order[:at], got)
        is_marked = is_marked or bool(difference)
        steps.append(OrderStep(at + 1, got, other, difference))
    return steps if right and is_marked else []


def _describe_difference(counterexample: Counterexample, before: Sequence[str], name: str) -> str:
    """Say what is wrong with a node that comes next; empty if a right order can go on with it.

    On which side of a node its operands stand is what the reference solution's order says.
    """
    right = counterexample.right_order
    if not name:
        lacking = [one for one in right if one not in before]
        return f"{join_with_and(lacking)} never came" if lacking else ""
    if name not in right:
        return "this does not belong there"
    if name in before:
        return f"{name} comes once more"
    edges = {(node.name, operand) for node in counterexample.nodes for operand in node.operands}
    due = [
        other for other in right[: right.index(name)]
        if other not in before and {(name, other), (other, name)} & edges
    ]  # fmt: skip
    return f"{join_with_and(due)} must come before {name}" if due else ""


def put_beside_right_order(counterexample: Counterexample, right_order: Sequence[str]) -> Counterexample:
    """Return the counterexample with the order of the reference solution, also in its text."""
    beside = replace(counterexample, right_order=tuple(right_order))
    steps = list_order_steps(beside)
    rows = [("step", "yours", "the reference's", "")]
    rows += [(str(step.number), step.got, step.right, step.difference) for step in steps]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    table = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row[:3], widths, strict=True)).rstrip()
        + (f"{MARK}{row[3]}" if row[3] else "")
        for row in rows
    ]
    return replace(beside, text="\n".join((beside.text, "", *table))) if steps else counterexample
