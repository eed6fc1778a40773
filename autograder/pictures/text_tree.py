"""Write the graph of a counterexample as lines of text: a tree with the result on top, for terminals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.diagnosis.model import MARK, Counterexample, Node, Replay, format_alternatives, format_number
from autograder.pictures.content import (
    ComparedGradientContribution,
    Edge,
    choose_node_names_to_draw,
    compare_edge_contributions,
)

KINDS = ("forward", "gradient")


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    data: str = ""
    grad: str = ""
    note: str = ""


def format_counterexample_with_tree(counterexample: Counterexample, replay: Replay | None = None) -> str:
    """Return a counterexample as lines of text: its program, its graph, and what the wrong number is made of.

    A node that is used in several places is written in full only in the first one. For a counterexample without a
    graph with numbers, return its own text.

    Args:
        counterexample: the counterexample.
        replay: the recorded runs, which show what flowed along the edges, if there are any.
    """
    if counterexample.kind not in KINDS or not counterexample.nodes:
        return counterexample.text
    tree = _Tree(
        counterexample,
        compare_edge_contributions(replay, counterexample) if replay and counterexample.kind == "gradient" else {},
    )
    remark = ["", f"{counterexample.remark}."] if counterexample.remark else []
    return "\n".join(
        [*counterexample.program, "", *_align_rows([*tree.iterate_rows()], counterexample.kind), *remark]
    )


class _Tree:
    def __init__(self, story: Counterexample, flows: Mapping[Edge, ComparedGradientContribution]) -> None:
        drawn_names = choose_node_names_to_draw(story)
        self._story, self._flows = story, flows
        self._nodes = {node.name: node for node in story.nodes if node.name in drawn_names}
        self._left_out = len(story.nodes) - len(self._nodes)
        self._shown_names: set[str] = set()

    def iterate_rows(self) -> Iterator[_Row]:
        """Yield a row for each node, and one for each further place in which it is used."""
        operand_names = {operand for node in self._nodes.values() for operand in node.operands}
        for name in reversed(self._nodes):
            if name not in operand_names:
                yield from self._iterate_rows_of_node(name, "", "", None)
        if self._left_out:
            yield _Row(f"({self._left_out} more nodes)")

    def _iterate_rows_of_node(
        self, name: str, prefix: str, operand_prefix: str, user: str | None, uses: int = 1
    ) -> Iterator[_Row]:
        node = self._nodes[name]
        definition = f"{name} = {node.operation}" if node.operation else name
        flow = self._flows.get((user, name)) if user else None
        note = flow.texts[1] if flow else ""
        if name in self._shown_names:
            yield _Row(f"{prefix}{name}{_format_use_count(uses)} (above)", note=note)
            return
        self._shown_names.add(name)
        yield self._make_full_row(node, f"{prefix}{definition}{_format_use_count(uses)}", note)
        operands = [operand for operand in dict.fromkeys(node.operands) if operand in self._nodes]
        for operand in operands:
            branch, continuation = ("└─ ", "   ") if operand == operands[-1] else ("├─ ", "│  ")
            yield from self._iterate_rows_of_node(
                operand, operand_prefix + branch, operand_prefix + continuation, name, node.operands.count(operand)
            )

    def _make_full_row(self, node: Node, name: str, note: str) -> _Row:
        expected_data = () if node.data is None else (node.data,)
        notes = [note] if note else []
        if node.data_wrong:
            notes.append(f"data should be {format_alternatives(expected_data, node.data_got)}")
        if node.grad_wrong:
            notes.append(f"grad should be {format_alternatives(node.grad, node.grad_got)}")
        mark = f"{MARK}it goes wrong here" if node.name == self._story.first_wrong else ""
        return _Row(
            name,
            format_number(node.data_got, *expected_data),
            format_number(node.grad_got, *node.grad) if self._story.kind == "gradient" else "",
            "; ".join(notes) + mark,
        )


def _format_use_count(uses: int) -> str:
    return f" ×{uses}" if uses > 1 else ""


def _align_rows(rows: list[_Row], kind: str) -> Iterator[str]:
    header = _Row("", "data", "grad" if kind == "gradient" else "")
    table = [header, *rows]
    name_width, data_width, grad_width = (
        max(len(getattr(row, column)) for row in table) for column in ("name", "data", "grad")
    )
    for row in table:
        grad_cell = f"  {row.grad:>{grad_width}}" if grad_width else ""
        yield f"{row.name:<{name_width}}  {row.data:>{data_width}}{grad_cell}  {row.note}".rstrip()
