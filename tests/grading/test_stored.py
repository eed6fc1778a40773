"""What the reference showed once need not be shown again, as long as nothing has changed."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.course import Assignment, load_course
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from tests.grading.conftest import SOLUTION

MakeCourse = Callable[..., Assignment]
TESTS = '''
import grading_counts

def test_up_twice(Counter, student):
    """`up()` counts."""
    grading_counts.runs.append("up")
    student.remembered["kind"] = "int"
    counter = Counter(3)
    counter.up()
    assert counter.up() == 5, "it does not count"


def test_from_nothing(Counter, student):
    """A counter begins at nothing."""
    grading_counts.runs.append("nothing")
    assert student.remembered["kind"] == "int"
    assert Counter().up() == 1, "it begins elsewhere"
'''
FAULTY = TESTS.replace("== 5", "== 6")
TELLS_TYPES = TESTS.replace('"int"', "int")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The tests that were run, in a cache of its own."""
    counts = type(sys)("grading_counts")
    found: list[str] = []
    counts.runs = found  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "grading_counts", counts)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return found


def outcomes(assignment: Assignment, sandbox: SandboxConfig, source: str = SOLUTION) -> list[str]:
    """What a grader of its own says."""
    with Grader(assignment, sandbox) as grader:
        return [
            result.outcome
            for result in grader.grade_submission(make_submission_from_source("one", source)).test_results
        ]


def test_a_second_grader_does_not_put_the_reference_to_the_tests(
    make_course: MakeCourse, sandbox: SandboxConfig, runs: list[str]
) -> None:
    assignment = make_course(TESTS)
    assert outcomes(assignment, sandbox) == ["passed", "passed"]
    assert runs == ["up", "nothing"]
    assert outcomes(assignment, sandbox) == ["passed", "passed"]
    assert runs == ["up", "nothing"]


def test_whoever_is_wrong_is_told_the_same_by_it(
    make_course: MakeCourse, sandbox: SandboxConfig, runs: list[str]
) -> None:
    assignment, wrong = make_course(TESTS), SOLUTION.replace("+= 1", "+= 2")
    first = outcomes(assignment, sandbox, wrong)
    runs.clear()
    assert outcomes(assignment, sandbox, wrong) == first == ["failed", "failed"]
    assert {*runs} == {"up", "nothing"}, "wrong answers are judged by the tests themselves"


@pytest.mark.parametrize("tests", [FAULTY, TELLS_TYPES], ids=["a faulty test", "what cannot be written down"])
def test_nothing_is_kept_of(make_course: MakeCourse, sandbox: SandboxConfig, runs: list[str], tests: str) -> None:
    assignment = make_course(tests)
    outcomes(assignment, sandbox)
    runs.clear()
    outcomes(assignment, sandbox)
    assert "up" in runs


def test_another_suite_is_calibrated_anew(make_course: MakeCourse, sandbox: SandboxConfig, runs: list[str]) -> None:
    assignment = make_course(TESTS)
    outcomes(assignment, sandbox)
    (suite,) = assignment.hidden_suite_folder.glob("test_*.py")
    suite.write_text(suite.read_text(encoding="utf-8").replace("elsewhere", "at another number"), encoding="utf-8")
    runs.clear()
    outcomes(load_course(assignment.course_folder).assignments[0], sandbox)
    assert runs == ["up", "nothing"]


def test_only_its_owner_reads_what_is_kept(
    make_course: MakeCourse, sandbox: SandboxConfig, runs: list[str], tmp_path: Path
) -> None:
    outcomes(make_course(TESTS), sandbox)
    (kept,) = (tmp_path / "cache" / "autograder").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"", b"no calibration", b"\x91\x91\xa1x"])
def test_a_file_that_is_broken_is_as_good_as_none(
    make_course: MakeCourse, sandbox: SandboxConfig, runs: list[str], tmp_path: Path, content: bytes
) -> None:
    assignment = make_course(TESTS)
    outcomes(assignment, sandbox)
    (kept,) = (tmp_path / "cache" / "autograder").iterdir()
    kept.write_bytes(content)
    runs.clear()
    assert outcomes(assignment, sandbox) == ["passed", "passed"]
    assert runs == ["up", "nothing"]


def test_where_nothing_can_be_written_grading_goes_on(
    make_course: MakeCourse, sandbox: SandboxConfig, runs: list[str], tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file in the place of the folder")
    assert outcomes(make_course(TESTS), sandbox) == ["passed", "passed"]
