"""Graphs of the submission's nodes with a known shape: ``_prev`` and every ``_backward`` are the kit's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge import LocalStudentProxy, StudentProxy
from autograder.diagnosis.probes.experiment_log import ExperimentLog

CONTAINERS: tuple[type, ...] = (tuple, list, set, frozenset)
PLAIN, EQUAL, FALLING = "plain", "equal", "falling"


@dataclass(frozen=True, slots=True)
class GraphShape:
    """Which nodes a graph has; the last is the root, unless ``root`` says otherwise."""

    name: str
    operands: Mapping[str, tuple[str, ...]]
    """Operands first."""
    numbers: str = PLAIN
    """``plain`` numbers grow with each node; they may be ``equal``, or ``falling``."""
    root: str = ""
    seeded: float = 0.0
    """The gradient that the root has before."""

    @property
    def root_name(self) -> str:
        """The root's name."""
        return self.root or [*self.operands][-1]

    def mirror(self) -> GraphShape:
        """Return the same with the operands of every node the other way round."""
        turned = {name: below[::-1] for name, below in self.operands.items()}
        return GraphShape(self.name, turned, self.numbers, self.root, self.seeded)

    def reachable_names(self, root: str = "") -> set[str]:
        """Names of all nodes that can be reached, the root included."""
        found: set[str] = set()
        waiting = [root or self.root_name]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.operands[name]
        return found

    def inner_node_names(self) -> set[str]:
        """Those of them that have operands."""
        return {name for name in self.reachable_names() if self.operands[name]}

    def compute_gradients(self, weight: float = 1.0) -> dict[str, float]:
        """Compute the right gradients after one ``backward()``; ``weight`` is the root's."""
        below = self.reachable_names()
        grads = dict.fromkeys(self.operands, 0.0)
        grads[self.root_name] = weight
        for name in reversed([*self.operands]):
            if name in below:
                for operand in self.operands[name]:
                    grads[operand] += grads[name]
        return grads

    def describe(self) -> str:
        """Tell the graph in words."""
        made = [f"{name} is made of {' and '.join(below)}" for name, below in self.operands.items() if below]
        if len(made) > 8:
            return f"a graph of {len(self.operands)} nodes"
        numbers = ", all with the same number" if self.numbers == EQUAL else ""
        return f"a graph where {', '.join(made)}{numbers}" if made else "a leaf"

    def node_values(self) -> list[float]:
        """Return the number of each node."""
        count = len(self.operands)
        return [{PLAIN: at + 2.0, EQUAL: 2.0, FALLING: count + 1.0 - at}[self.numbers] for at in range(count)]


def parse_graph_shape(name: str, text: str, numbers: str = PLAIN, root: str = "", seeded: float = 0.0) -> GraphShape:
    """Read a shape from text such as ``a b c=ab``."""
    parts = (part.partition("=") for part in text.split())
    return GraphShape(name, {one: tuple(below) for one, _, below in parts}, numbers, root, seeded)


def make_ladder_shape(size: int) -> GraphShape:
    """Each node over the two before it."""
    return GraphShape(f"ladder {size}", {f"n{i}": (f"n{i - 1}", f"n{i - 2}") if i > 1 else () for i in range(size)})


def make_tree_shape(depth: int) -> GraphShape:
    """Every node used once."""
    operands: dict[str, tuple[str, ...]] = {f"t{i}": () for i in range(2**depth)}
    level = [*operands]
    while len(level) > 1:
        pairs = [*zip(level[::2], level[1::2], strict=True)]
        level = []
        for pair in pairs:
            name = f"t{len(operands)}"
            operands[name] = pair
            level.append(name)
    return GraphShape(f"tree {depth}", operands)


@dataclass(slots=True)
class GraphBuilder:
    """Wires graphs, each of nodes of its own."""

    student: StudentProxy | LocalStudentProxy
    by_operators: bool = False
    """Whether they are built with ``+``: for an engine that keeps its graph elsewhere than in ``_prev``."""
    recorder: Any = None
    container: type | None = None
    count: int = 0

    def __post_init__(self) -> None:
        self.recorder = self.student.recorder()

    def build_graph(self, plan: GraphShape) -> WiredGraph:
        """Make a graph of this shape; every ``_backward`` notes its call, and gives operands its gradient."""
        student, kind = self.student, self.student.get("Value")
        self.count += 1
        if self.by_operators:
            nodes = self._built(kind, plan)
        else:
            nodes = dict(zip(plan.operands, student.make(kind, plan.node_values()), strict=True))
            if self.container is None:
                found = next(iter(nodes.values()))._prev
                self.container = type(found) if type(found) in CONTAINERS else tuple
            make: Any = self.container
            student.set_all(
                (nodes[name], "_prev", make(nodes[below] for below in operands))
                for name, operands in plan.operands.items()
                if operands
            )
        wired = WiredGraph(student, plan, nodes, self.recorder, self.count, len(self.recorder.noted))
        wired.reset_gradients_and_backwards()
        return wired

    def _built(self, kind: Any, plan: GraphShape) -> dict[str, Any]:
        nodes: dict[str, Any] = {}
        for (name, below), value in zip(plan.operands.items(), plan.node_values(), strict=True):
            parts = [nodes[operand] for operand in below]
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
        made = self.student.shares(
            (
                self.recorder.note((self.number, name)),
                nodes[name],
                [nodes[below] for below in dict.fromkeys(shape.operands[name])],
                [float(shape.operands[name].count(below)) for below in dict.fromkeys(shape.operands[name])],
                "grad",
            )
            for name in inner
        )
        (nothing,) = self.student.relays([(None, (), "grad", 0.0)])
        backwards = dict(zip(inner, made, strict=True))
        self.set_grads(0.0)
        if shape.seeded:
            self.student.set_all([(nodes[shape.root_name], "grad", shape.seeded)])
        self.student.set_all((node, "_backward", backwards.get(name, nothing)) for name, node in nodes.items())

    @property
    def root(self) -> Any:
        """The root."""
        return self.nodes[self.shape.root_name]

    def read_new_calls(self) -> tuple[list[str], bool]:
        """Nodes whose ``_backward`` was called since the last look, and whether one of another graph was."""
        noted = self.recorder.noted[self.since :]
        self.since += len(noted)
        return [name for number, name in noted if number == self.number], any(n != self.number for n, _ in noted)

    def set_grads(self, grad: float, names: Iterable[str] = ()) -> None:
        """Give these nodes, or all, a gradient."""
        self.student.set_all((self.nodes[name], "grad", grad) for name in (names or self.nodes))

    def read_gradients(self) -> dict[str, Any]:
        """Read the gradient of every node."""
        return dict(zip(self.nodes, self.student.get_all(self.nodes.values(), "grad"), strict=True))

    def read_data(self) -> list[Any]:
        """Read the number of every node."""
        return [*self.student.get_all(self.nodes.values(), "data")]


def find_early_calls(calls: Sequence[str], plan: GraphShape) -> list[tuple[str, str]]:
    """Pairs of a node and one that uses it and was called only later."""
    place = {name: at for at, name in enumerate(calls)}
    return [
        (operand, name)
        for name, below in plan.operands.items()
        for operand in dict.fromkeys(below)
        if operand in place and name in place and place[operand] < place[name]
    ]


LADDER = make_ladder_shape(12)


def can_traverse(student: StudentProxy | LocalStudentProxy, method: str, *, by_operators: bool) -> bool:
    """Whether one of the engine's methods finds its way down a graph made in this way."""
    graph = GraphBuilder(student, by_operators).build_graph(LADDER)
    if method == "backward":
        graph.root.backward()
        return graph.read_new_calls()[0] == [f"n{i}" for i in range(11, 1, -1)]
    graph.set_grads(7.0)
    graph.root.zero_grad()
    return set(graph.read_gradients().values()) == {0}


def choose_graph_builder(log: ExperimentLog, student: StudentProxy | LocalStudentProxy, method: str) -> GraphBuilder:
    """Choose the way to make graphs that suits an engine: by hand, unless only those made by ``+`` are seen."""
    wirable = built = False
    with log.run_experiment("wired by hand"):
        wirable = can_traverse(student, method, by_operators=False)
    log.lines.clear()
    if not wirable:
        with log.run_experiment("made by +"):
            built = can_traverse(student, method, by_operators=True)
        log.lines.clear()
    return GraphBuilder(student, built)


def pair_with_mirror_images(plans: Iterable[GraphShape]) -> Iterator[tuple[GraphShape, GraphShape]]:
    """Each shape with its mirror image: a walk may begin at either end."""
    for plan in plans:
        yield plan, plan.mirror()
