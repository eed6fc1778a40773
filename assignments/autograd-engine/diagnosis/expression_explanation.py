"""Tell the story of an expression that goes wrong: which numbers are wrong, and which is the first."""

from __future__ import annotations

from autograder.course.model import SecondBackward
from autograder.diagnosis import try_describe_wrong_path_sum
from autograder.diagnosis.model import (
    MARK,
    Counterexample,
    Node,
    format_alternatives,
    format_number,
    format_reading_table,
    mark_program_line,
)
from autograder.diagnosis.readings import ProgramReadings, RunFailure, describe_failure

from .expected_values import ExpectedValues, compute_expected_values, find_wrong_nodes
from .expression_program import ExpressionProgram
from .weighted_paths import map_paths_to_weights


def make_counterexample(
    program: ExpressionProgram, trace: ProgramReadings, conventions: tuple[SecondBackward, ...]
) -> Counterexample:
    """Return what a wrong trace shows.

    Args:
        program: the program that was run.
        trace: its trace, which is not right under any of the conventions.
        conventions: the accepted meanings of a second ``backward()``.
    """
    rights = [compute_expected_values(program, convention) for convention in conventions]
    if trace.failure is not None:
        return _error(program, trace.failure, rights)
    right = min(rights, key=lambda one: sum(map(len, find_wrong_nodes(program, trace, one))))
    data, grad = find_wrong_nodes(program, trace, right)
    nodes = _nodes(program, rights, trace, set(data), set(grad))
    first = data[0] if data else grad[-1]
    remark = "" if data else _remark(program, first, trace)
    rows = _data_rows(nodes) if data else _grad_rows(nodes)
    lines = [*program.format_lines(), "", *format_reading_table(rows), *(["", f"{remark}."] if remark else [])]
    return Counterexample(
        kind="forward" if data else "gradient",
        program=program.format_lines(),
        leaves=_leaves(program),
        nodes=nodes,
        first_wrong=program.node_names[first],
        remark=remark,
        text="\n".join(lines),
    )


def _error(program: ExpressionProgram, failure: RunFailure, rights: list[ExpectedValues]) -> Counterexample:
    first, line = len(program.leaves), program.find_failing_line(failure)
    what = "this gives no Value" if failure.exception_name == "no node" else f"this {describe_failure(failure)}"
    lines = mark_program_line(program.format_lines(), line, what)
    if line < 0:
        lines += ["", f"{MARK.strip()} reading data and grad {describe_failure(failure)}"]
    return Counterexample(
        kind="error",
        program=program.format_lines(),
        leaves=_leaves(program),
        nodes=_nodes(program, rights),
        first_wrong=program.node_names[first + failure.step] if failure.phase == "step" else "",
        error=failure.exception_name,
        error_line=line,
        text="\n".join(lines),
    )


def _leaves(program: ExpressionProgram) -> dict[str, float]:
    return dict(zip(program.node_names, program.leaves, strict=False))


def _nodes(
    program: ExpressionProgram,
    rights: list[ExpectedValues],
    trace: ProgramReadings | None = None,
    data: set[int] | None = None,
    grad: set[int] | None = None,
) -> tuple[Node, ...]:
    first, nodes = len(program.leaves), []
    for at, name in enumerate(program.node_names):
        step = program.steps[at - first] if at >= first else None
        accepted = [right.grad[at] for right in rights]
        nodes.append(
            Node(
                name=name,
                operation=program.format_step(step) if step else "",
                operands=tuple(program.node_names[operand] for operand in step.operands) if step else (),
                data=rights[0].data[at],
                data_got=trace.data[at] if trace else None,
                grad=tuple(dict.fromkeys(one for one in accepted if one is not None)),
                grad_got=trace.grad[at] if trace else None,
                data_wrong=at in (data or ()),
                grad_wrong=at in (grad or ()),
            )
        )
    return tuple(nodes)


def _data_rows(nodes: tuple[Node, ...]) -> list[tuple[str, str, str, bool]]:
    """Return a row for each number, in the order in which they are made."""
    return [
        (f"{n.name}.data", format_number(n.data, n.data_got), format_number(n.data_got, n.data), n.data_wrong)
        for n in nodes
    ]  # fmt: skip


def _grad_rows(nodes: tuple[Node, ...]) -> list[tuple[str, str, str, bool]]:
    """Return a row for each gradient, as they are passed on: from the last node to the first."""
    return [
        (
            f"{n.name}.grad",
            format_alternatives(n.grad, n.grad_got) or "left open",
            format_number(n.grad_got, *n.grad),
            n.grad_wrong,
        )
        for n in reversed(nodes)
    ]


def _remark(program: ExpressionProgram, node: int, trace: ProgramReadings) -> str:
    got = trace.grad[node]
    if program.protocol != "backward" or got is None or isinstance(got, str):
        return ""
    made_of = try_describe_wrong_path_sum(map_paths_to_weights(program, node), got)
    return f"{program.node_names[node]}.grad is {made_of}" if made_of else ""
