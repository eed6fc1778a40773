"""Describe graphs of plain nodes and what is called on them, and say which orders are right."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.bridge.student import Container
from autograder.diagnosis.definition import LETTERS
from autograder.diagnosis.readings import ProgramReadings

CONTAINERS: tuple[Container, ...] = ("tuple", "list", "set")
BRACKETS = {"tuple": ("(", ")"), "list": ("[", "]"), "set": ("{", "}")}


@dataclass(frozen=True, slots=True)
class GraphCall:
    """What is called. The node made last is the root; the one made before it may be a second root."""

    function: str
    second: str = ""
    """``before``: a call on the second root comes first; ``after``: one follows, and then the first result is
    read."""
    shared: bool = False
    """Whether both calls get the same two lists."""
    seen: bool = False
    """Whether the second root is in ``visited`` from the start."""


CALLS: dict[str, GraphCall] = {
    "build_topo": GraphCall("build_topo"),
    "backward_order": GraphCall("backward_order"),
    "build_topo again": GraphCall("build_topo", "before"),
    "backward_order again": GraphCall("backward_order", "before"),
    "build_topo on two roots": GraphCall("build_topo", "before", shared=True),
    "build_topo with one seen": GraphCall("build_topo", seen=True),
    "backward_order, then another": GraphCall("backward_order", "after"),
}
"""The simplest first."""


@dataclass(frozen=True, slots=True)
class SortCallProgram:
    """A graph of plain nodes, and what is called on it."""

    operands: tuple[tuple[int, ...], ...]
    """For each node, which earlier ones it uses."""
    call: str = "build_topo"
    """A key of ``CALLS``."""
    container: Container = "tuple"

    @property
    def node_names(self) -> tuple[str, ...]:
        """Return a letter for every node."""
        return tuple(LETTERS[: len(self.operands)])

    @property
    def roots(self) -> tuple[int, ...]:
        """Return the nodes that the function is called on, in order."""
        last = len(self.operands) - 1
        other = max(last - 1, 0)
        return {"before": (other, last), "after": (last, other)}.get(CALLS[self.call].second, (last,))

    @property
    def nodes_visited_beforehand(self) -> tuple[int, ...]:
        """Return the nodes that are in ``visited`` from the start."""
        return (max(len(self.operands) - 2, 0),) if CALLS[self.call].seen else ()

    def format_calls(self) -> tuple[tuple[str, ...], ...]:
        """Return the lines of each call as a student writes them; the last line of each is the call itself."""
        call, names = CALLS[self.call], [self.node_names[root] for root in self.roots]
        if call.function == "backward_order":
            results = ("order", "other") if call.second == "after" else ("other", "order")[-len(names) :]
            return tuple(
                (f"{result} = backward_order({name})",) for result, name in zip(results, names, strict=False)
            )
        visited = (
            f"{{{self.node_names[self.nodes_visited_beforehand[0]]}}}" if self.nodes_visited_beforehand else "set()"
        )
        new = f"visited, order = {visited}, []"
        lines = [(new, f"build_topo({name}, visited, order)") for name in names]
        return (lines[0], lines[1][1:]) if call.shared else tuple(lines)

    def format_lines(self) -> tuple[str, ...]:
        """Return the whole program as a student writes it."""
        made = (
            f"{name} = Node({self._written(below)})"
            for name, below in zip(self.node_names, self.operands, strict=True)
        )
        return (*made, *itertools.chain(*self.format_calls()))

    def _written(self, below: Sequence[int]) -> str:
        if not below:  # a tuple is what `Node` has without being told
            return {"tuple": "", "list": "_prev=[]", "set": "_prev=set()"}[self.container]
        opening, closing = BRACKETS[self.container]
        comma = "," if opening == "(" and len(below) == 1 else ""
        return f"_prev={opening}{', '.join(self.node_names[operand] for operand in below)}{comma}{closing}"


def enumerate_small_graphs(size: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield all graphs of ``size`` nodes in which every node uses at most two earlier ones."""
    yield from itertools.product(
        *([(), *((n,) for n in range(at)), *itertools.product(range(at), repeat=2)] for at in range(size))
    )


def find_order_problem(graph: SortCallProgram, trace: ProgramReadings) -> tuple[str, str] | None:
    """Return what is wrong with an order, in words, and at which node; None if the order is right.

    An order is right if it has every node once, each on the right side of the nodes that it uses.

    Args:
        graph: the graph that was sorted.
        trace: its ``order`` is the list; its ``data`` names what is in ``visited``.
    """
    call = CALLS[graph.call]
    wanted = _reachable(graph, graph.roots if call.shared else graph.roots[:1] if call.second == "after" else None)
    for name in trace.order:
        if name not in wanted:
            return (f"{name} does not belong there" if name != "?" else "there is something that is no node"), name
        if trace.order.count(name) > 1:
            return f"{name} is there more than once", name
    for name in sorted(wanted.difference(trace.order)):
        return f"{name} is missing", name
    if call.function == "backward_order":
        return _misplaced(graph, trace.order[::-1], "after")
    if misplaced := _misplaced(graph, trace.order, "before"):
        return misplaced
    unlike = sorted(
        set(map(str, trace.data)) ^ (wanted | {graph.node_names[n] for n in graph.nodes_visited_beforehand})
    )
    return (f"visited {'has' if unlike[0] in trace.data else 'lacks'} {unlike[0]}", unlike[0]) if unlike else None


def _misplaced(graph: SortCallProgram, order: Sequence[str], side: str) -> tuple[str, str] | None:
    """Find the first node that stands on the wrong side of one that it uses; operands are due first."""
    place = {name: at for at, name in enumerate(order)}
    for name in order:
        for operand in graph.operands[graph.node_names.index(name)]:
            used = graph.node_names[operand]
            if place.get(used, -1) > place[name]:
                return f"{name} stands {side} {used}, which it uses", name
    return None


def _reachable(graph: SortCallProgram, roots: Sequence[int] | None) -> set[str]:
    """Return the names of the nodes below the roots (or the last one), without nodes that were seen before."""
    found: set[int] = set()
    waiting = [*(graph.roots[-1:] if roots is None else roots)]
    while waiting:
        node = waiting.pop()
        if node not in found and node not in graph.nodes_visited_beforehand:
            found.add(node)
            waiting += graph.operands[node]
    return {graph.node_names[node] for node in found}
