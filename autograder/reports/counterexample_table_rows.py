"""Put the numbers of a counterexample into a table, for readers who do not see its picture."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.diagnosis.counterexample_model import Counterexample, Node, format_alternatives, format_number


@dataclass(frozen=True, slots=True)
class CounterexampleNodeRow:
    """One node: what was expected of it and what it held."""

    reading: str
    """The attribute that is read, such as ``c.grad``."""
    expected: str
    got: str
    is_wrong: bool
    is_first: bool
    """Whether it is the first wrong node."""


def list_counterexample_table_rows(counterexample: Counterexample) -> list[CounterexampleNodeRow]:
    """Return a row for each node in the order in which it goes wrong; none for a graph without numbers."""
    if counterexample.kind == "forward":
        return [_make_row(counterexample, node, "data") for node in counterexample.nodes]
    if counterexample.kind == "gradient":
        return [_make_row(counterexample, node, "grad") for node in reversed(counterexample.nodes)]
    return []


def _make_row(counterexample: Counterexample, node: Node, attribute: str) -> CounterexampleNodeRow:
    is_data = attribute == "data"
    value = node.data_got if is_data else node.grad_got
    data_values = () if node.data is None else (node.data,)
    alternatives = data_values if is_data else node.grad
    return CounterexampleNodeRow(
        reading=f"{node.name}.{attribute}",
        expected=format_alternatives(alternatives, value) or "left open",
        got=format_number(value, *alternatives),
        is_wrong=node.data_wrong if is_data else node.grad_wrong,
        is_first=node.name == counterexample.first_wrong,
    )
