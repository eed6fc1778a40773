"""Write the calls on a graph of plain nodes as a script, and read what its answer says."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from autograder.bridge.endings import Ending
from autograder.bridge.scripts import ANY_LENGTH, Script, Writer, result, results
from autograder.diagnosis.graphs import CALLS, Graph
from autograder.diagnosis.trace import Trace, Trouble, said_of

MOST_REMEMBERED = 4_096


@functools.lru_cache(maxsize=MOST_REMEMBERED)
def script_of(graph: Graph) -> Script:
    """Write a script: make the nodes, call what is called, read ``visited`` (``build_topo`` only), read the order."""
    function = CALLS[graph.call].function
    writer = Writer((function, 0))
    below = [[*operands] for operands in graph.operands]
    nodes = writer.make(len(below), "nodes", below, graph.container)
    if function == "backward_order":
        order, visited = _backward_order(writer, graph, nodes), None
    else:
        order, visited = _build_topo(writer, graph, nodes)
    writer.add("value", result(order), kind="object")
    writer.add("len", result(order))  # an iterator is no list
    for items in (order,) if visited is None else (visited, order):
        writer.read(ANY_LENGTH, "positions", result(items), results(nodes))
    return writer.script()


def _build_topo(writer: Writer, graph: Graph, nodes: Sequence[int]) -> tuple[int, int]:
    """Add the calls, and return the numbers of the list and the set after the last one."""
    order = visited = -1
    for number, root in enumerate(graph.roots):
        writer.place = ("build_topo", number)
        if not number or not CALLS[graph.call].shared:
            order = writer.add("list", ())
            visited = writer.add("set", results([nodes[n] for n in graph.seen]))
        function = writer.add("get", "build_topo")
        writer.add("call", result(function), results([nodes[root], visited, order]), {})
    return order, visited


def _backward_order(writer: Writer, graph: Graph, nodes: Sequence[int]) -> int:
    """Add the calls, and return the number of the list that is looked at."""
    made = []
    for number, root in enumerate(graph.roots):
        writer.place = ("backward_order", number)
        function = writer.add("get", "backward_order")
        # kept over there: what a later call does to it is to be seen
        made.append(writer.add("kept", result(function), results([nodes[root]])))
    return made[0 if CALLS[graph.call].second == "after" else -1]


def trace_of(graph: Graph, ending: Ending) -> Trace:
    """Return the order that was given, or why there is none."""
    if ending.step is None:
        *visited, order = (_named(graph, places) for places in ending.readings)
        return Trace(tuple(sorted(*visited)) if visited else (), (), order)
    function, number = script_of(graph).places[ending.step]
    if ending.raised:
        return Trace(trouble=Trouble(ending.raised, function, number, said_of(ending.raised, ending.message)))
    return Trace(trouble=Trouble("no list", function, number))


def _named(graph: Graph, places: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of nodes; a question mark for anything that is not a node."""
    names = graph.names
    return tuple(names[at] if type(at) is int and 0 <= at < len(names) else "?" for at in places)
