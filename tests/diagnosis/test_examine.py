"""The parts of a submission are looked at one by one, in a sandboxed process, and the first cause counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from autograder.bridge import Bridge, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment
from autograder.diagnosis.diagnosis_resources import make_experiment_limits
from autograder.diagnosis.part_examination import (
    LEFTOVERS,
    ExaminationTimeout,
    PartResults,
    examine_parts,
    select_wrong_parts,
)
from autograder.diagnosis.part_experiment_log import ENDLESS
from tests.course_modules import parts_of
from tests.diagnosis.conftest import edited

Look = Callable[..., dict[str, list[str]]]
Examine = Callable[..., PartResults]
SUM = "            self.grad += out.grad\n            other.grad += out.grad\n"
SEED = "        self.grad = 1.0\n        for node"


@pytest.fixture
def examine(engine: Assignment, processes: ProcessPool) -> Iterator[Examine]:
    """``examine((old, new), ...)``: the wrong parts of the edited reference engine, with their findings."""
    bridges: list[Bridge] = []

    def examined(*edits: tuple[str, str], parts: frozenset[str] = frozenset()) -> PartResults:
        program = SubmissionProgram((("value.py", edited(engine.solution_file, *edits)),), engine.defines)
        bridges.append(Bridge(program, processes, make_experiment_limits(engine.limits)))
        loaded = bridges[-1].load_without_fatal_code()
        has = {name for name, kind in loaded.kind_by_name.items() if kind}.union(*loaded.attributes_by_class.values())
        chosen = tuple(part for part in parts_of(engine, has) if not parts or part.name in parts)
        results = examine_parts(chosen, bridges[-1])
        assert set(results) <= {part.name for part in chosen}
        return select_wrong_parts(results)

    yield examined
    for bridge in bridges:
        bridge.end_process()


@pytest.fixture
def look(examine: Examine) -> Look:
    """``look((old, new), ...)``: the ids of what is wrong with each part of the edited reference engine."""

    def found(*edits: tuple[str, str], parts: frozenset[str] = frozenset()) -> dict[str, list[str]]:
        return {
            name: [one.finding_id for one in result.findings] for name, result in examine(*edits, parts=parts).items()
        }

    return found


def test_nothing_is_wrong_with_the_reference(look: Look) -> None:
    assert look() == {}


def test_two_mistakes_are_two_wrong_parts_and_what_follows_is_not_looked_at(look: Look) -> None:
    found = look((SUM, SUM.replace("+=", "=")), (SEED, "        for node"))
    assert found == {"add local": ["replaces"], "backward": ["seed-is-missing"]}


def test_a_bonus_is_looked_at_only_where_the_core_is_right(look: Look) -> None:
    power = ("self.grad += exponent * self.data", "self.grad = exponent * self.data")
    assert look(power) == {"pow local": ["replaces"]}
    assert look(power, (SUM, SUM.replace("+=", "="))) == {"add local": ["replaces"]}


def test_what_is_not_written_yet_is_not_wrong(look: Look) -> None:
    stub = "        raise NotImplementedError\n        t = math.tanh(self.data)\n"
    assert "tanh forward" not in look(("        t = math.tanh(self.data)\n", stub))


def test_what_does_not_end_is_told_and_what_builds_on_it_is_not_looked_at(look: Look) -> None:
    found = look(
        (SEED, "        while True:\n            pass\n        for node"), parts=frozenset(("backward", "again"))
    )
    assert found == {"backward": [ENDLESS]}


LOOP, EXIT, PRINTS = "while True: pass", "__import__('os')._exit(3)", "print('x' * 10_000_000)"
MEMORY = "kept = [0] * 10**10"


@pytest.mark.first_cases(2)
@pytest.mark.parametrize(
    ("old", "part", "call"),
    [
        ('out = Value(self.data + other.data, (self, other), "+")', "add forward", "`a + b`"),
        ('out = Value(self.data * other.data, (self, other), "*")', "mul forward", "`a * b`"),
        ("t = math.tanh(self.data)", "tanh forward", "`a.tanh()`"),
        ("self.grad += other.data * out.grad", "mul local", "`_backward` of `a * b`"),
    ],
)
def test_a_stop_is_told_of_the_operation_that_stopped(examine: Examine, old: str, part: str, call: str) -> None:
    results = examine((old, f"{EXIT}; {old}"))
    assert {name: [one.quoted_values["what"] for one in result.findings] for name, result in results.items()} == {
        part: [call]
    }


@pytest.mark.first_cases(2)
@pytest.mark.parametrize(
    ("act", "finding"),
    [
        (LOOP, ENDLESS),
        (EXIT, "ends-its-process"),
        (PRINTS, "prints-too-much"),
        (MEMORY, "takes-too-much-memory"),
    ],
)
def test_a_stop_is_told_by_what_stopped_it(look: Look, act: str, finding: str) -> None:
    assert look(("t = math.tanh(self.data)", act)) == {"tanh forward": [finding]}


def test_when_all_the_time_is_used_up_nothing_is_said(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.diagnosis.diagnosis_resources.MOST_SECONDS", -0.9)  # and a second for loading
    slow = "        import time\n        time.sleep(60)\n        for node"
    with pytest.raises(ExaminationTimeout) as caught:
        look((SEED, slow), parts=frozenset(("backward",)))
    assert caught.value.by_itself


def test_what_goes_wrong_only_after_other_graphs_is_told_as_that(look: Look) -> None:
    source = (
        "class Value:\n",
        "sum(range(20_000_000))\nclass Value:\n    made = []\n",
    )
    late = (
        "        # BEGIN SOLUTION\n        self.data = data\n",
        "        Value.made.append(None)\n        self.data = data if len(Value.made) < 400 else 0.0\n",
    )
    assert [LEFTOVERS] in look(source, late).values()
