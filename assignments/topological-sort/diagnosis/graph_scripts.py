"""Write the calls on a graph of plain nodes as a script, and read what its answer says."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from autograder.bridge.script_results import ScriptResult
from autograder.bridge.script_writer import (
    ANY_LENGTH,
    Script,
    ScriptWriter,
    make_result_list_reference,
    make_result_reference,
)
from autograder.diagnosis.program_trace import ProgramTrace, RunFailure, distinguishing_message

from .graph_program import CALLS, GraphProgram

MOST_REMEMBERED = 4_096


@functools.lru_cache(maxsize=MOST_REMEMBERED)
def write_graph_script(graph: GraphProgram) -> Script:
    """Write a script: make the nodes, call what is called, read ``visited`` (``build_topo`` only), read the order."""
    function = CALLS[graph.call].function
    writer = ScriptWriter((function, 0))
    below = [[*operands] for operands in graph.operands]
    nodes = writer.add_object_list_request(len(below), "nodes", below, graph.container)
    if function == "backward_order":
        order, visited = _backward_order(writer, graph, nodes), None
    else:
        order, visited = _build_topo(writer, graph, nodes)
    writer.add_request("value", make_result_reference(order), kind="object")
    writer.add_request("len", make_result_reference(order))  # an iterator is no list
    for items in (order,) if visited is None else (visited, order):
        writer.add_readings_request(
            ANY_LENGTH, "positions", make_result_reference(items), make_result_list_reference(nodes)
        )
    return writer.build_script()


def _build_topo(writer: ScriptWriter, graph: GraphProgram, nodes: Sequence[int]) -> tuple[int, int]:
    """Add the calls, and return the numbers of the list and the set after the last one."""
    order = visited = -1
    for number, root in enumerate(graph.roots):
        writer.place = ("build_topo", number)
        if not number or not CALLS[graph.call].shared:
            order = writer.add_request("list", ())
            visited = writer.add_request(
                "set", make_result_list_reference([nodes[n] for n in graph.nodes_visited_beforehand])
            )
        function = writer.add_request("get", "build_topo")
        writer.add_request(
            "call", make_result_reference(function), make_result_list_reference([nodes[root], visited, order]), {}
        )
    return order, visited


def _backward_order(writer: ScriptWriter, graph: GraphProgram, nodes: Sequence[int]) -> int:
    """Add the calls, and return the number of the list that is looked at."""
    made = []
    for number, root in enumerate(graph.roots):
        writer.place = ("backward_order", number)
        function = writer.add_request("get", "backward_order")
        # kept over there: what a later call does to it is to be seen
        made.append(
            writer.add_request("kept", make_result_reference(function), make_result_list_reference([nodes[root]]))
        )
    return made[0 if CALLS[graph.call].second == "after" else -1]


def parse_graph_trace(graph: GraphProgram, ending: ScriptResult) -> ProgramTrace:
    """Return the order that was given, or why there is none."""
    if ending.step is None:
        *visited, order = (_named(graph, places) for places in ending.readings)
        return ProgramTrace(tuple(sorted(*visited)) if visited else (), (), order)
    function, number = write_graph_script(graph).places[ending.step]
    if ending.raised:
        return ProgramTrace(
            trouble=RunFailure(ending.raised, function, number, distinguishing_message(ending.raised, ending.message))
        )
    return ProgramTrace(trouble=RunFailure("no list", function, number))


def _named(graph: GraphProgram, places: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of nodes; a question mark for anything that is not a node."""
    names = graph.node_names
    return tuple(names[at] if type(at) is int and 0 <= at < len(names) else "?" for at in places)
