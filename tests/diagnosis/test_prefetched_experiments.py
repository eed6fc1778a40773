"""Parts that are asked for together change no result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from autograder.bridge import Bridge, StudentProxy, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.bridge.state_between_tests import StateBetweenTests
from autograder.course import Assignment
from autograder.diagnosis import DiagnosablePart
from autograder.diagnosis import part_examination as examining
from autograder.diagnosis.diagnosis_resources import make_experiment_limits
from autograder.diagnosis.part_examination import examine_parts, learn_request_paths_of_parts
from autograder.diagnosis.part_experiment_log import PartExperimentResult
from autograder.diagnosis.part_experiment_prefetcher import KnownPartExperiments
from tests.course_modules import parts_of
from tests.diagnosis.conftest import edited

SUM = "            self.grad += out.grad\n            other.grad += out.grad\n"
WRONG: dict[str, list[tuple[str, str]]] = {
    "right": [],
    "a sum that replaces": [(SUM, SUM.replace("+=", "="))],
    "no seed": [("        self.grad = 1.0\n        for node", "        for node")],
    "a tanh that raises": [("t = math.tanh(self.data)", "t = math.tan(self.data, 1)")],
    "a product that never ends": [("self.data * other.data,", "[0 for n in iter(int, 1)],")],
    "a backward that is not written": [("        self.grad = 1.0\n", "        raise NotImplementedError\n")],
    "a sum that fills the memory": [("self.data + other.data,", "[0] * 10**11,")],
    "a wrong square": [("exponent * self.data", "2 * self.data")],
}


class CountingExaminer:
    """Looks at programs, with one store of what is known of the parts."""

    def __init__(self, assignment: Assignment, processes: ProcessPool, monkeypatch: pytest.MonkeyPatch) -> None:
        self.probed: list[str] = []
        self.known: KnownPartExperiments | None = None
        self._assignment, self._supply = assignment, processes
        self._bridges: list[Bridge] = []
        examine = examining._examine_part

        def counted(
            student: StudentProxy, bridge: Bridge, part: DiagnosablePart, *arguments: Any
        ) -> PartExperimentResult:
            self.probed.append(part.name)
            return examine(student, bridge, part, *arguments)

        monkeypatch.setattr(examining, "_examine_part", counted)

    def learn(self) -> None:
        parts, bridge = self._opened([])
        self.known = KnownPartExperiments()
        learn_request_paths_of_parts(parts, bridge, self.known)

    def look(self, edits: list[tuple[str, str]]) -> Mapping[str, PartExperimentResult]:
        parts, bridge = self._opened(edits)
        self.probed.clear()
        return examine_parts(parts, bridge, self.known)

    def _opened(self, edits: list[tuple[str, str]]) -> tuple[tuple[DiagnosablePart, ...], Bridge]:
        program = SubmissionProgram(
            (("value.py", edited(self._assignment.solution_file, *edits)),), self._assignment.defines
        )
        limits = replace(
            make_experiment_limits(self._assignment.limits), submission_seconds=20
        )  # whatever the machine is doing
        bridge = Bridge(program, self._supply, limits, StateBetweenTests())
        self._bridges.append(bridge)
        loaded = bridge.load_without_fatal_code()
        has = {name for name, kind in loaded.kind_by_name.items() if kind}.union(*loaded.attributes_by_class.values())
        return parts_of(self._assignment, has), bridge

    def close(self) -> None:
        for bridge in self._bridges:
            bridge.end_process()


@pytest.fixture
def make_room(
    processes: ProcessPool, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Assignment], CountingExaminer]]:
    rooms: list[CountingExaminer] = []

    def make(assignment: Assignment) -> CountingExaminer:
        rooms.append(CountingExaminer(assignment, processes, monkeypatch))
        return rooms[-1]

    yield make
    for room in rooms:
        room.close()


@pytest.mark.first_cases(2)
@pytest.mark.thorough_but("right", "no seed", "a tanh that raises")
@pytest.mark.parametrize("edits", WRONG.values(), ids=WRONG)
def test_results_are_the_same_whatever_is_known(
    make_room: Callable[[Assignment], CountingExaminer], engine: Assignment, edits: list[tuple[str, str]]
) -> None:
    room = make_room(engine)
    slowly = room.look(edits)
    room.learn()
    assert [room.look(edits) for _ in range(2)] == [slowly, slowly]


def test_the_sort_is_looked_at_likewise(
    make_room: Callable[[Assignment], CountingExaminer], sorting: Assignment
) -> None:
    room = make_room(sorting)
    slowly = room.look([])
    room.learn()
    assert [room.look([]) for _ in range(2)] == [slowly, slowly]
