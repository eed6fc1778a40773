"""Decide what a picture of a counterexample shows: which nodes and edges, what flows along them, and the texts."""

from __future__ import annotations

import re
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
from autograder.diagnosis.readings import Seen, are_readings_close
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
    def texts(self) -> tuple[tuple[str, ...], str, str]:
        """Return the lines of the edge's label, the same behind the operand's name, and between both nodes' names."""
        got = "?" if self.got is None else format_number(self.got, self.right)
        right = format_number(self.right, self.got)
        plus_got, plus_right = f"+{got}".replace("+-", "−"), f"+{right}".replace("+-", "−")
        match self.verdict:
            case "right":
                return (plus_got,), f"gets {plus_got}", f"gives {got} to"
            case "missing":
                return ("missing:", plus_right), f"lacks {plus_right}", f"gives nothing and should give {right} to"
            case "repeated":
                calls = f"{self.calls} calls"
                label = (f"{calls}: {plus_got}", f"not {plus_right}")
                spoken = f"gives {got} in {calls} and should give {right} to"
                return label, f"gets {plus_got} in {calls}, not {plus_right}", spoken
        label = (plus_got, f"not {plus_right}")
        return label, f"gets {plus_got}, not {plus_right}", f"gives {got} and should give {right} to"


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


DESCRIBED_NODE = re.compile(r"(?P<name>\w+)(?: = (?P<operation>[^:\n]+))?(?:: (?P<lines>.+))?")


def parse_picture_if_any(text: str) -> PictureContent | None:
    """Return the picture of a graph that lines describe, a node each; None if they do not.

    A word of an operation that names another line is an operand::

        p = a * b: data 6, grad 5
        a: data 2, grad 15
        b
    """
    lines = [DESCRIBED_NODE.fullmatch(line.strip()) for line in text.strip().splitlines()]
    matches = [line for line in lines if line]
    names = {line["name"] for line in matches}
    if not names or len(names) < len(lines):
        return None
    nodes = tuple(
        PictureNode(
            line["name"],
            f"{line['name']} = {line['operation']}" if line["operation"] else line["name"],
            tuple(NodeTextLine(part) for part in (line["lines"] or "").split(", ") if part),
        )
        for line in matches
    )
    edges = tuple(
        PictureEdge(line["name"], operand, uses)
        for line in matches
        for operand, uses in Counter(re.findall(r"\w+", line["operation"] or "")).items()
        if operand in names
    )
    return PictureContent("A graph", nodes, edges, description=" ".join(_iterate_node_sentences(nodes)))


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
    queue = [counterexample.first_wrong if counterexample.first_wrong in names else names[-1]]
    chosen_names: set[str] = set()
    while queue and len(chosen_names) < MOST_NODES:
        name = queue.pop(0)
        if name not in chosen_names:
            chosen_names.add(name)
            queue += neighbours_by_name[name]
    return chosen_names


def _make_title(story: Counterexample) -> str:
    subject = {"forward": "a number", "gradient": "a gradient", "order": "the order"}.get(story.kind)
    suffix = f" at {story.first_wrong}" if story.first_wrong else ""
    return f"The graph of the program: {subject or 'it'} {'goes wrong' if subject else 'breaks'}{suffix}"


def _make_node(node: Node, story: Counterexample) -> PictureNode:
    is_first = node.name == story.first_wrong
    lines: list[NodeTextLine] = []
    if story.kind == "order":
        places = [str(place) for place, name in enumerate(story.order, 1) if name == node.name]
        lines.append(NodeTextLine(f"place {' and '.join(places)}" if places else "not in the order"))
    elif node.data is not None:
        lines += _list_reading_lines("data", (node.data,), node.data_got, is_wrong=node.data_wrong)
    if story.kind == "gradient":
        lines += _list_reading_lines("grad", node.grad, node.grad_got, is_wrong=node.grad_wrong)
    if is_first and story.error:
        error = {"stopped": "does not come back", "no node": "gives no Value"}.get(story.error)
        lines.append(NodeTextLine(error or f"raises {story.error}", "got"))
    is_wrong = node.grad_wrong or node.data_wrong
    return PictureNode(
        name=node.name,
        heading=f"{node.name} = {node.operation}" if node.operation else node.name,
        lines=tuple(lines),
        tone="first" if is_first else "wrong" if is_wrong else "plain",
        badge="it goes wrong here" if is_first else "",
    )


def _list_reading_lines(name: str, right: Sequence[float], got: Seen, *, is_wrong: bool) -> list[NodeTextLine]:
    """Return the lines for one attribute of a node: the number that was read and, if it is wrong, the right one.

    If nothing was read, the only line has the right number.
    """
    expected = format_alternatives(right, got)
    if got is None:
        return [NodeTextLine(f"{name} {expected}")]
    shown = f"{name} {format_number(float(got) if isinstance(got, int) else got, *right[:1])}"
    if not is_wrong:
        return [NodeTextLine(shown)]
    return [NodeTextLine(shown, "got"), NodeTextLine(f"should be {expected}", "expected")]


def _make_edge(user: str, operand: str, uses: int, flow: ComparedGradientContribution | None) -> PictureEdge:
    if flow is None:
        return PictureEdge(user, operand, uses)
    label, _, verb_phrase = flow.texts
    return PictureEdge(user, operand, uses, flow.verdict, label, f"{user} {verb_phrase} {operand}.")


def _iterate_sentences(
    story: Counterexample, nodes: Sequence[PictureNode], edges: Sequence[PictureEdge]
) -> Iterable[str]:
    yield from _iterate_node_sentences(nodes[::-1])
    yield from (edge.sentence for edge in edges if edge.sentence)
    if story.remark:
        yield f"{story.remark}."
    if left_out := len(story.nodes) - len(nodes):
        yield f"{left_out} more nodes are not drawn."


def _iterate_node_sentences(nodes: Iterable[PictureNode]) -> Iterable[str]:
    for node in nodes:
        line_texts = ", ".join(line.text for line in node.lines)
        badge = f"; {node.badge}" if node.badge else ""
        yield f"{node.heading}: {line_texts}{badge}." if line_texts else f"{node.heading}{badge}."
