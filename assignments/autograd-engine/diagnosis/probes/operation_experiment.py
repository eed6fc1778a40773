"""Make operands and results of one operation for an experiment, and say where it was looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograder.bridge import StudentProxy
from autograder.diagnosis.part_experiment_log import PartExperimentLog

from ..engine_operations import ONE_NODE, OPERATIONS, StepKind

PAIRS = ((3.0, -2.0), (-4.0, 5.125), (0.5, 8.0), (-1.37531942, -0.71828183), (40.0, -300.0), (2.0, 2.0))
"""Equal numbers are among them, and a pair that does not survive rounding."""
ZEROS = ((0.0, 6.0), (6.0, 0.0))
EARLIER_GRADIENTS = (0.5, 0.25)
"""What the two operands have before an operation's ``_backward`` is called."""
SMALL = ((0.5, 0.0), (-1.25, 0.0), (2.0, 0.0), (-0.3, 0.0), (1.5, 0.0))


class OperationExperiment:
    """Operands and results of one operation, made on the submission's side."""

    def __init__(self, student: StudentProxy, name: str, number: float | None = None) -> None:
        self.student, self.name, self.number = student, name, number
        self.operation: StepKind = OPERATIONS[name]
        self.kind = student.get("Value")

    @property
    def source_text(self) -> str:
        """Return the operation as a student writes it."""
        return f"`{self.operation.text.format('a', 'b', n=self.number)}`"

    def list_operand_numbers(self) -> tuple[tuple[float, float], ...]:
        """Numbers for the operands."""
        if self.name in ("tanh", "exp"):
            return SMALL
        usual = [pair for pair in PAIRS if self.name != "pow" or abs(pair[0]) < 20]
        if self.name == "pow" and self.number != int(self.number or 0):
            usual = [(abs(x), y) for x, y in usual]
        zeros = ZEROS if self.name not in ("relu", "pow", "div", "number div") else ()
        return (*usual, *zeros)

    def make_operands(self, count: int, numbers: Sequence[float]) -> Sequence[Any]:
        """Make new leaves, ``count`` for each operation."""
        return self.student.make_all(self.kind, [*numbers][:count])

    def apply_operation(self, nodes: Sequence[Any]) -> Any:
        """Apply the operation."""
        return self.operation.apply_to_nodes(*nodes, *([] if self.number is None else [self.number]))

    def compute_expected_result(self, x: float, y: float) -> tuple[float, tuple[float, ...]]:
        """Compute the right number and local derivatives. Raises ArithmeticError or ValueError where none exists."""
        arguments = [x, y][: self.operation.operand_count] + ([] if self.number is None else [self.number])
        return self.operation.evaluate_on_floats(arguments), self.operation.compute_local_derivatives(*arguments)

    def call_backward_with_gradient(self, log: PartExperimentLog, out: Any, upstream: float) -> None:
        """Call the result's ``_backward``; for what may be built from several operations, those of all."""
        with log.mark_running_call(f"`_backward` of {self.source_text}"):
            if self.name in ONE_NODE:
                self.student.call_node_backward(out, upstream)
            else:
                self.student.propagate_gradient(out, upstream)


def call_backward_and_read(
    log: PartExperimentLog,
    experiment: OperationExperiment,
    what: str,
    out: Any,
    nodes: Sequence[Any],
    upstream_gradients: Sequence[float],
) -> list[Any]:
    """Give the operands ``EARLIER_GRADIENTS``, send some down, and read gradients and numbers of all."""
    student = experiment.student
    student.set_attributes((node, "grad", grad) for node, grad in zip(nodes, EARLIER_GRADIENTS, strict=False))
    for upstream in upstream_gradients:
        experiment.call_backward_with_gradient(log, out, upstream)
    got = [*student.get_attributes([*nodes, out], "grad"), *student.get_attributes(nodes, "data")]
    log.record_readings(what, *got)
    return got


def describe_operands(experiment: OperationExperiment, x: float, y: float) -> str:
    """Return the numbers of the operands, in words."""
    return f"at a = {x:g}, b = {y:g}" if experiment.operation.operand_count == 2 else f"at a = {x:g}"


def name_sides(where: Sequence[int], count: int) -> str:
    """Return which of the operands these are, in words."""
    if count == 1:
        return "its operand"
    return "its operands" if len(where) == count else ("its left operand", "its right operand")[where[0]]
