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
}
"""What is called, from the simplest to the hardest to follow; on the last node, or on the one made just before it."""
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
        return (*leaves, *steps, *(f"{names[node]}.{method}()" for method, node in self.calls))


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
        phase = "step"
        for number, step in enumerate(program.steps):
            node = _applied(step, nodes)
            if not _is_object(node):
                return Trace(trouble=Trouble("no node", phase, number))
            nodes.append(node)
        for number, (phase, node) in enumerate(program.calls):  # noqa: B007  (told when it raises)
            getattr(nodes[node], phase)()
        phase, number = "read", -1
        data = tuple(map(seen, student.get_all(nodes, "data")))
        return Trace(data, tuple(map(seen, student.get_all(nodes, "grad"))))
    except KitFault:
        raise
    except Exception as error:
        return Trace(trouble=trouble_of(error, phase, number))


def _is_object(value: Any) -> bool:
    """Whether it is something of the student's, and not plain data."""
    return isinstance(value, StandIn) or type(value).__module__ != "builtins"


def _applied(step: Step, nodes: list[Any]) -> Any:
    arguments = [nodes[operand] for operand in step.operands]
    if step.number is not None:
        arguments.append(step.number)
    return OPERATIONS[step.op].apply(*arguments)
