"""What a right engine gives, and when a trace is right."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from autograder.bridge import LocalStudentProxy
from autograder.course import Assignment
from autograder.course.model import SecondBackward
from autograder.diagnosis.readings import ProgramReadings, convert_to_reading
from tests.course_modules import engine_module, programs_of

PROTOCOLS: Any = engine_module("expression_program").PROTOCOLS
ExpressionProgram: Any = engine_module("expression_program").ExpressionProgram
ExpressionStep: Any = engine_module("expression_program").ExpressionStep
run_expression_program: Any = engine_module("expression_requests").run_expression_program
UnsuitableProgram: Any = engine_module("expected_values").UnsuitableProgram
compute_expected_values: Any = engine_module("expected_values").compute_expected_values
is_trace_correct: Any = engine_module("expected_values").is_trace_correct

BOTH: tuple[SecondBackward, ...] = ("interior kept", "leaves accumulate")

WORKED_EXAMPLE = ExpressionProgram(
    (2.0, 3.0, 1.0),
    (
        ExpressionStep("mul", (0, 1)),
        ExpressionStep("add", (3, 2)),
        ExpressionStep("add", (0, 1)),
        ExpressionStep("mul", (4, 5)),
    ),
)
"""``L = (a*b + c) * (a + b)``."""
SUM = ExpressionProgram((3.0,), (ExpressionStep("add", (0, 0)),))


def with_protocol(program: Any, protocol: str) -> Any:
    return replace(program, protocol=protocol)


@pytest.mark.parametrize(
    ("convention", "leaves"), [("interior kept", (81, 61, 15)), ("leaves accumulate", (44, 34, 10))]
)
def test_a_second_backward_has_two_accepted_answers(convention: SecondBackward, leaves: tuple[float, ...]) -> None:
    right = compute_expected_values(with_protocol(WORKED_EXAMPLE, "backward twice"), convention)
    assert right.grad == (*leaves, None, None, None, None), "nodes in between are left open"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_reference_is_right_in_every_protocol(protocol: str, reference: LocalStudentProxy) -> None:
    program = with_protocol(WORKED_EXAMPLE, protocol)
    trace = run_expression_program(reference, program)
    assert trace.failure is None
    assert is_trace_correct(program, trace, BOTH)
    assert not is_trace_correct(program, replace(trace, grad=(*trace.grad[:-7], 99, *trace.grad[1:])), BOTH)


def test_leaves_of_two_conventions_at_once_are_wrong() -> None:
    program = with_protocol(WORKED_EXAMPLE, "backward twice")
    mixed = ProgramReadings(compute_expected_values(program).data, (81, 61, 10, 0, 0, 0, 0))
    assert not is_trace_correct(program, mixed, BOTH)


def test_only_what_the_course_accepts_is_right() -> None:
    program = with_protocol(WORKED_EXAMPLE, "backward twice")
    trace = ProgramReadings(compute_expected_values(program).data, (44, 34, 10, 0, 0, 0, 0))
    assert is_trace_correct(program, trace, ("leaves accumulate",))
    assert not is_trace_correct(program, trace, ("interior kept",))


@pytest.mark.parametrize("odd", [math.nan, math.inf, True, None, "2.0", [2.0], object()])
def test_what_is_no_finite_number_equals_none(odd: object) -> None:
    assert not is_trace_correct(SUM, ProgramReadings((3.0, 6.0), (convert_to_reading(odd), 1.0)), BOTH)


def test_tanh_may_differ_in_the_last_digits_and_a_sum_may_not() -> None:
    nearly = 1 + 1e-12
    bent = ExpressionProgram((0.5,), (ExpressionStep("tanh", (0,)),))
    t = math.tanh(0.5)
    assert is_trace_correct(bent, ProgramReadings((0.5, t * nearly), ((1 - t * t) * nearly, 1.0)), BOTH)
    assert not is_trace_correct(SUM, ProgramReadings((3.0, 6.0 * nearly), (2.0, 1.0)), BOTH)


@pytest.mark.parametrize(
    "program",
    [
        ExpressionProgram((0.0,), (ExpressionStep("relu", (0,)),)),
        ExpressionProgram((3.0,), (ExpressionStep("sub", (0, 0)), ExpressionStep("div", (0, 1)))),
        ExpressionProgram((5.0,), (ExpressionStep("tanh", (0,)),)),
        ExpressionProgram((3.0,), (ExpressionStep("number sub", (0,), 3),), "backward twice"),
        ExpressionProgram((3.0,), (), "backward twice"),
    ],
    ids=[
        "a kink",
        "a division by zero",
        "a flat tanh",
        "an operation that may be several nodes, twice",
        "a leaf, twice",
    ],
)
def test_what_has_no_single_right_answer_is_left_out(program: Any) -> None:
    with pytest.raises(UnsuitableProgram):
        compute_expected_values(program)


def test_small_and_fresh_programs_are_right_for_the_reference(
    engine: Assignment, reference: LocalStudentProxy
) -> None:
    family = programs_of(engine)
    programs = [*family.enumerate_small_programs(), *family.draw_random_programs()]
    wrong = [
        program.format_lines()
        for program in programs
        if not family.is_trace_correct(program, family.run_program(reference, program))
    ]
    assert not wrong
