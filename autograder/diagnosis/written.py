"""Write a program on the student's class as a script, and read what its answer says."""

from __future__ import annotations

import functools
from typing import Any

from autograder.bridge import LocalStudent, Student
from autograder.bridge.endings import Ending
from autograder.bridge.scripts import Reference, Script, Writer, result, results
from autograder.bridge.standin import Method, StandIn
from autograder.diagnosis.expressions import LATE, Program, Step
from autograder.diagnosis.operations import OPERATIONS
from autograder.diagnosis.told import run_told
from autograder.diagnosis.trace import NO_OBJECT, Trace, Trouble, said_of, seen

MOST_REMEMBERED = 4_096
"""Programs: every small one of an engine that has all operations, and fresh ones."""


@functools.lru_cache(maxsize=MOST_REMEMBERED)
def script_of(program: Program) -> Script:
    """Write a script: make every node, call what is called, and read all nodes."""
    writer = Writer(("leaves", -1))
    kind = writer.add("get", "Value")
    nodes = writer.make(len(program.leaves), "make", result(kind), program.leaves)
    for phase, number in _stages(program):
        writer.place = (phase, number)
        if phase == "step":
            nodes.append(_applied(writer, program.steps[number], nodes))
        else:
            writer.add("call method", result(nodes[program.calls[number][1]]), phase, (), {})
    writer.place = ("read", -1)
    for name in ("data", "grad"):
        writer.read(len(nodes), "getattrs", results(nodes), name)
    return writer.script()


def trace_of(program: Program, ending: Ending) -> Trace:
    """Return what was read after a program, or why it did not run to its end."""
    if ending.step is None:
        data, grad = ending.readings
        return Trace(tuple(map(seen, data)), tuple(map(seen, grad)))
    phase, number = script_of(program).places[ending.step]
    if ending.raised:
        return Trace(trouble=Trouble(ending.raised, phase, number, said_of(ending.raised, ending.message)))
    return Trace(trouble=NO_OBJECT if phase == "leaves" else Trouble("no node", phase, number))


def run(student: Student | LocalStudent, program: Program) -> Trace:
    """Run a program step by step; raise nothing of the student's.

    Raises:
        KitFault: the kit or the machine failed.
    """
    return run_told(student, script_of(program), lambda ending: trace_of(program, ending))


def _stages(program: Program) -> list[tuple[str, int]]:
    """Return what is done after the leaves are made: steps and calls, by number."""
    steps = [("step", number) for number in range(len(program.steps))]
    calls = [(method, number) for number, (method, _) in enumerate(program.calls)]
    return [*steps[:-1], *calls, steps[-1]] if program.protocol == LATE else [*steps, *calls]


def _applied(writer: Writer, step: Step, nodes: list[int]) -> int:
    """Add the request that an operation makes on a student's objects, and return the number of its result."""
    asked = _Asked()
    arguments: list[Any] = [StandIn(asked, nodes[operand], "Value") for operand in step.operands]
    if step.number is not None:
        arguments.append(step.number)
    OPERATIONS[step.op].apply(*arguments)
    return writer.add(*asked.request, kind="object")


class _Asked:
    """Notes the request of stand-ins for results instead of sending it."""

    def __init__(self) -> None:
        self.request: tuple[Any, ...] = ()

    def ask(self, request: str, *arguments: Any) -> Any:
        """Note a request; return a method that is looked up, since it is called next."""
        if request == "getattr":
            return Method(self, *arguments)
        self.request = (request, *map(_referred, arguments))
        return None

    def recalled(self, name: str, found: str) -> None:
        """Do nothing: nothing is looked up."""


def _referred(argument: Any) -> Reference | Any:
    return result(argument._number) if type(argument) is StandIn else argument
