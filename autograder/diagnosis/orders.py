"""Make, run and judge the programs of a sort: graphs wired by hand, and what is called on them."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from autograder.bridge import LocalStudent, Student
from autograder.bridge.endings import Ending
from autograder.bridge.scripts import Script
from autograder.diagnosis.graphs import CALLS, CONTAINERS, Call, Graph, problem_of, small_graphs
from autograder.diagnosis.story import MARK, Counterexample, Node, lines_of
from autograder.diagnosis.told import run_told
from autograder.diagnosis.trace import STOPPED, STUB, Trace, Trouble
from autograder.diagnosis.wiring import script_of, trace_of

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

FRESH = 28
MOST_NODES = 7


class Orders:
    """See ``Subject``.

    Attributes:
        calls: what may be called, the simplest first.
    """

    def __init__(self, has: frozenset[str]) -> None:
        """Call what is there: ``has`` names functions."""
        self.calls = tuple(name for name, call in CALLS.items() if call.function in has)

    def small(self) -> Iterator[Graph]:
        """See ``Subject``."""
        for size in (1, 2, 3, 4):
            for operands in small_graphs(size):
                for call in self.calls:
                    if size < 4 or CALLS[call] == Call(CALLS[call].function):
                        yield Graph(operands, call)
        for operands in small_graphs(3):
            for call in self.calls:
                yield from (Graph(operands, call, container) for container in CONTAINERS[1:])

    def leaking(self) -> Iterator[Graph]:
        """See ``Subject``."""
        for operands in (((), ()), ((), (0,), (1,))):
            yield from (Graph(operands, call) for call in self.calls if CALLS[call].second)

    def strategy(self) -> SearchStrategy[Graph]:
        """See ``Subject``; made of coin tosses for the reason given in ``engine``."""
        from hypothesis.strategies import booleans, composite, nothing

        if not self.calls:
            return nothing()
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

    def fresh(self, seed: int = 0, about: Collection[str] = ()) -> tuple[Graph, ...]:
        """See ``Subject``: 28 graphs of 4 to 9 nodes, over all calls and containers."""
        pick = random.Random(seed)
        found = []
        for number in range(FRESH if self.calls else 0):
            operands: list[tuple[int, ...]] = [()]
            for size in range(1, pick.randint(4, 9)):
                last = (size - 1,) if pick.random() < 0.7 else ()  # mostly in one piece
                operands.append((*pick.choices(range(size), k=pick.randint(0, 2)), *last)[:: pick.choice((1, -1))])
            # No sets here: their order is the interpreter's, and two runs may differ.
            found.append(Graph(tuple(operands), self.calls[number % len(self.calls)], CONTAINERS[number % 2]))
        return tuple(found)

    def near(self, graph: Graph) -> tuple[Graph, ...]:
        """See ``Subject``: in another container."""
        return tuple(replace(graph, container=container) for container in CONTAINERS[:2])

    def run(self, student: Student | LocalStudent, graph: Graph) -> Trace:
        """See ``Subject``. The trace's ``order`` is the list, its ``data`` what is in ``visited``."""
        return run_told(student, script_of(graph), lambda ending: trace_of(graph, ending))

    def script(self, graph: Graph) -> Script:
        """See ``Subject``."""
        return script_of(graph)

    def trace(self, graph: Graph, ending: Ending) -> Trace:
        """See ``Subject``."""
        return trace_of(graph, ending)

    def is_right(self, graph: Graph, trace: Trace) -> bool:
        """See ``Subject``."""
        if trace.trouble is not None:
            return trace.trouble.kind == STUB
        return problem_of(graph, trace) is None

    def tell(self, graph: Graph, trace: Trace) -> Counterexample:
        """See ``Subject``."""
        lines = graph.lines()
        nodes = tuple(
            Node(name=name, operands=tuple(graph.names[operand] for operand in below))
            for name, below in zip(graph.names, graph.operands, strict=True)
        )
        if trace.trouble is not None:
            return _error(graph, trace.trouble, nodes)
        remark, first = problem_of(graph, trace) or ("", "")
        return Counterexample(
            kind="order",
            program=lines,
            nodes=nodes,
            first_wrong=first,
            order=trace.order,
            remark=remark,
            text="\n".join((*lines, "", f"order is [{', '.join(trace.order)}]{MARK}{remark}")),
        )


def _error(graph: Graph, trouble: Trouble, nodes: tuple[Node, ...]) -> Counterexample:
    calls = graph.calls()[: trouble.step + 1]
    line = len(graph.operands) + sum(map(len, calls)) - 1
    what = {STOPPED: "this does not end", "no list": "this gives no list"}.get(
        trouble.kind, f"this raises {trouble.kind}"
    )
    return Counterexample(
        kind="error",
        program=graph.lines(),
        nodes=nodes,
        error=trouble.kind,
        error_line=line,
        text="\n".join(lines_of(graph.lines(), line, what)),
    )
