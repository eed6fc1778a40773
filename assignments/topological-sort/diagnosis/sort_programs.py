"""Make, run and check the programs of a sort: graphs wired by hand, and what is called on them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from autograder.bridge import StudentProxy
from autograder.bridge.request_sequences import PackedRequests, RequestSequenceResult
from autograder.diagnosis.definition import COMPARED
from autograder.diagnosis.model import MARK, Counterexample, Node, mark_program_line
from autograder.diagnosis.program_runner import trace_request_sequence
from autograder.diagnosis.readings import STUB, ProgramReadings, RunFailure, describe_failure

from .graph_program import (
    CALLS,
    CONTAINERS,
    GraphCall,
    SortCallProgram,
    enumerate_small_graphs,
    find_order_problem,
)
from .graph_requests import make_request_sequence, parse_graph_trace


class SortProgramFamily:
    """See ``DiagnosisProgramFamily``.

    Attributes:
        calls: what may be called, the simplest first.
    """

    def __init__(self, has: frozenset[str]) -> None:
        """Call what is there: ``has`` names functions."""
        self.calls = tuple(name for name, call in CALLS.items() if call.function in has)

    def enumerate_small_programs(self) -> Iterator[SortCallProgram]:
        """See ``DiagnosisProgramFamily``."""
        for size in (1, 2, 3, 4):
            for operands in enumerate_small_graphs(size):
                for call in self.calls:
                    if size < 4 or CALLS[call] == GraphCall(CALLS[call].function):
                        yield SortCallProgram(operands, call)
        for operands in enumerate_small_graphs(3):
            for call in self.calls:
                yield from (SortCallProgram(operands, call, container) for container in CONTAINERS[1:])

    def enumerate_state_leak_programs(self) -> Iterator[SortCallProgram]:
        """See ``DiagnosisProgramFamily``."""
        for operands in (((), ()), ((), (0,), (1,))):
            yield from (SortCallProgram(operands, call) for call in self.calls if CALLS[call].second)

    def enumerate_simpler_programs(self, graph: SortCallProgram) -> Iterator[SortCallProgram]:
        """See ``DiagnosisProgramFamily``: fewer nodes, fewer operands, a simpler call, a tuple."""
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

    def draw_random_programs(self, count: int = COMPARED) -> tuple[SortCallProgram, ...]:
        """See ``DiagnosisProgramFamily``: graphs of 4 to 9 nodes, over all calls and containers."""
        pick = random.Random(0)
        found = []
        for number in range(count if self.calls else 0):
            operands: list[tuple[int, ...]] = [()]
            for size in range(1, pick.randint(4, 9)):
                last = (size - 1,) if pick.random() < 0.7 else ()  # mostly in one piece
                operands.append((*pick.choices(range(size), k=pick.randint(0, 2)), *last)[:: pick.choice((1, -1))])
            # No sets here: their order is the interpreter's, and two runs may differ.
            found.append(
                SortCallProgram(tuple(operands), self.calls[number % len(self.calls)], CONTAINERS[number % 2])
            )
        return tuple(found)

    def make_programs_of_same_shape(self, graph: SortCallProgram) -> tuple[SortCallProgram, ...]:
        """See ``DiagnosisProgramFamily``: in another container."""
        return tuple(replace(graph, container=container) for container in CONTAINERS[:2])

    def includes_program(self, graph: SortCallProgram) -> bool:
        """See ``DiagnosisProgramFamily``."""
        return graph.call in self.calls

    def run_program(self, student: StudentProxy, graph: SortCallProgram) -> ProgramReadings:
        """See ``DiagnosisProgramFamily``. The trace's ``order`` is the list, its ``data`` what is in ``visited``."""
        return trace_request_sequence(
            student, make_request_sequence(graph), lambda ending: parse_graph_trace(graph, ending)
        )

    def make_request_sequence(self, graph: SortCallProgram) -> PackedRequests:
        """See ``DiagnosisProgramFamily``."""
        return make_request_sequence(graph)

    def parse_trace(self, graph: SortCallProgram, result: RequestSequenceResult) -> ProgramReadings:
        """See ``DiagnosisProgramFamily``."""
        return parse_graph_trace(graph, result)

    def is_trace_correct(self, graph: SortCallProgram, trace: ProgramReadings) -> bool:
        """See ``DiagnosisProgramFamily``."""
        if trace.failure is not None:
            return trace.failure.exception_name == STUB
        return find_order_problem(graph, trace) is None

    def make_counterexample(self, graph: SortCallProgram, trace: ProgramReadings) -> Counterexample:
        """See ``DiagnosisProgramFamily``."""
        lines = graph.format_lines()
        nodes = tuple(
            Node(name=name, operands=tuple(graph.node_names[operand] for operand in below))
            for name, below in zip(graph.node_names, graph.operands, strict=True)
        )
        if trace.failure is not None:
            return _error(graph, trace.failure, nodes)
        remark, first = find_order_problem(graph, trace) or ("", "")
        return Counterexample(
            kind="order",
            program=lines,
            nodes=nodes,
            first_wrong=first,
            order=trace.order,
            remark=remark,
            text="\n".join((*lines, "", f"order is [{', '.join(trace.order)}]{MARK}{remark}")),
        )


def _error(graph: SortCallProgram, failure: RunFailure, nodes: tuple[Node, ...]) -> Counterexample:
    calls = graph.format_calls()[: failure.step + 1]
    line = len(graph.operands) + sum(map(len, calls)) - 1
    what = "this gives no list" if failure.exception_name == "no list" else f"this {describe_failure(failure)}"
    return Counterexample(
        kind="error",
        program=graph.format_lines(),
        nodes=nodes,
        error=failure.exception_name,
        error_line=line,
        text="\n".join(mark_program_line(graph.format_lines(), line, what)),
    )
