"""Graphs of the submission's nodes with a known shape: ``_prev`` and every ``_backward`` are the kit's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from autograder.bridge import StudentProxy
from autograder.diagnosis.graph_shapes import GraphShape, make_fibonacci_shape
from autograder.diagnosis.part_experiment_log import PartExperimentLog

CONTAINERS: tuple[type, ...] = (tuple, list, set, frozenset)


@dataclass(slots=True)
class WiredGraphBuilder:
    """Wires graphs, each of nodes of its own."""

    log: PartExperimentLog
    student: StudentProxy
    by_operators: bool = False
    """Whether they are built with ``+``: for an engine that keeps its graph elsewhere than in ``_prev``."""
    recorder: Any = None
    container: type | None = None
    count: int = 0

    def __post_init__(self) -> None:
        self.recorder = self.student.make_call_recorder()

    def build_graph(self, shape: GraphShape) -> WiredGraph:
        """Make a graph of this shape; every ``_backward`` notes its call, and gives operands its gradient."""
        student, kind = self.student, self.student.get("Value")
        self.count += 1
        if self.by_operators:
            nodes = self._built(kind, shape)
        else:
            nodes = dict(zip(shape.operands, student.make_all(kind, shape.list_node_values()), strict=True))
            if self.container is None:
                found = next(iter(nodes.values()))._prev
                self.container = type(found) if type(found) in CONTAINERS else tuple
            make: Any = self.container
            student.set_attributes(
                (nodes[name], "_prev", make(nodes[below] for below in operands))
                for name, operands in shape.operands.items()
                if operands
            )
        wired = WiredGraph(student, shape, nodes, self.recorder, self.count, len(self.recorder.called_names))
        wired.reset_gradients_and_backwards()
        return wired

    def _built(self, kind: Any, shape: GraphShape) -> dict[str, Any]:
        nodes: dict[str, Any] = {}
        for (name, below), value in zip(shape.operands.items(), shape.list_node_values(), strict=True):
            parts = [nodes[operand] for operand in below]
            with self.log.mark_running_other_part():
                nodes[name] = parts[0] + (parts[1] if len(parts) > 1 else kind(0.0)) if parts else kind(value)
        return nodes


@dataclass(slots=True)
class WiredGraph:
    """One graph."""

    student: Any
    shape: GraphShape
    nodes: dict[str, Any]
    recorder: Any
    number: int
    since: int

    def reset_gradients_and_backwards(self) -> None:
        """Gradients of zero, and a ``_backward`` for every node."""
        shape, nodes = self.shape, self.nodes
        inner = [name for name, below in shape.operands.items() if below]
        made = self.student.make_gradient_adders(
            (
                self.recorder.make_callback((self.number, name)),
                nodes[name],
                [nodes[below] for below in dict.fromkeys(shape.operands[name])],
                [float(shape.operands[name].count(below)) for below in dict.fromkeys(shape.operands[name])],
                "grad",
            )
            for name in inner
        )
        (nothing,) = self.student.make_relays([(None, (), "grad", 0.0)])
        backwards = dict(zip(inner, made, strict=True))
        self.set_grads(0.0)
        if shape.root_gradient_before:
            self.student.set_attributes([(nodes[shape.root_name], "grad", shape.root_gradient_before)])
        self.student.set_attributes((node, "_backward", backwards.get(name, nothing)) for name, node in nodes.items())

    @property
    def root(self) -> Any:
        """Return the root."""
        return self.nodes[self.shape.root_name]

    def read_new_calls(self) -> tuple[list[str], bool]:
        """Return the nodes whose ``_backward`` was called since the last look, and whether another graph's was."""
        noted = self.recorder.called_names[self.since :]
        self.since += len(noted)
        return [name for number, name in noted if number == self.number], any(n != self.number for n, _ in noted)

    def set_grads(self, grad: float, names: Iterable[str] = ()) -> None:
        """Give these nodes, or all, a gradient."""
        self.student.set_attributes((self.nodes[name], "grad", grad) for name in (names or self.nodes))

    def read_gradients(self) -> dict[str, Any]:
        """Read the gradient of every node."""
        return dict(zip(self.nodes, self.student.get_attributes(self.nodes.values(), "grad"), strict=True))

    def read_data(self) -> list[Any]:
        """Read the number of every node."""
        return [*self.student.get_attributes(self.nodes.values(), "data")]


LADDER = make_fibonacci_shape(12)


def does_method_traverse(log: PartExperimentLog, student: StudentProxy, method: str, *, by_operators: bool) -> bool:
    """Return whether one of the engine's methods finds its way down a graph made in this way."""
    graph = WiredGraphBuilder(log, student, by_operators).build_graph(LADDER)
    if method == "backward":
        graph.root.backward()
        return graph.read_new_calls()[0] == [f"n{i}" for i in range(11, 1, -1)]
    graph.set_grads(7.0)
    graph.root.zero_grad()
    return set(graph.read_gradients().values()) == {0}


def choose_graph_builder(log: PartExperimentLog, student: StudentProxy, method: str) -> WiredGraphBuilder:
    """Choose the way to make graphs that suits an engine: by hand, unless only those made by ``+`` are seen."""
    wirable = built = False
    with log.catch_failure("wired by hand"):
        wirable = does_method_traverse(log, student, method, by_operators=False)
    log.lines.clear()
    if not wirable:
        with log.catch_failure("made by +"):
            built = does_method_traverse(log, student, method, by_operators=True)
        log.lines.clear()
    return WiredGraphBuilder(log, student, built)
