"""The parts of a submission are looked at one by one, in a sandboxed process, and the first cause counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from autograder.bridge import Bridge, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment
from autograder.diagnosis.all_parts_examination import (
    LEFTOVERS,
    ExaminationTimeout,
    examine_parts,
    select_wrong_readings,
)
from autograder.diagnosis.diagnosis_resources import make_experiment_limits
from autograder.diagnosis.experiment_log import ENDLESS
from tests.course_modules import parts_of
from tests.diagnosis.conftest import edited

Look = Callable[..., dict[str, list[str]]]
SUM = "            self.grad += out.grad\n            other.grad += out.grad\n"
SEED = "        self.grad = 1.0\n        for node"


@pytest.fixture
def look(engine: Assignment, processes: ProcessPool) -> Iterator[Look]:
    """``look((old, new), ...)``: what is wrong with each part of the edited reference engine."""
    bridges: list[Bridge] = []

    def found(*edits: tuple[str, str], parts: frozenset[str] = frozenset()) -> dict[str, list[str]]:
        program = SubmissionProgram((("value.py", edited(engine.solution_file, *edits)),), engine.defines)
        bridges.append(Bridge(program, processes, make_experiment_limits(engine.limits)))
        loaded = bridges[-1].load_without_fatal_code()
        has = {name for name, kind in loaded.kind_by_name.items() if kind}.union(*loaded.attributes_by_class.values())
        chosen = tuple(part for part in parts_of(engine, has) if not parts or part.name in parts)
        readings = examine_parts(chosen, bridges[-1])
        assert set(readings) <= {part.name for part in chosen}
        return {
            name: [one.finding_id for one in reading.findings]
            for name, reading in select_wrong_readings(readings).items()
        }

    yield found
    for bridge in bridges:
        bridge.end_process()


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


def test_when_all_the_time_is_used_up_nothing_is_said(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.diagnosis.diagnosis_resources.MOST_SECONDS", -0.9)  # and a second for loading
    slow = "        import time\n        time.sleep(60)\n        for node"
    with pytest.raises(ExaminationTimeout) as caught:
        look((SEED, slow), parts=frozenset(("backward",)))
    assert caught.value.by_itself


def test_what_goes_wrong_only_after_other_graphs_is_told_as_that(look: Look) -> None:
    source = ("class Value:\n", "class Value:\n    made = []\n")
    late = (
        "        # BEGIN SOLUTION\n        self.data = data\n",
        "        Value.made.append(None)\n        self.data = data if len(Value.made) < 400 else 0.0\n",
    )
    assert [LEFTOVERS] in look(source, late).values()
