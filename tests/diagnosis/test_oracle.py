"""What a right engine gives, and when a trace is right."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from autograder.bridge import LocalStudent
from autograder.course import Assignment
from autograder.course.model import SecondBackward
from autograder.diagnosis import same, subject_of
from autograder.diagnosis.expressions import PROTOCOLS, Program, Step
from autograder.diagnosis.oracle import Unfit, expected, is_right
from autograder.diagnosis.trace import Trace, seen
from autograder.diagnosis.written import run

BOTH: tuple[SecondBackward, ...] = ("interior kept", "leaves accumulate")

WORKED_EXAMPLE = Program(
    (2.0, 3.0, 1.0),
    (Step("mul", (0, 1)), Step("add", (3, 2)), Step("add", (0, 1)), Step("mul", (4, 5))),
)
"""``L = (a*b + c) * (a + b)``."""
SUM = Program((3.0,), (Step("add", (0, 0)),))


def with_protocol(program: Program, protocol: str) -> Program:
    return replace(program, protocol=protocol)


def test_one_backward_gives_every_node_its_gradient() -> None:
    right = expected(WORKED_EXAMPLE)
    assert [*right.data] == [2, 3, 1, 6, 7, 5, 35]
    assert [*right.grad] == [22, 17, 5, 5, 5, 7, 1]


@pytest.mark.parametrize(
    ("convention", "leaves"), [("interior kept", (81, 61, 15)), ("leaves accumulate", (44, 34, 10))]
)
def test_a_second_backward_has_two_accepted_answers(convention: SecondBackward, leaves: tuple[float, ...]) -> None:
    right = expected(with_protocol(WORKED_EXAMPLE, "backward twice"), convention)
    assert right.grad == (*leaves, None, None, None, None), "nodes in between are left open"


def test_zero_grad_leaves_what_lies_above_alone() -> None:
    right = expected(with_protocol(WORKED_EXAMPLE, "inner zero_grad"))
    assert right.grad == (0, 0, 5, 5, 5, 0, 1)


def test_zero_grad_in_between_starts_afresh() -> None:
    again = expected(with_protocol(WORKED_EXAMPLE, "backward, zero_grad, backward"))
    assert again == expected(WORKED_EXAMPLE)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_reference_is_right_in_every_protocol(protocol: str, reference: LocalStudent) -> None:
    program = with_protocol(WORKED_EXAMPLE, protocol)
    trace = run(reference, program)
    assert trace.trouble is None
    assert is_right(program, trace, BOTH)
    assert not is_right(program, replace(trace, grad=(*trace.grad[:-7], 99, *trace.grad[1:])), BOTH)


def test_leaves_of_two_conventions_at_once_are_wrong() -> None:
    program = with_protocol(WORKED_EXAMPLE, "backward twice")
    mixed = Trace(expected(program).data, (81, 61, 10, 0, 0, 0, 0))
    assert not is_right(program, mixed, BOTH)


def test_only_what_the_course_accepts_is_right() -> None:
    program = with_protocol(WORKED_EXAMPLE, "backward twice")
    trace = Trace(expected(program).data, (44, 34, 10, 0, 0, 0, 0))
    assert is_right(program, trace, ("leaves accumulate",))
    assert not is_right(program, trace, ("interior kept",))


def test_an_int_is_as_good_as_a_float() -> None:
    assert is_right(SUM, Trace((3, 6), (2, 1)), BOTH)


@pytest.mark.parametrize("odd", [math.nan, math.inf, True, None, "2.0", [2.0], object()])
def test_what_is_no_finite_number_equals_none(odd: object) -> None:
    assert not is_right(SUM, Trace((3.0, 6.0), (seen(odd), 1.0)), BOTH)


def test_two_traces_of_the_same_oddity_are_the_same() -> None:
    assert same(Trace(data=(seen(math.nan),)), Trace(data=(seen(math.nan),)))
    assert not same(Trace(data=(seen(math.nan),)), Trace(data=(seen(None),)))


def test_tanh_may_differ_in_the_last_digits_and_a_sum_may_not() -> None:
    nearly = 1 + 1e-12
    bent = Program((0.5,), (Step("tanh", (0,)),))
    t = math.tanh(0.5)
    assert is_right(bent, Trace((0.5, t * nearly), ((1 - t * t) * nearly, 1.0)), BOTH)
    assert not is_right(SUM, Trace((3.0, 6.0 * nearly), (2.0, 1.0)), BOTH)


@pytest.mark.parametrize(
    "program",
    [
        Program((0.0,), (Step("relu", (0,)),)),
        Program((3.0,), (Step("sub", (0, 0)), Step("div", (0, 1)))),
        Program((5.0,), (Step("tanh", (0,)),)),
        Program((3.0,), (Step("number sub", (0,), 3),), "backward twice"),
        Program((3.0,), (), "backward twice"),
    ],
    ids=[
        "a kink",
        "a division by zero",
        "a flat tanh",
        "an operation that may be several nodes, twice",
        "a leaf, twice",
    ],
)
def test_what_has_no_single_right_answer_is_left_out(program: Program) -> None:
    with pytest.raises(Unfit):
        expected(program)


def test_small_and_fresh_programs_are_right_for_the_reference(engine: Assignment, reference: LocalStudent) -> None:
    subject = subject_of(engine)
    assert subject is not None
    programs = [*subject.small(), *subject.fresh()]
    wrong = [
        program.lines() for program in programs if not subject.is_right(program, subject.run(reference, program))
    ]
    assert not wrong
