"""Programs as they are written, made and run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.bridge import LocalStudent
from autograder.course import Assignment
from autograder.diagnosis import Subject, same, subject_of, trace_all
from autograder.diagnosis.expressions import PROTOCOLS, Program, Step
from autograder.diagnosis.graphs import CALLS
from autograder.diagnosis.trace import Trouble, said_of
from autograder.diagnosis.written import run

if TYPE_CHECKING:
    from tests.diagnosis.conftest import Load

OVERWRITES = (
    "            self.grad += out.grad\n            other.grad += out.grad\n",
    "            self.grad = out.grad\n            other.grad = out.grad\n",
)


@pytest.fixture(params=["engine", "sorting"])
def subject(request: pytest.FixtureRequest) -> Subject:
    found = subject_of(request.getfixturevalue(request.param))
    assert found is not None
    return found


def test_a_program_reads_as_a_student_writes_it() -> None:
    steps = (Step("mul", (0, 1)), Step("number sub", (2,), 5), Step("tanh", (3,)))
    assert Program((2.0, -3.0), steps, "backward, zero_grad").lines() == (
        "a = Value(2.0)",
        "b = Value(-3.0)",
        "c = a * b",
        "d = 5 - c",
        "e = d.tanh()",
        "e.backward()",
        "e.zero_grad()",
    )


def test_what_a_program_says_is_what_is_run(reference: LocalStudent, engine: Assignment) -> None:
    subject = subject_of(engine)
    assert subject is not None
    for program in subject.fresh(seed=7):
        names = {"Value": reference.get("Value")}
        exec("\n".join(program.lines()), names)
        data = [names[name].data for name in program.names]
        grad = [names[name].grad for name in program.names]
        trace = run(reference, program)
        assert (list(trace.data), list(trace.grad)) == (data, grad), program.lines()


def test_fresh_programs_are_many_varied_and_always_the_same(subject: Subject) -> None:
    programs = subject.fresh(seed=3)
    assert programs == subject.fresh(seed=3)
    assert programs != subject.fresh(seed=4)
    assert len(set(programs)) >= 25


def test_fresh_programs_go_over_all_protocols(engine: Assignment, sorting: Assignment) -> None:
    expressions, orders = subject_of(engine), subject_of(sorting)
    assert expressions is not None
    assert orders is not None
    assert {program.protocol for program in expressions.fresh()} == set(PROTOCOLS)
    assert {graph.call for graph in orders.fresh()} == set(CALLS)
    assert all(3 <= len(program.steps) <= 8 for program in expressions.fresh())


def test_programs_use_only_what_is_there(engine: Assignment) -> None:
    subject = subject_of(engine, {"__init__", "__add__", "backward"})
    assert subject is not None
    programs = [*subject.small(), *subject.fresh()]
    assert {step.op for program in programs for step in program.steps} == {"add", "add number"}
    assert {method for program in programs for method, _ in program.calls} == {"backward"}


def test_programs_need_no_backward(engine: Assignment) -> None:
    subject = subject_of(engine, {"__mul__"})
    assert subject is not None
    assert {program.protocol for program in subject.small()} == {"forward"}
    assert len(subject.fresh()) >= 25


def test_small_programs_come_in_order_of_size(engine: Assignment) -> None:
    subject = subject_of(engine)
    assert subject is not None
    plain = [len(p.steps) for p in subject.small() if p.protocol == "backward" and p.leaves[0] == 3.0]
    core = plain[: plain.index(3)]
    assert core == sorted(core)


def test_in_the_process_and_here_the_same_is_seen(an_engine: Load, reference: LocalStudent) -> None:
    there = an_engine()
    programs = there.subject.fresh()
    here = [there.subject.run(reference, program) for program in programs]
    assert all(map(same, trace_all(there.run, programs), here))


def test_two_engines_with_one_bug_are_seen_to_be_alike(an_engine: Load) -> None:
    one, other = (
        an_engine(OVERWRITES),
        an_engine(OVERWRITES, ("        t = math.tanh", "        t = 0.0 + math.tanh")),
    )
    right = an_engine()
    programs = one.subject.fresh()
    traces = trace_all(one.run, programs)
    assert all(map(same, traces, trace_all(other.run, programs)))
    assert not all(map(same, traces, trace_all(right.run, programs)))


def test_an_exception_is_noted_with_its_place(an_engine: Load) -> None:
    engine = an_engine(("        t = math.tanh(self.data)", "        t = math.tanh(self.date)"))
    trace = engine.run(Program((0.5,), (Step("add", (0, 0)), Step("tanh", (1,)))))
    assert trace.trouble == Trouble("AttributeError", "step", 1, "'Value' object has no attribute 'date'")


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
    assert said_of(kind, one) == said_of(kind, other)


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
    assert said_of("TypeError", one) != said_of("TypeError", other)


def test_a_plain_number_is_no_node(an_engine: Load) -> None:
    engine = an_engine(('        out = Value(t, (self,), "tanh")\n', "        return t\n"))
    assert engine.run(Program((0.5,), (Step("tanh", (0,)),))).trouble == Trouble("no node", "step", 0)


def test_a_stub_is_no_wrong_answer(an_engine: Load) -> None:
    engine = an_engine(("        t = math.tanh(self.data)", "        raise NotImplementedError"))
    program = Program((0.5,), (Step("tanh", (0,)),))
    assert engine.subject.is_right(program, engine.run(program))


def test_after_the_second_stop_nothing_more_is_run(an_engine: Load) -> None:
    engine = an_engine(("        t = math.tanh(self.data)", "        while True: t = 0.0"))
    bent, plain = Program((0.5,), (Step("tanh", (0,)),)), Program((3.0,), (Step("add", (0, 0)),))
    assert [trace.trouble for trace in trace_all(engine.run, [bent, plain, bent, plain])] == [
        Trouble("stopped", "step", 0),
        None,
        Trouble("stopped", "step", 0),
    ]
