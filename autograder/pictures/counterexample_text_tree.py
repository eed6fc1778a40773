"""Write the graph of a counterexample as lines of text: a tree with the result on top, for terminals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.diagnosis.counterexample_model import MARK, Counterexample, Node, format_alternatives, format_number
from autograder.diagnosis.replay.replay_records import Replay
from autograder.pictures.edge_gradient_contributions import (
    ComparedGradientContribution,
    Edge,
    compare_edge_contributions,
)
from autograder.pictures.picture_content import choose_node_names_to_draw

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
    return "\n".join([*counterexample.program, "", *_align([*tree.iterate_rows()], counterexample.kind), *remark])


class _Tree:
    def __init__(self, story: Counterexample, flows: Mapping[Edge, ComparedGradientContribution]) -> None:
        drawn = choose_node_names_to_draw(story)
        self._story, self._flows = story, flows
        self._nodes = {node.name: node for node in story.nodes if node.name in drawn}
        self._left_out = len(story.nodes) - len(self._nodes)
        self._told: set[str] = set()

    def iterate_rows(self) -> Iterator[_Row]:
        """Yield a row for each node, and one for each further place in which it is used."""
        used = {operand for node in self._nodes.values() for operand in node.operands}
        for name in reversed(self._nodes):
            if name not in used:
                yield from self._rows(name, "", "", None)
        if self._left_out:
            yield _Row(f"({self._left_out} more nodes)")

    def _rows(self, name: str, lead: str, below: str, user: str | None, uses: int = 1) -> Iterator[_Row]:
        node = self._nodes[name]
        made = f"{name} = {node.operation}" if node.operation else name
        flow = self._flows.get((user, name)) if user else None
        gets = flow.verdict_phrase if flow else ""
        if name in self._told:
            yield _Row(f"{lead}{name}{_times(uses)} (above)", note=gets)
            return
        self._told.add(name)
        yield self._full_row(node, f"{lead}{made}{_times(uses)}", gets)
        operands = [(one, times) for one, times in Counter(node.operands).items() if one in self._nodes]
        for at, (operand, times) in enumerate(operands):
            is_last = at == len(operands) - 1
            branch, rest = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
            yield from self._rows(operand, below + branch, below + rest, name, times)

    def _full_row(self, node: Node, name: str, gets: str) -> _Row:
        right = () if node.data is None else (node.data,)
        notes = [gets] if gets else []
        if node.data_wrong:
            notes.append(f"data should be {format_alternatives(right, node.data_got)}")
        if node.grad_wrong:
            notes.append(f"grad should be {format_alternatives(node.grad, node.grad_got)}")
        mark = f"{MARK}it goes wrong here" if node.name == self._story.first_wrong else ""
        return _Row(
            name,
            format_number(node.data_got, *right),
            format_number(node.grad_got, *node.grad) if self._story.kind == "gradient" else "",
            "; ".join(notes) + mark,
        )


def _times(uses: int) -> str:
    return f" ×{uses}" if uses > 1 else ""


def _align(rows: list[_Row], kind: str) -> Iterator[str]:
    heads = _Row("", "data", "grad" if kind == "gradient" else "")
    table = [heads, *rows]
    names, data, grad = (max(len(getattr(row, column)) for row in table) for column in ("name", "data", "grad"))
    for row in table:
        grads = f"  {row.grad:>{grad}}" if grad else ""
        yield f"{row.name:<{names}}  {row.data:>{data}}{grads}  {row.note}".rstrip()
