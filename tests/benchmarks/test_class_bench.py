"""What becomes of each submission of a generated class is told apart, and killed ones do not count as graded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import load_course
from benchmarks.class_bench import ClassBench
from benchmarks.class_row import ClassRow, Hanging, Part
from benchmarks.classes import ROOT, make_small_course
from benchmarks.generated_class import Kind, Made
from benchmarks.measure import Command, Cost
from benchmarks.peers.kit import Kit
from benchmarks.peers.peer import Job
from benchmarks.peers.peer import Kind as PeerKind
from benchmarks.peers.plain_pytest import PlainPytest

RIGHT = "def double(number):\n    return number + number\n"
HALF_RIGHT = "def double(number):\n    return 6\n"
PROGRAMS: Sequence[tuple[Kind, str, str]] = (
    ("right", "plus", RIGHT),
    ("right", "times", "def double(number):\n    return 2 * number\n"),
    ("right", "shift", "def double(number):\n    return number << 1\n"),
    ("wrong", "always six", HALF_RIGHT),
    ("ungradable", "syntax error", "def double(number:\n"),
    ("hanging", "exit", "import os\n\ndef double(number):\n    os._exit(0)\n"),
)
COST = Cost(seconds=20.0, cpu_seconds=30.0, complete=True, largest_mb=30.0, together_mb=90.0, proportional_mb=70.0)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return make_small_course(tmp_path / "course")


@pytest.fixture
def small_class(tmp_path: Path, course: Path) -> ClassBench:
    made = []
    (tmp_path / "made").mkdir()
    for number, (kind, what, source) in enumerate(PROGRAMS):
        path = tmp_path / "made" / f"student{number}.py"
        path.write_text(source, encoding="utf-8")
        made.append(Made(path, kind, what))
    return ClassBench(load_course(course).assignments[0], course, tmp_path / "graded", made, limit=60)


ENDS: tuple[Kind, ...] = ("right", "wrong", "ungradable")


@pytest.mark.thorough
def test_a_peer_s_marks_and_its_failures_are_told_apart(small_class: ClassBench) -> None:
    row = small_class.peer_row(PlainPytest(), ENDS, 2, 0, hangs=True)
    assert {kind: dict(part.fates) for kind, part in row.parts.items()} == {
        "right": {"full marks": 3},
        "wrong": {"graded": 1},
        "ungradable": {"no result": 1},
    }
    assert [(one.what, one.fate) for one in row.hanging] == [("exit", "no result")]


@pytest.mark.thorough
def test_the_kit_grades_the_class_in_one_run_and_tells_the_seconds_of_each(small_class: ClassBench) -> None:
    row = small_class.kit_row(Kit("process"), 2)
    assert row.whole is not None
    assert row.parts["right"].lost_marks == 0
    assert dict(row.parts["wrong"].fates) == {"graded": 1}
    assert [(one.what, one.fate, one.share) for one in row.hanging] == [("exit", "graded", 0)]
    assert all(0 < one.seconds < row.whole.seconds for one in row.hanging)


class SleepsForSome:
    """A grader that does not come to an end with wrong ones, and gives everybody else full marks."""

    name = "sleeper"
    kind: PeerKind = "peer"
    warm = False

    def commands(self, job: Job) -> Sequence[Command]:
        """See ``Peer``."""
        return [
            Command(["sh", "-c", "grep -q 'return 6' $0 && sleep 60; :", str(path)], ROOT) for path in job.submissions
        ]

    def shares(self, job: Job) -> Mapping[str, float]:
        """See ``Peer``."""
        return {path.stem: 1.0 for path in job.submissions if "return 6" not in path.read_text()}


@pytest.mark.thorough
def test_a_program_that_had_to_be_killed_does_not_count_in_what_others_take(tmp_path: Path, course: Path) -> None:
    made = []
    for number, source in enumerate((HALF_RIGHT, RIGHT)):
        made.append(Made(tmp_path / f"student{number}.py", "right", ""))
        made[-1].path.write_text(source, encoding="utf-8")
    bench = ClassBench(load_course(course).assignments[0], course, tmp_path / "graded", made, limit=4)
    part = bench.peer_row(SleepsForSome(), ("right",), 1, 0, hangs=False).parts["right"]
    assert dict(part.fates) == {"killed": 1, "full marks": 1}
    assert 0 <= part.each < 2


PART = Part(graded=8, stand_for=80, each=0.5, cpu_each=1.0, fates={"full marks": 6, "graded": 2})


def row(peer: Kit | PlainPytest, factor: float) -> ClassRow:
    part = replace(PART, each=PART.each * factor)
    parts: dict[Kind, Part] = {"right": part, "wrong": part, "ungradable": replace(part, stand_for=10)}
    hanging = [Hanging("loop", 60.0, "killed"), Hanging("exit", 2.0, "graded", 0.5)]
    return ClassRow(peer, 2, 0.0, parts, True, hanging, COST if isinstance(peer, Kit) else None)
