"""Describe programs on the student's class: an expression, and what is called on its result."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.diagnosis.definition import LETTERS
from autograder.diagnosis.readings import RunFailure

from .engine_operations import OPERATIONS

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
class ExpressionStep:
    """One operation."""

    operation_name: str
    """A name in ``operations.OPERATIONS``."""
    operands: tuple[int, ...]
    """Which nodes: leaves come first, then the steps, in the order in which they are made."""
    number: int | float | None = None
    """The plain number among its operands, if there is one."""


@dataclass(frozen=True, slots=True)
class ExpressionProgram:
    """An expression, and what is called on its result."""

    leaves: tuple[float, ...]
    steps: tuple[ExpressionStep, ...]
    protocol: str = "backward"
    """A key of ``PROTOCOLS``."""

    @property
    def method_calls(self) -> tuple[tuple[str, int], ...]:
        """Return each method that is called, and the node that it is called on."""
        last = len(self.leaves) + len(self.steps) - 1
        return tuple((call.removesuffix(BEFORE), last - call.endswith(BEFORE)) for call in PROTOCOLS[self.protocol])

    @property
    def node_names(self) -> tuple[str, ...]:
        """Return a letter for every node."""
        return tuple(LETTERS[: len(self.leaves) + len(self.steps)])

    @property
    def is_exact(self) -> bool:
        """Return whether every number in the program can be compared to the bit."""
        return all(OPERATIONS[step.operation_name].is_exact for step in self.steps)

    def format_step(self, step: ExpressionStep) -> str:
        """Return one operation as a student writes it: ``a + b``."""
        names = [self.node_names[operand] for operand in step.operands]
        return OPERATIONS[step.operation_name].text.format(*names, n=step.number)

    def format_lines(self) -> tuple[str, ...]:
        """Return the whole program as a student writes it."""
        names = self.node_names
        leaves = [f"{name} = Value({number!r})" for name, number in zip(names, self.leaves, strict=False)]
        made = names[len(self.leaves) :]
        steps = [f"{name} = {self.format_step(step)}" for name, step in zip(made, self.steps, strict=True)]
        calls = [f"{names[node]}.{method}()" for method, node in self.method_calls]
        if self.protocol == LATE:
            return (*leaves, *steps[:-1], *calls, steps[-1])
        return (*leaves, *steps, *calls)

    def find_failing_line(self, failure: RunFailure) -> int:
        """Return the index of the line that went wrong; -1 when that showed only as nodes were read in the end."""
        if failure.phase in ("leaves", "read"):
            return 0 if failure.phase == "leaves" else -1
        first, late = len(self.leaves), self.protocol == LATE
        if failure.phase == "step":
            return first + failure.step + (late and failure.step == len(self.steps) - 1)
        return first + len(self.steps) + failure.step - late
