"""Compute what a program must give under each accepted convention, by a reverse mode of the kit's own."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from autograder.course.model import SecondBackward
from autograder.diagnosis.readings import NO_OBJECT, STUB, ProgramReadings, is_reading_equal

from .engine_operations import ONE_NODE, OPERATIONS
from .expression_program import ExpressionProgram

LARGEST = 1e5
"""Numbers beyond are no help to a reader, and products of them are not exact."""
MOST_REMEMBERED = 8_192
"""Programs, twice where there are two conventions."""
ACCUMULATING = ("backward twice", "second root", "inner root")


@dataclass(frozen=True, slots=True)
class ExpectedValues:
    """The right numbers of every node."""

    data: tuple[float, ...]
    grad: tuple[float | None, ...]
    """None where the contract leaves it open: nodes in between, after a second backward."""


class UnsuitableProgram(Exception):
    """A program with no single right answer, or with numbers that nobody wants to see."""


def compute_expected_values(
    program: ExpressionProgram, convention: SecondBackward = "interior kept"
) -> ExpectedValues:
    """Return what a right engine holds after a program.

    Raises:
        UnsuitableProgram: the program divides by zero, is at a kink, has numbers that are too large, or leaves open
            what is
            right: how an operation is built, or whether a leaf that is the result accumulates.
    """
    right = _expected(program, convention)
    if right is None:
        raise UnsuitableProgram
    return right


@functools.lru_cache(maxsize=MOST_REMEMBERED)
def _expected(program: ExpressionProgram, convention: SecondBackward) -> ExpectedValues | None:
    try:
        return _computed(program, convention)
    except UnsuitableProgram:
        return None


def _computed(program: ExpressionProgram, convention: SecondBackward) -> ExpectedValues:
    if program.protocol in ACCUMULATING and not (
        program.steps and all(s.operation_name in ONE_NODE for s in program.steps)
    ):
        raise UnsuitableProgram
    data, slopes = run_forward_pass(program)
    grads = [0.0] * len(data)
    backwards = 0
    for method, root in program.method_calls:
        below = _below(program, root)
        if method == "zero_grad":
            for node in below:
                grads[node] = 0.0
            backwards = 0
            continue
        backwards += 1
        if convention == "leaves accumulate":
            for node in below:
                if node >= len(program.leaves):
                    grads[node] = 0.0
        grads[root] = 1.0
        for node in sorted(below, reverse=True):
            if node >= len(program.leaves):
                step = program.steps[node - len(program.leaves)]
                for operand, slope in zip(step.operands, slopes[node], strict=True):
                    grads[operand] += slope * grads[node]
    if any(abs(grad) > LARGEST for grad in grads):
        raise UnsuitableProgram
    told = [None if backwards > 1 and node >= len(program.leaves) else grad for node, grad in enumerate(grads)]
    return ExpectedValues(tuple(data), tuple(told))


def find_wrong_nodes(
    program: ExpressionProgram, trace: ProgramReadings, right: ExpectedValues
) -> tuple[list[int], list[int]]:
    """Return the nodes with wrong data, and the nodes with wrong grad."""
    exact = program.is_exact
    data = [n for n, number in enumerate(right.data) if not is_reading_equal(trace.data[n], number, exact=exact)]
    grad = [
        n for n, g in enumerate(right.grad) if g is not None and not is_reading_equal(trace.grad[n], g, exact=exact)
    ]  # fmt: skip
    return data, grad


def is_trace_correct(
    program: ExpressionProgram, trace: ProgramReadings, conventions: tuple[SecondBackward, ...]
) -> bool:
    """Return whether a trace is what a right engine gives under any of the conventions.

    A method that is not written yet is not a wrong answer, and a program without a right answer has no wrong one. A
    Value that is itself a number is not a wrong answer either: it travels as a number, and cannot be looked at here.
    """
    if trace.failure is not None:
        return trace.failure.exception_name == STUB or trace.failure == NO_OBJECT
    try:
        return any(
            find_wrong_nodes(program, trace, compute_expected_values(program, one)) == ([], []) for one in conventions
        )
    except UnsuitableProgram:
        return True


def has_clear_right_answer(program: ExpressionProgram) -> bool:
    """Return whether there is one right answer, with numbers that a reader can follow."""
    try:
        compute_expected_values(program)
    except UnsuitableProgram:
        return False
    return True


def run_forward_pass(program: ExpressionProgram) -> tuple[list[float], dict[int, tuple[float, ...]]]:
    """Return the number of every node, and the local derivatives of every step, by its node.

    Raises:
        UnsuitableProgram: see ``compute_expected_values``.
    """
    data, slopes = list(program.leaves), {}
    try:
        for step in program.steps:
            arguments = [data[operand] for operand in step.operands]
            if step.number is not None:
                arguments.append(step.number)
            operation = OPERATIONS[step.operation_name]
            value = operation.evaluate_on_floats(arguments)
            slopes[len(data)] = operation.compute_local_derivatives(*arguments)
            if not abs(value) <= LARGEST:
                raise UnsuitableProgram
            data.append(value)
    except (ArithmeticError, ValueError, TypeError):
        raise UnsuitableProgram from None
    return data, slopes


def _below(program: ExpressionProgram, root: int) -> set[int]:
    found, waiting = set(), [root]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            if node >= len(program.leaves):
                waiting += program.steps[node - len(program.leaves)].operands
    return found
