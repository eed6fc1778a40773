"""Programs as they are written, made and run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from autograder.bridge import LocalStudentProxy
from autograder.course import Assignment
from autograder.diagnosis import DiagnosisProgramFamily, trace_until_second_stop
from autograder.diagnosis.readings import RunFailure, normalize_exception_message
from tests.course_modules import engine_module, programs_of

ExpressionProgram: Any = engine_module("expression_program").ExpressionProgram
ExpressionStep: Any = engine_module("expression_program").ExpressionStep
run_expression_program: Any = engine_module("expression_requests").run_expression_program

if TYPE_CHECKING:
    from tests.diagnosis.conftest import Load


@pytest.fixture(params=["engine", "sorting"])
def family(request: pytest.FixtureRequest) -> DiagnosisProgramFamily:
    return programs_of(request.getfixturevalue(request.param))


def test_a_program_reads_as_a_student_writes_it() -> None:
    steps = (ExpressionStep("mul", (0, 1)), ExpressionStep("number sub", (2,), 5), ExpressionStep("tanh", (3,)))
    assert ExpressionProgram((2.0, -3.0), steps, "backward, zero_grad").format_lines() == (
        "a = Value(2.0)",
        "b = Value(-3.0)",
        "c = a * b",
        "d = 5 - c",
        "e = d.tanh()",
        "e.backward()",
        "e.zero_grad()",
    )


def test_what_a_program_says_is_what_is_run(reference: LocalStudentProxy, engine: Assignment) -> None:
    family = programs_of(engine)
    for program in family.draw_random_programs():
        names = {"Value": reference.get("Value")}
        exec("\n".join(program.format_lines()), names)
        data = [names[name].data for name in program.node_names]
        grad = [names[name].grad for name in program.node_names]
        trace = run_expression_program(reference, program)
        assert (list(trace.data), list(trace.grad)) == (data, grad), program.format_lines()


def test_an_exception_is_noted_with_its_place(an_engine: Load) -> None:
    engine = an_engine(("        t = math.tanh(self.data)", "        t = math.tanh(self.date)"))
    trace = engine.run(ExpressionProgram((0.5,), (ExpressionStep("add", (0, 0)), ExpressionStep("tanh", (1,)))))
    assert trace.failure == RunFailure("AttributeError", "step", 1, "'Value' object has no attribute 'date'")


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("TypeError", "f.<locals>._backward() takes 0 positional arguments", "g.push() takes 0 positional arguments"),
        ("TypeError", "unsupported operand type(s) for +=: 'int' and 'NoneType'",
         "unsupported operand type(s) for +: 'float' and 'NoneType'"),
        ("NameError", "name 'topo' is not defined", "name 'order' is not defined"),
        ("RecursionError", "maximum recursion depth exceeded", "maximum recursion depth exceeded in comparison"),
        ("ValueError", "<Value object at 0x7f01> is not in list", "<Value object at 0x7f02> is not in list"),
    ],
)  # fmt: skip
def test_one_mistake_says_the_same_under_other_names(kind: str, one: str, other: str) -> None:
    assert normalize_exception_message(kind, one) == normalize_exception_message(kind, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("'NoneType' object is not iterable", "Value.backward() takes 0 positional arguments but 1 was given"),
        ("'NoneType' object is not iterable", "'method' object is not iterable"),
        ("unhashable type: 'Value'", "set.add() takes exactly one argument (2 given)"),
        ("unsupported operand type(s) for +: 'NoneType' and 'float'",
         "unsupported operand type(s) for *: 'NoneType' and 'float'"),
    ],
)  # fmt: skip
def test_two_mistakes_of_one_kind_do_not_say_the_same(one: str, other: str) -> None:
    assert normalize_exception_message("TypeError", one) != normalize_exception_message("TypeError", other)


def test_after_the_second_stop_nothing_more_is_run(an_engine: Load) -> None:
    engine = an_engine(("        t = math.tanh(self.data)", "        while True: t = 0.0"))
    bent, plain = (
        ExpressionProgram((0.5,), (ExpressionStep("tanh", (0,)),)),
        ExpressionProgram((3.0,), (ExpressionStep("add", (0, 0)),)),
    )
    assert [trace.failure for trace in trace_until_second_stop(engine.run, [bent, plain, bent, plain])] == [
        RunFailure("stopped", "step", 0),
        None,
        RunFailure("stopped", "step", 0),
    ]
