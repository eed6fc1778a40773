"""Programs that are made of an author's operations: how they read, how they are made, run and simplified."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from autograder.bridge import LocalStudentProxy
from autograder.course import Assignment
from autograder.diagnosis import (
    AssignmentDiagnosis,
    DiagnosisContext,
    DiagnosisProgramFamily,
    Node,
    Operation,
    make_call_diagnosis,
)
from autograder.diagnosis.call_programs.composing import CallProgram
from autograder.diagnosis.call_programs.running import (
    format_reading,
    iterate_value_tokens,
    run_steps_then_observe,
    split_trace_into_readings,
)
from autograder.diagnosis.readings import ProgramReadings
from tests.toy import load_toy

STACK = """
class Stack:
    def __init__(self):
        self.items = []
    def push(self, item):
        self.items.append(item)
    def pop(self):
        return self.items.pop()
    def __len__(self):
        return len(self.items)
    def copy(self):
        made = Stack()
        made.items = [*self.items]
        return made
"""
OPERATIONS = (
    Operation("Stack()", gives="Stack"),
    Operation("{Stack}.push({number})", gives=None),
    Operation("{Stack}.pop()"),
    Operation("len({Stack})"),
    Operation("{Stack}.copy()", gives="Stack"),
)
NAMES = frozenset({"Stack", "__init__", "push", "pop", "__len__", "copy"})


def student_of(source: str) -> LocalStudentProxy:
    names: dict[str, object] = {"__name__": "value"}
    exec(source, names)
    return LocalStudentProxy(names)


class InThisProcess:
    """The reference solution, run here."""

    implemented_names = NAMES

    def __init__(self, source: str = STACK) -> None:
        self._source = source

    def trace_program(self, programs: DiagnosisProgramFamily, program: Any) -> ProgramReadings:
        return programs.run_program(student_of(self._source), program)


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    return load_toy(tmp_path, defines="Stack")


def stacks() -> AssignmentDiagnosis:
    return make_call_diagnosis(OPERATIONS, values={"number": (2, 3, 5, -1)}, observe={"Stack": ["{}.items"]})


def family(assignment: Assignment, names: frozenset[str] = NAMES) -> Any:
    return stacks().make_programs(DiagnosisContext(assignment, names, InThisProcess()))


def codes(programs: Sequence[CallProgram]) -> list[str]:
    return ["; ".join(program.format_lines()) for program in programs]


def test_small_programs_come_in_order_and_each_works_on_what_is_there(assignment: Assignment) -> None:
    small = codes([*family(assignment).enumerate_small_programs()])
    assert small[:5] == [
        "a = Stack()",
        "a = Stack(); a.push(2)",
        "a = Stack(); b = a.pop()",
        "a = Stack(); b = len(a)",
        "a = Stack(); b = a.copy()",
    ]
    assert "a = Stack(); a.push(2); a.push(3)" in small, "numbers differ"
    assert "a = Stack(); b = a.copy(); b.push(2)" in small
    assert len(small) == len({*small})


def test_what_a_program_says_is_what_is_run(assignment: Assignment) -> None:
    programs = family(assignment)
    for program in programs.draw_random_programs():
        names: dict[str, Any] = {}
        exec(STACK, names)
        raised = ""
        try:
            exec("\n".join(program.format_lines()), names)
        except IndexError:
            raised = "IndexError"
        trace = programs.run_program(student_of(STACK), program)
        assert (trace.failure.exception_name if trace.failure else "") == raised
        if not raised:
            wanted = [
                format_reading(iterate_value_tokens(eval(code, names)))
                for code in program.list_observed_expressions()
            ]
            assert [*map(format_reading, split_trace_into_readings(trace))] == wanted


def test_an_operation_is_left_out_where_the_submission_has_not_written_it(assignment: Assignment) -> None:
    programs = family(assignment, NAMES - {"copy"})
    used = [*programs.enumerate_small_programs(), *programs.draw_random_programs()]
    assert not any(".copy()" in code for code in codes(used))
    assert all(map(programs.includes_program, used))
    assert not all(map(programs.includes_program, family(assignment).enumerate_small_programs()))


def test_a_wrong_program_is_told_with_what_was_expected_and_got(assignment: Assignment) -> None:
    programs = family(assignment)
    wrong = student_of(STACK.replace("self.items.append(item)", "self.items.insert(0, item)"))
    program = next(
        one for one in programs.enumerate_small_programs() if codes([one]) == ["a = Stack(); a.push(2); a.push(3)"]
    )
    story = programs.make_counterexample(program, programs.run_program(wrong, program))
    assert (story.kind, story.first_wrong, story.program) == ("value", "a.items", program.format_lines())
    assert story.text.splitlines()[-1] == "a.items    [2, 3]  [3, 2]   <-- it goes wrong here"


def test_a_program_with_a_graph_is_told_with_its_nodes(assignment: Assignment) -> None:
    def draw(program: CallProgram, expected: Mapping[str, Any], got: Mapping[str, Any]) -> list[Node]:
        return [
            Node(
                name=name,
                operation=code,
                operands=tuple(
                    program.step_result_names_or_empty[step] for step in sorted(program.get_used_step_indices(at))
                ),
                data=expected[f"{name}.size"],
                data_got=got.get(f"{name}.size"),
                data_wrong=expected[f"{name}.size"] != got.get(f"{name}.size"),
            )
            for at, (name, code) in enumerate(
                zip(program.step_result_names_or_empty, program.format_steps(), strict=True)
            )
        ]

    source = STACK.replace("    def push", "    size = property(lambda self: len(self.items))\n    def push", 1)
    sized = make_call_diagnosis(
        [OPERATIONS[0], OPERATIONS[4], Operation("{} = Stack()\n{}.push(7)", gives="Stack")],
        observe={"Stack": ["{}.size"]},
        draw_graph=draw,
    )
    programs = sized.make_programs(DiagnosisContext(assignment, NAMES, InThisProcess(source)))
    wrong = student_of(source.replace("[*self.items]", "[]"))
    found = next(
        programs.make_counterexample(one, trace)
        for one in programs.enumerate_small_programs()
        if not programs.is_trace_correct(one, trace := programs.run_program(wrong, one))
    )
    assert [(one.name, one.operands, one.data, one.data_got) for one in found.nodes] == [
        ("a", (), 1, 1),
        ("b", ("a",), 1, 0),
    ]
    assert found.first_wrong == "b"


def test_simpler_programs_have_fewer_operations_or_plainer_values_and_come_to_an_end(assignment: Assignment) -> None:
    programs = family(assignment)
    program = programs.draw_random_programs()[-1]
    chain = [program]
    while (simpler := next(iter(programs.enumerate_simpler_programs(chain[-1])), None)) is not None:
        chain.append(simpler)
        assert len(chain) < 50
    assert len(chain[-1].steps) == 1
    for simpler in programs.enumerate_simpler_programs(program):
        programs.run_program(student_of(STACK), simpler)
        assert simpler != program


def test_statements_may_give_something_and_one_label_is_one_thing() -> None:
    made = Operation("{} = Stack()\n{}.push({number:n})\n{}.push({number:n})", gives="Stack")
    (slot,) = made.placeholders
    assert made.fill_placeholders({slot: "7"}, "a") == "a = Stack()\na.push(7)\na.push(7)"
    assert len(Operation("{Stack} is {Stack}").placeholders) == 2


@pytest.mark.parametrize(
    ("code", "gives", "about"),
    [
        ("Stack()", "Stack", ("Stack", "__init__")),
        ("{Vector}.dot({Vector})", "", ("dot",)),
        ("{Vector} + {Vector}", "Vector", ("__add__",)),
        ("-{Vector}", "Vector", ("__neg__",)),
        ("len({Stack})", "", ("__len__",)),
        ("{Vector}[0] = 1", None, ("__setitem__",)),
        ("double({x})", "", ("double",)),
        ("{} = Net(2)\nfor p in zip({}.parts(), {x}):\n    p.x = 1", "Net", ("Net", "__init__", "parts")),
    ],
)
def test_what_an_operation_is_about_is_read_from_its_code(code: str, gives: str | None, about: Sequence[str]) -> None:
    assert Operation(code, gives=gives).about == tuple(about)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"operations": [Operation("{Stack}.pop()")]}, "{Stack} in '{Stack}.pop()' stands for nothing"),
        ({"operations": [Operation("{S}.copy()", gives="S")]}, "no operation makes a first 'S'"),
        ({"operations": OPERATIONS, "values": {"number": []}}, "`values` lists nothing for 'number'"),
        (
            {"operations": OPERATIONS, "values": {"number": [1]}, "observe": {"Stack": ["{}.items ="]}},
            "`observe` must hold expressions: '{}.items ='",
        ),
    ],
    ids=["an unknown placeholder", "a kind that cannot be made", "no values", "a wrong look"],
)
def test_what_does_not_fit_together_is_told(settings: Mapping[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        make_call_diagnosis(**settings)


def test_values_may_be_drawn_and_are_the_same_for_everyone(assignment: Assignment) -> None:
    def drawn() -> list[str]:
        made = make_call_diagnosis(OPERATIONS, values={"number": lambda pick: pick.randint(-99, 99)})
        programs = made.make_programs(DiagnosisContext(assignment, NAMES, InThisProcess()))
        random.random()
        return codes([*programs.enumerate_small_programs()])

    assert drawn() == drawn()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([1, 2.5, [True, None]], "[1, 2.5, [True, None]]"),
        ({"b": (1,), "a": {3}}, "{'a': {3}, 'b': (1,)}"),
        (float("nan"), "nan"),
        ("a\nb", r"'a\nb'"),
        (object(), "a object"),
        ([[[[[[1]]]]]], "[[[[a list]]]]"),
    ],
)
def test_a_reading_is_written_as_a_student_knows_it(value: Any, text: str) -> None:
    assert format_reading(iterate_value_tokens(value)) == text


def test_a_reading_is_bounded_whatever_a_student_gives() -> None:
    student = student_of("class Stack:\n    items = [['x' * 10_000] * 1_000] * 1_000\n")
    trace = run_steps_then_observe(student, ["a = Stack()"], ["a.items"])
    assert len(trace.data) <= 201
    assert max(len(str(part)) for part in trace.data) <= 200
