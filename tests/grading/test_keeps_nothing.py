"""Whether a submission can remember something from one test to the next is read off its text."""

from __future__ import annotations

import pytest

from autograder.bridge import SubmissionProgram
from autograder.course import Assignment
from autograder.grading import Grader
from autograder.grading.source_analysis.statelessness_analysis import is_provably_stateless
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission
from tests.grading.conftest import MakeCourse
from tests.grading.stateful_programs import KEEPS
from tests.grading.stateless_programs import CLEAN


def program(source: str) -> SubmissionProgram:
    indent = len(source) - len(source.lstrip(" \n")) - 1 if source.startswith("\n") else 0
    lines = [line[indent:] for line in source.splitlines()]
    return SubmissionProgram((("value.py", "\n".join(lines)),), ("Value",))


@pytest.mark.parametrize("source", CLEAN.values(), ids=CLEAN)
def test_what_keeps_its_state_in_its_objects_is_clean(source: str) -> None:
    assert is_provably_stateless(program(source))


@pytest.mark.parametrize("source", KEEPS.values(), ids=KEEPS)
def test_what_might_remember_one_test_in_another_is_not(source: str) -> None:
    assert not is_provably_stateless(program(source))


def test_a_module_beside_the_submission_counts_too() -> None:
    files = {"tape": "tape = []\ndef note(one): tape.append(one)"}
    assert not is_provably_stateless(SubmissionProgram((("value.py", "from tape import note"),), ("Value",), files))


COUNTING = """
import {module}

def notes(): ...

class Counter:
    def __init__(self, start=0):
        self.value = start
        {note}
        self.wrong = {count} > 2  # loading makes one

    def up(self):
        self.value += 1
        return 0 if self.wrong else self.value
"""


@pytest.mark.parametrize(
    ("module", "note", "count"),
    [
        (
            "operator",
            "operator.attrgetter('__dict__')(notes).setdefault('n', []).append(1)",
            "len(operator.attrgetter('n')(notes))",
        ),
        ("heapq", "heapq.__all__.append('n')", "heapq.__all__.count('n')"),
        ("math", "notes.__annotations__.setdefault('n', []).append(1)", "len(notes.__annotations__['n'])"),
    ],
)
def test_a_hidden_counter_fails_no_test_that_a_fresh_process_passes(
    make_course: MakeCourse, sandbox: SandboxConfig, module: str, note: str, count: str
) -> None:
    tests = "".join(f"def test_{n}(Counter):\n    'It.'\n    assert Counter({n}).up() == {n} + 1\n" for n in range(3))
    source = COUNTING.format(module=module, note=note, count=count)
    with Grader(make_course(tests), sandbox) as grader:
        submission = Submission("s", "", ("value.py",), (SourceUnit("value.py", source),))
        results = grader.grade_submission(submission).test_results
    assert [one.outcome for one in results] == ["passed"] * 3


def test_a_list_of_another_file_counts_too() -> None:
    files = {"tape": "tape = []"}
    source = "from tape import tape\ndef note(one): tape.append(one)"
    assert not is_provably_stateless(SubmissionProgram((("value.py", source),), ("Value",), files))


def test_a_list_of_another_cell_counts_too() -> None:
    cells = (("cell 1", "tape = []"), ("cell 2", "def note(one): tape.append(one)"))
    assert not is_provably_stateless(SubmissionProgram(cells, ("Value",)))


def test_a_class_of_another_cell_is_clean() -> None:
    cells = (("cell 1", "class Value: ..."), ("cell 2", "def make(): return Value()"))
    assert is_provably_stateless(SubmissionProgram(cells, ("Value",)))


@pytest.mark.parametrize("name", ["prev_set", "micrograd", "dataclass", "kahn"])
def test_engines_as_students_write_them_are_clean(engine: Assignment, name: str) -> None:
    source = engine.solution_file.parent.joinpath("wheats", f"{name}.py").read_text(encoding="utf-8")
    assert is_provably_stateless(program(source))


@pytest.mark.parametrize("name", ["tape", "gradients_in_a_table"])
def test_engines_that_write_into_a_table_of_their_module_are_not(engine: Assignment, name: str) -> None:
    source = engine.solution_file.parent.joinpath("wheats", f"{name}.py").read_text(encoding="utf-8")
    assert not is_provably_stateless(program(source))
