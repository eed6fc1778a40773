"""Programs on the student's class: an expression, and what is called on its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograder.bridge import LocalStudent, StandIn, Student
from autograder.diagnosis.operations import OPERATIONS
from autograder.diagnosis.trace import NO_OBJECT, Trace, Trouble, seen, trouble_of
from autograder.faults import KitFault

LETTERS = "abcdefghijkmnopqrstuvwxyz"

PROTOCOLS: dict[str, tuple[str, ...]] = {
    "forward": (),
    "backward": ("backward",),
    "backward, zero_grad": ("backward", "zero_grad"),
    "backward twice": ("backward", "backward"),
    "backward, zero_grad, backward": ("backward", "zero_grad", "backward"),
    "backward, zero_grad, both again": ("backward", "zero_grad", "backward", "zero_grad"),
    "inner zero_grad": ("backward", "zero_grad of the one before"),
    "second root": ("backward of the one before", "backward"),
    "inner root": ("backward", "backward of the one before"),
    "one more operation": ("backward of the one before",),
}
"""What is called, from the simplest to the hardest to follow; on the last node, or on the one made just before it."""
LATE = "one more operation"
"""The last node is made only after the call."""
BEFORE = " of the one before"


@dataclass(frozen=True, slots=True)
class Step:
    """One operation."""

    op: str
    """A name in ``operations.OPERATIONS``."""
    operands: tuple[int, ...]
    """Which nodes: leaves come first, then the steps, in the order in which they are made."""
    number: float | None = None
    """The plain number among its operands, if there is one."""


@dataclass(frozen=True, slots=True)
class Program:
    """An expression, and what is called on its result."""

    leaves: tuple[float, ...]
    steps: tuple[Step, ...]
    protocol: str = "backward"
    """A key of ``PROTOCOLS``."""

    @property
    def calls(self) -> tuple[tuple[str, int], ...]:
        """Each method that is called, and on which node."""
        last = len(self.leaves) + len(self.steps) - 1
        return tuple((call.removesuffix(BEFORE), last - call.endswith(BEFORE)) for call in PROTOCOLS[self.protocol])

    @property
    def names(self) -> tuple[str, ...]:
        """A letter for every node."""
        return tuple(LETTERS[: len(self.leaves) + len(self.steps)])

    @property
    def exact(self) -> bool:
        """Whether every number in it can be asked for to the bit."""
        return all(OPERATIONS[step.op].exact for step in self.steps)

    def expression(self, step: Step) -> str:
        """One operation as a student writes it: ``a + b``."""
        names = [self.names[operand] for operand in step.operands]
        return OPERATIONS[step.op].text.format(*names, n=step.number)

    def lines(self) -> tuple[str, ...]:
        """The whole program as a student writes it."""
        names = self.names
        leaves = [f"{name} = Value({number!r})" for name, number in zip(names, self.leaves, strict=False)]
        made = names[len(self.leaves) :]
        steps = [f"{name} = {self.expression(step)}" for name, step in zip(made, self.steps, strict=True)]
        calls = [f"{names[node]}.{method}()" for method, node in self.calls]
        if self.protocol == LATE:
            return (*leaves, *steps[:-1], *calls, steps[-1])
        return (*leaves, *steps, *calls)

    def line_of(self, trouble: Trouble) -> int:
        """Which of the lines did not go well; -1 when it was only found out in the end."""
        if trouble.phase in ("leaves", "read"):
            return 0 if trouble.phase == "leaves" else -1
        first, late = len(self.leaves), self.protocol == LATE
        if trouble.phase == "step":
            return first + trouble.step + (late and trouble.step == len(self.steps) - 1)
        return first + len(self.steps) + trouble.step - late


def run(student: Student | LocalStudent, program: Program) -> Trace:
    """Run a program on the student's class and read every node.

    Whatever the student's code does is in the trace; nothing of it is raised.

    Raises:
        KitFault: the kit or the machine failed.
    """
    phase, number = "leaves", -1
    try:
        nodes = list(student.make(student.get("Value"), program.leaves))
        if not all(map(_is_object, nodes)):
            return Trace(trouble=NO_OBJECT)
        for phase, number in _stages(program):
            if phase != "step":
                getattr(nodes[program.calls[number][1]], phase)()
                continue
            nodes.append(_applied(program.steps[number], nodes))
            if not _is_object(nodes[-1]):
                return Trace(trouble=Trouble("no node", phase, number))
        phase, number = "read", -1
        data = tuple(map(seen, student.get_all(nodes, "data")))
        return Trace(data, tuple(map(seen, student.get_all(nodes, "grad"))))
    except KitFault:
        raise
    except Exception as error:
        return Trace(trouble=trouble_of(error, phase, number))


def _stages(program: Program) -> list[tuple[str, int]]:
    """What is done after the leaves are made: steps and calls, by number."""
    steps = [("step", number) for number in range(len(program.steps))]
    calls = [(method, number) for number, (method, _) in enumerate(program.calls)]
    return [*steps[:-1], *calls, steps[-1]] if program.protocol == LATE else [*steps, *calls]


def _is_object(value: Any) -> bool:
    """Whether it is something of the student's, and not plain data."""
    return isinstance(value, StandIn) or type(value).__module__ != "builtins"


def _applied(step: Step, nodes: list[Any]) -> Any:
    arguments = [nodes[operand] for operand in step.operands]
    if step.number is not None:
        arguments.append(step.number)
    return OPERATIONS[step.op].apply(*arguments)
