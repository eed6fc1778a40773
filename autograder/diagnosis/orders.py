"""The programs of a sort: graphs wired by hand, and what is called on them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from autograder.bridge import LocalStudent, Student
from autograder.bridge.student import Container
from autograder.diagnosis.expressions import LETTERS
from autograder.diagnosis.story import MARK, Counterexample, Node, lines_of
from autograder.diagnosis.trace import STOPPED, STUB, Trace, Trouble, trouble_of
from autograder.faults import KitFault
from autograder.text import listed

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

CALLS: dict[str, str] = {
    "build_topo": "build_topo",
    "backward_order": "backward_order",
    "build_topo again": "build_topo",
    "backward_order again": "backward_order",
    "build_topo on two roots": "build_topo",
}
"""What is called, the simplest first, and the function it needs. ``again``: a call on another root came before, with
lists of its own. ``on two roots``: the call before shared its lists."""
CONTAINERS: tuple[Container, ...] = ("tuple", "list", "set")
FRESH = 28
MOST_NODES = 7


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph of plain nodes, and what is called on the last of them."""

    operands: tuple[tuple[int, ...], ...]
    """For each node, which earlier ones it uses."""
    call: str = "build_topo"
    """A key of ``CALLS``."""
    container: Container = "tuple"

    @property
    def roots(self) -> tuple[int, ...]:
        """The nodes that the function is called on, in order."""
        last = len(self.operands) - 1
        return (last,) if self.call in ("build_topo", "backward_order") else (max(last - 1, 0), last)

    def lines(self) -> tuple[str, ...]:
        """The whole program as a student writes it."""
        brackets = {"tuple": "()", "list": "[]", "set": "{}"}[self.container]
        made = [f"{LETTERS[n]} = Node({_written(below, brackets)})" for n, below in enumerate(self.operands)]
        if CALLS[self.call] == "backward_order":
            return (*made, *(f"order = backward_order({LETTERS[root]})" for root in self.roots))
        new = "visited, order = set(), []"
        calls = [f"build_topo({LETTERS[root]}, visited, order)" for root in self.roots]
        between = (new,) if self.call == "build_topo again" else ()
        return (*made, new, *calls[:-1], *between, calls[-1])


def _written(below: Sequence[int], brackets: str) -> str:
    if not below:
        return ""
    names = ", ".join(LETTERS[operand] for operand in below)
    return f"_prev={brackets[0]}{names}{',' if brackets == '()' and len(below) == 1 else ''}{brackets[1]}"


class Orders:
    """See ``Subject``. Right is any order in which every node stands once, on the right side of its operands."""

    def __init__(self, has: frozenset[str]) -> None:
        """Call what is there."""
        self.calls = tuple(call for call, function in CALLS.items() if function in has)

    def small(self) -> Iterator[Graph]:
        """See ``Subject``."""
        for size in (1, 2, 3, 4):
            for operands in _graphs(size):
                for call in self.calls:
                    if size < 4 or call in ("build_topo", "backward_order"):
                        yield Graph(operands, call)
        for operands in _graphs(3):
            for call in self.calls:
                yield from (Graph(operands, call, container) for container in CONTAINERS[1:])

    def strategy(self) -> SearchStrategy[Graph]:
        """See ``Subject``; made of coin tosses for the reason given in ``engine``."""
        from hypothesis.strategies import booleans, composite

        coin = booleans()

        @composite
        def graphs(draw: DrawFn) -> Graph:
            operands: list[tuple[int, ...]] = [()]
            while len(operands) < MOST_NODES and (len(operands) < 3 or draw(coin)):
                below = range(len(operands) - 1, -1, -1)
                operands.append(tuple(n for n in below if draw(coin)))
            call = self.calls[sum(draw(coin) << bit for bit in range(3)) % len(self.calls)]
            return Graph(tuple(operands), call, "list" if draw(coin) else "tuple")

        return graphs()

    def simpler(self, graph: Graph) -> Iterator[Graph]:
        """See ``Subject``: fewer nodes, fewer operands, a simpler call, a tuple."""
        for gone in range(len(graph.operands) - 2, -1, -1):
            kept = [below for n, below in enumerate(graph.operands) if n != gone]
            moved = (tuple(o - (o > gone) for o in below if o != gone) for below in kept)
            yield replace(graph, operands=tuple(moved))
        for n, below in enumerate(graph.operands):
            for at in range(len(below)):
                fewer = (*graph.operands[:n], below[:at] + below[at + 1 :], *graph.operands[n + 1 :])
                yield replace(graph, operands=fewer)
        for call in self.calls[: self.calls.index(graph.call)]:
            yield replace(graph, call=call)
        if graph.container != "tuple":
            yield replace(graph, container="tuple")

    def fresh(self, seed: int = 0) -> tuple[Graph, ...]:
        """See ``Subject``: 28 graphs of 4 to 9 nodes, over all calls and containers."""
        pick = random.Random(seed)
        found = []
        for number in range(FRESH if self.calls else 0):
            operands: list[tuple[int, ...]] = [()]
            for size in range(1, pick.randint(4, 9)):
                last = (size - 1,) if pick.random() < 0.7 else ()  # mostly connected
                operands.append((*pick.choices(range(size), k=pick.randint(0, 2)), *last)[:: pick.choice((1, -1))])
            found.append(Graph(tuple(operands), self.calls[number % len(self.calls)], CONTAINERS[number % 2]))
        return tuple(found)

    def run(self, student: Student | LocalStudent, graph: Graph) -> Trace:
        """See ``Subject``. The trace's ``order`` is the list, its ``data`` what is in ``visited``."""
        function = CALLS[graph.call]
        number = 0
        try:
            nodes = student.nodes(graph.operands, graph.container)
            call = student.get(function)
            visited, order = student.set(), student.list()
            for number, root in enumerate(graph.roots):
                if function == "backward_order":
                    order = call(nodes[root])
                else:
                    if number and graph.call == "build_topo again":
                        visited, order = student.set(), student.list()
                    call(nodes[root], visited, order)
            if order is None or isinstance(order, str | int | float):
                return Trace(trouble=Trouble("no list", function, number))
            names = {id(node): LETTERS[n] for n, node in enumerate(nodes)}
            listed_names = tuple(names.get(id(node), "?") for node in order)
            return Trace(tuple(sorted(names.get(id(node), "?") for node in visited)), (), listed_names)
        except KitFault:
            raise
        except Exception as error:
            return Trace(trouble=trouble_of(error, function, number))

    def is_right(self, graph: Graph, trace: Trace) -> bool:
        """See ``Subject``."""
        if trace.trouble is not None:
            return trace.trouble.kind == STUB
        return self._problem(graph, trace) is None

    def tell(self, graph: Graph, trace: Trace) -> Counterexample:
        """See ``Subject``."""
        lines, trouble = graph.lines(), trace.trouble
        nodes = tuple(
            Node(name=LETTERS[n], operation=f"over {listed([LETTERS[o] for o in below])}" if below else "",
                 operands=tuple(LETTERS[o] for o in below))
            for n, below in enumerate(graph.operands)
        )  # fmt: skip
        if trouble is not None:
            line = len(lines) - (1 if trouble.step + 1 == len(graph.roots) else 3 if "again" in graph.call else 2)
            line = max(line, len(lines) - 2) if CALLS[graph.call] == "backward_order" else line
            what = {STOPPED: "this does not end", "no list": "this gives back no list"}.get(
                trouble.kind, f"this raises {trouble.kind}"
            )
            return Counterexample(
                kind="error", program=lines, nodes=nodes, error=trouble.kind, error_line=line,
                text="\n".join(lines_of(lines, line, what)),
            )  # fmt: skip
        remark, first = self._problem(graph, trace) or ("", "")
        got = f"order is [{', '.join(trace.order)}]"
        return Counterexample(
            kind="order", program=lines, nodes=nodes, first_wrong=first, order=trace.order, remark=remark,
            text="\n".join((*lines, "", f"{got}{MARK}{remark}")),
        )  # fmt: skip

    def _problem(self, graph: Graph, trace: Trace) -> tuple[str, str] | None:
        """What is wrong with an order, and at which node; None if it is right."""
        order = trace.order
        wanted = _reachable(graph, graph.roots if "two roots" in graph.call else graph.roots[-1:])
        for name in order:
            if name not in wanted:
                return (
                    f"{name} does not belong there" if name != "?" else "there is something that is no node"
                ), name
            if order.count(name) > 1:
                return f"{name} is there more than once", name
        for name in sorted(wanted):
            if name not in order:
                return f"{name} is missing", name
        backwards = CALLS[graph.call] == "backward_order"
        place = {name: (-at if backwards else at) for at, name in enumerate(order)}
        for name in order:
            for operand in graph.operands[LETTERS.index(name)]:
                if place[LETTERS[operand]] > place[name]:
                    side = "after" if backwards else "before"
                    return f"{name} stands {side} {LETTERS[operand]}, which it uses", name
        if not backwards and set(trace.data) != wanted:
            return "visited does not hold the same nodes", ""
        return None


def _graphs(size: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All graphs in which every node uses at most two earlier ones."""
    choices: list[list[tuple[int, ...]]] = [
        [(), *((n,) for n in range(at)), *itertools.product(range(at), repeat=2)] for at in range(size)
    ]
    yield from itertools.product(*choices)


def _reachable(graph: Graph, roots: Sequence[int]) -> set[str]:
    found: set[int] = set()
    waiting: list[int] = [*roots]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += graph.operands[node]
    return {LETTERS[node] for node in found}
