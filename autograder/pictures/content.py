"""Decide what a picture of a counterexample shows: which nodes and edges, what flows along them, and the texts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from autograder.diagnosis.model import (
    Counterexample,
    Node,
    RecordedBackwardRun,
    Replay,
    format_alternatives,
    format_number,
)
from autograder.diagnosis.readings import are_readings_close
from autograder.diagnosis.replay import list_gradient_increments_by_step

Edge = tuple[str, str]
"""The names of a node and of one of its operands."""


@dataclass(frozen=True, slots=True)
class ComparedGradientContribution:
    """The contribution of one node to another's gradient, beside that in the reference solution."""

    got: float | None
    """The amount that the student's run added in all calls; None if it is not a number."""
    right: float
    calls: int
    right_calls: int

    @property
    def verdict(self) -> Literal["right", "missing", "repeated", "wrong"]:
        """Return whether the contribution is right, and else in which way it is wrong."""
        if are_readings_close(self.got, self.right):
            return "right"
        if self.got == 0 or self.calls == 0:
            return "missing"
        if self.calls > self.right_calls > 0 and self.got is not None and self.got * self.right > 0:
            return "repeated"
        return "wrong"

    @property
    def label_lines(self) -> tuple[str, ...]:
        """Return the lines of the edge's label."""
        got, right = self._signed_amounts
        return {
            "right": (got,),
            "missing": ("missing:", right),
            "repeated": (f"{self.calls} calls: {got}", f"not {right}"),
            "wrong": (got, f"not {right}"),
        }[self.verdict]

    @property
    def verdict_phrase(self) -> str:
        """Return the label as words that follow the name of the node that gets the contribution."""
        got, right = self._signed_amounts
        return {
            "right": f"gets {got}",
            "missing": f"lacks {right}",
            "repeated": f"gets {got} in {self.calls} calls, not {right}",
            "wrong": f"gets {got}, not {right}",
        }[self.verdict]

    @property
    def verb_phrase(self) -> str:
        """Return the label as words that stand between the names of the two nodes."""
        return {
            "right": f"gives {self._got_text} to",
            "missing": f"gives nothing and should give {self._right_text} to",
            "repeated": f"gives {self._got_text} in {self.calls} calls and should give {self._right_text} to",
            "wrong": f"gives {self._got_text} and should give {self._right_text} to",
        }[self.verdict]

    @property
    def _signed_amounts(self) -> tuple[str, str]:
        return f"+{self._got_text}".replace("+-", "−"), f"+{self._right_text}".replace("+-", "−")

    @property
    def _got_text(self) -> str:
        return "?" if self.got is None else format_number(self.got, self.right)

    @property
    def _right_text(self) -> str:
        return format_number(self.right, self.got)


def compare_edge_contributions(
    replay: Replay, counterexample: Counterexample
) -> dict[Edge, ComparedGradientContribution]:
    """Return what flowed along each edge since the gradients were last set to zero.

    The result is empty if the recording does not show calls.

    Args:
        replay: both runs of the program.
        counterexample: the program; its nodes name the edges.
    """
    if not replay.student.sees_calls:
        return {}
    start = max(
        (number + 1 for number, line in enumerate(counterexample.program) if line.endswith(".zero_grad()")), default=0
    )
    start = 0 if start == len(counterexample.program) else start
    got, calls = _sum_contributions(replay.student, start)
    right, right_calls = _sum_contributions(replay.reference, start)
    edges = {(node.name, operand) for node in counterexample.nodes for operand in node.operands}
    return {
        edge: ComparedGradientContribution(got.get(edge, 0.0), amount, calls.get(edge[0], 0), right_calls[edge[0]])
        for edge in sorted(edges)
        if (amount := right.get(edge, 0.0 if edge[0] in right_calls else None)) is not None
    }


def _sum_contributions(run: RecordedBackwardRun, start: int) -> tuple[dict[Edge, float | None], dict[str, int]]:
    """Return what calls added along each edge from program line ``start`` on, and how often each node was called."""
    amounts: dict[Edge, float | None] = {}
    calls: dict[str, int] = defaultdict(int)
    for step, changes in zip(run.steps, list_gradient_increments_by_step(run), strict=True):
        if step.line < start or not step.node:
            continue
        calls[step.node] += 1
        for name, change in changes.items():
            amount = amounts.get((step.node, name), 0.0)
            amounts[step.node, name] = None if change is None or amount is None else amount + change
    return amounts, dict(calls)


MOST_NODES = 12
"""The largest number of nodes drawn. Of a larger graph, only nodes near the first wrong one are drawn."""
Flow = Literal["down", "up"]
"""Gradients flow down, from a result to its operands; numbers flow up."""
EdgeKind = Literal["plain", "right", "missing", "repeated", "wrong"]
Tone = Literal["plain", "wrong", "first", "called"]
"""How a node is drawn: ``first`` is the first wrong node, ``called`` the one that is called in a replay's step."""


@dataclass(frozen=True, slots=True)
class NodeTextLine:
    """One line in a node."""

    text: str
    kind: Literal["plain", "got", "expected", "changed"] = "plain"
    """``got``: a wrong number, or an error; ``expected``: the right number; ``changed``: a number before and
    after a step."""


@dataclass(frozen=True, slots=True)
class PictureNode:
    """One node as it is drawn."""

    name: str
    heading: str
    """The node's name and operation, ``c = a * b``; the name alone for a leaf."""
    lines: tuple[NodeTextLine, ...]
    tone: Tone = "plain"
    badge: str = ""
    """The text along the node's lower side; empty for most nodes."""


@dataclass(frozen=True, slots=True)
class PictureEdge:
    """An edge between a node and one of its operands."""

    user: str
    operand: str
    uses: int = 1
    """How often the node uses the operand: 2 for ``a + a``."""
    kind: EdgeKind = "plain"
    label: tuple[str, ...] = ()
    """The lines of the text beside the edge."""
    sentence: str = ""
    """The label as a sentence for screen readers; empty without a label."""


@dataclass(frozen=True, slots=True)
class PictureContent:
    """Everything that a picture shows."""

    title: str
    nodes: tuple[PictureNode, ...]
    edges: tuple[PictureEdge, ...]
    flow: Flow = "down"
    description: str = ""
    """The whole picture in words."""


def make_picture_if_any_nodes(counterexample: Counterexample, replay: Replay | None = None) -> PictureContent | None:
    """Return the picture of a counterexample; None if it has no graph.

    Args:
        counterexample: the counterexample.
        replay: the recorded runs, which show what flowed along the edges, if there are any.
    """
    if not counterexample.nodes:
        return None
    drawn_names = choose_node_names_to_draw(counterexample)
    nodes = tuple(_make_node(node, counterexample) for node in counterexample.nodes if node.name in drawn_names)
    flows = compare_edge_contributions(replay, counterexample) if replay and counterexample.kind != "forward" else {}
    edges = tuple(
        _make_edge(node.name, operand, uses, flows.get((node.name, operand)))
        for node in counterexample.nodes
        for operand, uses in Counter(node.operands).items()
        if {node.name, operand} <= drawn_names
    )
    return PictureContent(
        title=_make_title(counterexample),
        nodes=nodes,
        edges=edges,
        flow="up" if counterexample.kind == "forward" else "down",
        description=" ".join(_iterate_sentences(counterexample, nodes, edges)),
    )


def choose_node_names_to_draw(counterexample: Counterexample) -> set[str]:
    """Return the names of the nodes to draw: all, or the ``MOST_NODES`` nearest to the first wrong one."""
    names = [node.name for node in counterexample.nodes]
    if len(names) <= MOST_NODES:
        return {*names}
    neighbours_by_name = defaultdict(list)
    for node in counterexample.nodes:
        for operand in node.operands:
            neighbours_by_name[node.name].append(operand)
            neighbours_by_name[operand].append(node.name)
    queue, chosen_names = (
        [counterexample.first_wrong if counterexample.first_wrong in names else names[-1]],
        set[str](),
    )
    while queue and len(chosen_names) < MOST_NODES:
        name = queue.pop(0)
        if name not in chosen_names:
            chosen_names.add(name)
            queue += neighbours_by_name[name]
    return chosen_names


def _make_title(story: Counterexample) -> str:
    suffix = f" at {story.first_wrong}" if story.first_wrong else ""
    titles = {
        "forward": f"The graph of the program: a number goes wrong{suffix}",
        "gradient": f"The graph of the program: a gradient goes wrong{suffix}",
        "order": f"The graph of the program: the order goes wrong{suffix}",
    }
    return titles.get(story.kind, f"The graph of the program: it breaks{suffix}")


def _make_node(node: Node, story: Counterexample) -> PictureNode:
    is_first = node.name == story.first_wrong
    lines: list[NodeTextLine] = []
    if story.kind == "order":
        lines += _list_place_lines(node.name, story.order)
    elif node.data is not None:
        lines += _list_reading_lines(
            "data", format_number(node.data, node.data_got), node.data_got, node.data, is_wrong=node.data_wrong
        )
    if story.kind == "gradient":
        expected_grad = format_alternatives(node.grad, node.grad_got)
        lines += _list_reading_lines(
            "grad", expected_grad, node.grad_got, node.grad[0] if node.grad else None, is_wrong=node.grad_wrong
        )
    if is_first and story.error:
        lines.append(NodeTextLine(_describe_error(story.error), "got"))
    is_wrong = node.grad_wrong or node.data_wrong
    return PictureNode(
        name=node.name,
        heading=f"{node.name} = {node.operation}" if node.operation else node.name,
        lines=tuple(lines),
        tone="first" if is_first else "wrong" if is_wrong else "plain",
        badge="it goes wrong here" if is_first else "",
    )


def _list_reading_lines(
    name: str, right: str, got: float | str | None, number: float | None, *, is_wrong: bool
) -> Iterable[NodeTextLine]:
    """Return the lines for one attribute of a node: the number that was read and, if it is wrong, the right one.

    If nothing was read, the only line has the right number.
    """
    if got is None:
        return [NodeTextLine(f"{name} {right}")]
    shown = format_number(float(got) if isinstance(got, int) else got, number)
    if not is_wrong:
        return [NodeTextLine(f"{name} {shown}")]
    return [NodeTextLine(f"{name} {shown}", "got"), NodeTextLine(f"should be {right}", "expected")]


def _list_place_lines(name: str, order: Sequence[str]) -> list[NodeTextLine]:
    places = [str(index + 1) for index, node_name in enumerate(order) if node_name == name]
    if not places:
        return [NodeTextLine("not in the order")]
    return [NodeTextLine(f"place {' and '.join(places)}")]


def _describe_error(kind: str) -> str:
    return {"stopped": "does not come back", "no node": "gives no Value"}.get(kind, f"raises {kind}")


def _make_edge(user: str, operand: str, uses: int, flow: ComparedGradientContribution | None) -> PictureEdge:
    if flow is None:
        return PictureEdge(user, operand, uses)
    return PictureEdge(user, operand, uses, flow.verdict, flow.label_lines, f"{user} {flow.verb_phrase} {operand}.")


def _iterate_sentences(
    story: Counterexample, nodes: Sequence[PictureNode], edges: Sequence[PictureEdge]
) -> Iterable[str]:
    for node in reversed(nodes):
        line_texts = ", ".join(line.text for line in node.lines)
        badge = f"; {node.badge}" if node.badge else ""
        yield f"{node.heading}: {line_texts}{badge}." if line_texts else f"{node.heading}{badge}."
    yield from (edge.sentence for edge in edges if edge.sentence)
    if story.remark:
        yield f"{story.remark}."
    if left_out := len(story.nodes) - len(nodes):
        yield f"{left_out} more nodes are not drawn."
