"""Write a program on the student's class as a request sequence, and read what its answer says."""

from __future__ import annotations

import functools
from typing import Any

from autograder.bridge import StudentProxy
from autograder.bridge.objects import StandIn, StandInMethod
from autograder.bridge.request_sequences import (
    PackedRequests,
    Reference,
    RequestSequenceBuilder,
    RequestSequenceResult,
    make_result_list_reference,
    make_result_reference,
)
from autograder.diagnosis.program_runner import trace_request_sequence
from autograder.diagnosis.readings import (
    NO_OBJECT,
    ProgramReadings,
    RunFailure,
    convert_to_reading,
    normalize_exception_message,
)

from .engine_operations import OPERATIONS
from .expression_program import LATE, ExpressionProgram, ExpressionStep

MOST_REMEMBERED = 4_096
"""Programs: every small one of an engine that has all operations, and fresh ones."""


@functools.lru_cache(maxsize=MOST_REMEMBERED)
def make_request_sequence(program: ExpressionProgram) -> PackedRequests:
    """Write a request sequence: make every node, call what is called, and read all nodes."""
    writer = RequestSequenceBuilder(("leaves", -1))
    kind = writer.add_request("get", "Value")
    nodes = writer.add_request_and_get_object_numbers(
        len(program.leaves), "make", make_result_reference(kind), program.leaves
    )
    for phase, number in _stages(program):
        writer.step_label = (phase, number)
        if phase == "step":
            nodes.append(_applied(writer, program.steps[number], nodes))
        else:
            writer.add_request(
                "call method", make_result_reference(nodes[program.method_calls[number][1]]), phase, (), {}
            )
    writer.step_label = ("read", -1)
    for name in ("data", "grad"):
        writer.add_readings_request(len(nodes), "getattrs", make_result_list_reference(nodes), name)
    return writer.build()


def parse_expression_trace(program: ExpressionProgram, result: RequestSequenceResult) -> ProgramReadings:
    """Return what was read after a program, or why it did not run to its end."""
    if result.failed_step is None:
        data, grad = result.readings
        return ProgramReadings(tuple(map(convert_to_reading, data)), tuple(map(convert_to_reading, grad)))
    phase, number = make_request_sequence(program).step_labels[result.failed_step]
    if result.exception_name:
        return ProgramReadings(
            failure=RunFailure(
                result.exception_name,
                phase,
                number,
                normalize_exception_message(result.exception_name, result.message),
            )
        )
    return ProgramReadings(failure=NO_OBJECT if phase == "leaves" else RunFailure("no node", phase, number))


def run_expression_program(student: StudentProxy, program: ExpressionProgram) -> ProgramReadings:
    """Run a program step by step; raise nothing of the student's.

    Raises:
        KitFault: the kit or the machine failed.
    """
    return trace_request_sequence(
        student, make_request_sequence(program), lambda ending: parse_expression_trace(program, ending)
    )


def _stages(program: ExpressionProgram) -> list[tuple[str, int]]:
    """Return what is done after the leaves are made: steps and calls, by number."""
    steps = [("step", number) for number in range(len(program.steps))]
    calls = [(method, number) for number, (method, _) in enumerate(program.method_calls)]
    return [*steps[:-1], *calls, steps[-1]] if program.protocol == LATE else [*steps, *calls]


def _applied(writer: RequestSequenceBuilder, step: ExpressionStep, nodes: list[int]) -> int:
    """Add the request that an operation makes on a student's objects, and return the number of its result."""
    asked = _RequestCatcher()
    arguments: list[Any] = [StandIn(asked, nodes[operand], "Value") for operand in step.operands]
    if step.number is not None:
        arguments.append(step.number)
    OPERATIONS[step.operation_name].apply_to_nodes(*arguments)
    return writer.add_request(*asked.request, required_kind="object")


class _RequestCatcher:
    """Notes the request of stand-ins for results instead of sending it."""

    def __init__(self) -> None:
        self.request: tuple[Any, ...] = ()

    def send_request(self, request: str, *arguments: Any) -> Any:
        """Note a request; return a method that is looked up, since it is called next."""
        if request == "getattr":
            return StandInMethod(self, *arguments)
        self.request = (request, *map(_referred, arguments))
        return None

    def record_remembered_lookup(self, name: str, found: str) -> None:
        """Do nothing: nothing is looked up."""


def _referred(argument: Any) -> Reference | Any:
    return make_result_reference(argument._number) if type(argument) is StandIn else argument
