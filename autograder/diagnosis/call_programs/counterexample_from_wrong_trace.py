"""Make a counterexample from the wrong trace of a program.

It tells the values expected and got, or the line that raised an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from autograder.diagnosis.call_programs.call_program import CallProgram
from autograder.diagnosis.call_programs.step_tracing import format_reading, split_trace_into_readings
from autograder.diagnosis.counterexample_model import (
    Counterexample,
    Node,
    format_reading_pair,
    format_reading_table,
    mark_program_line,
)
from autograder.diagnosis.program_readings import (
    ProgramReadings,
    RunFailure,
    Seen,
    are_all_readings_close,
    describe_failure,
)

Readings = Mapping[str, Seen]
"""What was read, by the expression: a number, or the text of anything else."""
DrawGraph = Callable[[CallProgram, Readings, Readings], Sequence[Node]]
"""Given a program, what was expected and what was got; returns the nodes of its graph, in the order of making."""


def make_counterexample(
    program: CallProgram, trace: ProgramReadings, right_trace: ProgramReadings, draw_graph: DrawGraph | None = None
) -> Counterexample:
    """Return what a wrong trace shows.

    Args:
        program: the program that was run.
        trace: its trace.
        right_trace: what the reference solution gives.
        draw_graph: makes the nodes of the program's graph, where it has one.
    """
    expected, got = _readings(program, right_trace), _readings(program, trace)
    nodes = tuple(draw_graph(program, expected, got)) if draw_graph else ()
    if trace.failure is not None:
        return _explain_error(program, trace.failure, nodes)
    lines = program.format_lines()
    if right_trace.failure is not None:
        line = _last_line(program, right_trace.failure.step)
        remark = f"this should raise {right_trace.failure.exception_name}"
        text = "\n".join(mark_program_line(lines, line, remark))
        return Counterexample(kind="value", program=lines, nodes=nodes, remark=remark, text=text)
    rows, first = [], ""
    for name, wanted, given in zip(
        program.list_observed_expressions(),
        split_trace_into_readings(right_trace),
        split_trace_into_readings(trace),
        strict=False,
    ):
        wrong = not are_all_readings_close(wanted, given)
        first = first or (name if wrong else "")
        rows.append((name, *format_reading_pair(wanted, given), wrong))
    return Counterexample(
        kind="value",
        program=lines,
        nodes=nodes,
        first_wrong=next((node.name for node in nodes if node.data_wrong or node.grad_wrong), first),
        text="\n".join((*lines, "", *format_reading_table(rows))),
    )


def _explain_error(program: CallProgram, failure: RunFailure, nodes: tuple[Node, ...]) -> Counterexample:
    lines, line = program.format_lines(), _last_line(program, failure.step)
    text = "\n".join(mark_program_line(lines, line, f"this {describe_failure(failure)}"))
    return Counterexample(
        kind="error",
        program=lines,
        nodes=nodes,
        error=failure.exception_name,
        error_line=line,
        text=text,
    )


def _last_line(program: CallProgram, step: int) -> int:
    """Return the index of the last line of a step; of the program, where the step is not known."""
    steps = program.format_steps()
    return sum(len(code.split("\n")) for code in steps[: step + 1 if step >= 0 else len(steps)]) - 1


def _readings(program: CallProgram, trace: ProgramReadings) -> dict[str, Seen]:
    found: dict[str, Seen] = {}
    for name, parts in zip(program.list_observed_expressions(), split_trace_into_readings(trace), strict=False):
        found[name] = parts[0] if len(parts) == 1 else format_reading(parts)
    return found
