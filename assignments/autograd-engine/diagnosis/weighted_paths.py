"""List the paths down an expression, each with what it adds to a gradient."""

from __future__ import annotations

from .expected_values import run_forward_pass
from .expression_program import ExpressionProgram


def map_paths_to_weights(program: ExpressionProgram, node: int) -> dict[str, float]:
    """List every path from a program's result down to a node, such as ``d <- c <- a``, with its product of slopes."""
    _, slopes = run_forward_pass(program)
    first, names = len(program.leaves), program.node_names
    weights: dict[str, float] = {}

    def walk(at: int, weight: float, path: str) -> None:
        if at == node:
            weights[path] = weight
        if at >= first and at > node:
            operands = program.steps[at - first].operands
            for side, (operand, slope) in enumerate(zip(operands, slopes[at], strict=True)):
                which = ("", "")[side] if operands.count(operand) == 1 else (" (left)", " (right)")[side]
                walk(operand, weight * slope, f"{path} <- {names[operand]}{which}")

    last = first + len(program.steps) - 1
    walk(last, 1.0, names[last])
    return weights
