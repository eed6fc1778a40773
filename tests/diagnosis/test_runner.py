"""Programs that travel together give what they give one by one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from autograder.diagnosis import DiagnosisProgramFamily, trace_until_second_stop
from autograder.diagnosis.readings import ProgramReadings, RunFailure
from tests.course_modules import engine_module

ExpressionProgram: Any = engine_module("expression_program").ExpressionProgram
ExpressionStep: Any = engine_module("expression_program").ExpressionStep

if TYPE_CHECKING:
    from tests.diagnosis.conftest import Load, Loaded

ENGINES = {
    "right": [],
    "raises": [("        t = math.tanh(self.data)", "        t = math.tanh(self.date)")],
    "no node": [('        out = Value(t, (self,), "tanh")\n', "        return t\n")],
    "odd numbers": [("        self.grad = 1.0\n        for", "        self.grad = [1.0], float('nan')\n        for")],
    "no backward": [("    def backward(self)", "    backward = None\n\n    def behind(self)")],
    "counts": [("        self.data = data\n", "        self.data = data\n        self.grad = 0.0 * hash(self)\n")],
}


def some(family: DiagnosisProgramFamily) -> list[Any]:
    return [*family.draw_random_programs(), *itertools.islice(family.enumerate_small_programs(), 60)]


def one_by_one(loaded: Loaded, programs: Sequence[Any]) -> list[ProgramReadings]:
    return [loaded.run(program) for program in programs]


@pytest.mark.parametrize("edits", ENGINES.values(), ids=ENGINES.keys())
def test_programs_of_an_engine_together_or_one_by_one(an_engine: Load, edits: list[tuple[str, str]]) -> None:
    together, alone = an_engine(*edits), an_engine(*edits)
    programs = some(together.family)
    assert trace_until_second_stop(together.run, programs) == one_by_one(alone, programs)


@pytest.mark.parametrize(
    "edit",
    [
        ("    topo.reverse()\n", ""),
        ("    topo.reverse()\n    return topo\n", "    return reversed(topo)\n"),
        ("    topo.reverse()\n    return topo\n", "    return [0, *topo]\n"),
        ("    topo.reverse()\n    return topo\n", "    return None\n"),
    ],
)
def test_programs_of_a_sort_together_or_one_by_one(a_sort: Load, edit: tuple[str, str]) -> None:
    together, alone = a_sort(edit), a_sort(edit)
    programs = some(together.family)
    assert trace_until_second_stop(together.run, programs) == one_by_one(alone, programs)


def test_slow_programs_are_not_lost(an_engine: Load) -> None:
    slow = ("        t = math.tanh(self.data)", "        sum(range(1_000_000))\n        t = math.tanh(self.data)")
    programs = [ExpressionProgram((0.5, number), (ExpressionStep("tanh", (0,)),)) for number in (1.0, 2.0, 3.0, 4.0)]
    assert [trace.data[1] for trace in trace_until_second_stop(an_engine(slow).run, programs)] == [
        1.0,
        2.0,
        3.0,
        4.0,
    ]


def test_the_program_that_ends_its_process_is_found_among_those_sent_with_it(an_engine: Load) -> None:
    engine = an_engine(("        t = math.tanh(self.data)", "        import os; os._exit(3)"))
    bent, plain = (
        ExpressionProgram((0.5,), (ExpressionStep("tanh", (0,)),)),
        ExpressionProgram((3.0,), (ExpressionStep("add", (0, 0)),)),
    )
    traces = trace_until_second_stop(engine.run, [plain, bent, plain])
    assert [trace.failure for trace in traces] == [None, RunFailure("stopped", "step", 0, "ended"), None]
    assert traces[0] == traces[2]
