"""Write the calls on a graph of plain nodes as a request sequence, and read what its answer says."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from autograder.bridge.request_sequences import (
    ANY_LENGTH,
    PackedRequests,
    RequestSequenceBuilder,
    RequestSequenceResult,
    make_result_list_reference,
    make_result_reference,
)
from autograder.diagnosis.readings import ProgramReadings, RunFailure, normalize_exception_message

from .graph_program import CALLS, SortCallProgram

MOST_REMEMBERED = 4_096


@functools.lru_cache(maxsize=MOST_REMEMBERED)
def make_request_sequence(graph: SortCallProgram) -> PackedRequests:
    """Write a request sequence: make the nodes, call, read ``visited`` (``build_topo`` only) and the order."""
    function = CALLS[graph.call].function
    writer = RequestSequenceBuilder((function, 0))
    below = [[*operands] for operands in graph.operands]
    nodes = writer.add_request_and_get_object_numbers(len(below), "nodes", below, graph.container)
    if function == "backward_order":
        order, visited = _backward_order(writer, graph, nodes), None
    else:
        order, visited = _build_topo(writer, graph, nodes)
    writer.add_request("value", make_result_reference(order), required_kind="object")
    writer.add_request("len", make_result_reference(order))  # an iterator is no list
    for items in (order,) if visited is None else (visited, order):
        writer.add_readings_request(
            ANY_LENGTH, "positions", make_result_reference(items), make_result_list_reference(nodes)
        )
    return writer.build()


def _build_topo(writer: RequestSequenceBuilder, graph: SortCallProgram, nodes: Sequence[int]) -> tuple[int, int]:
    """Add the calls, and return the numbers of the list and the set after the last one."""
    order = visited = -1
    for number, root in enumerate(graph.roots):
        writer.step_label = ("build_topo", number)
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


def _backward_order(writer: RequestSequenceBuilder, graph: SortCallProgram, nodes: Sequence[int]) -> int:
    """Add the calls, and return the number of the list that is looked at."""
    made = []
    for number, root in enumerate(graph.roots):
        writer.step_label = ("backward_order", number)
        function = writer.add_request("get", "backward_order")
        # kept over there: what a later call does to it is to be seen
        made.append(
            writer.add_request("kept", make_result_reference(function), make_result_list_reference([nodes[root]]))
        )
    return made[0 if CALLS[graph.call].second == "after" else -1]


def parse_graph_trace(graph: SortCallProgram, result: RequestSequenceResult) -> ProgramReadings:
    """Return the order that was given, or why there is none."""
    if result.failed_step is None:
        *visited, order = (_named(graph, places) for places in result.readings)
        return ProgramReadings(tuple(sorted(*visited)) if visited else (), (), order)
    function, number = make_request_sequence(graph).step_labels[result.failed_step]
    if result.exception_name:
        return ProgramReadings(
            failure=RunFailure(
                result.exception_name,
                function,
                number,
                normalize_exception_message(result.exception_name, result.message),
            )
        )
    return ProgramReadings(failure=RunFailure("no list", function, number))


def _named(graph: SortCallProgram, places: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of nodes; a question mark for anything that is not a node."""
    names = graph.node_names
    return tuple(names[at] if type(at) is int and 0 <= at < len(names) else "?" for at in places)
