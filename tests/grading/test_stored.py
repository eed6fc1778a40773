"""What the reference showed once need not be shown again, as long as nothing has changed."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Assignment, load_course
from autograder.sandbox import SandboxConfig
from tests.graded_sources import grade_source_alone
from tests.grading.conftest import SOLUTION, MakeCourse

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


class GradedAnew:
    """An assignment, each of whose submissions gets a grader of its own."""

    def __init__(self, assignment: Assignment, sandbox: SandboxConfig) -> None:
        self.assignment, self._sandbox = assignment, sandbox

    def outcomes(self, source: str = SOLUTION) -> list[str]:
        return [one.outcome for one in grade_source_alone(self.assignment, self._sandbox, source).test_results]


Graded = Callable[..., GradedAnew]


@pytest.fixture
def graded(make_course: MakeCourse, sandbox: SandboxConfig, runs: list[str]) -> Graded:
    """Make an assignment of these tests."""
    return lambda tests=TESTS: GradedAnew(make_course(tests), sandbox)


def test_a_second_grader_does_not_put_the_reference_to_the_tests(graded: Graded, runs: list[str]) -> None:
    course = graded()
    assert course.outcomes() == ["passed", "passed"]
    assert runs == ["up", "nothing"]
    assert course.outcomes() == ["passed", "passed"]
    assert runs == ["up", "nothing"]


@pytest.mark.parametrize("tests", [FAULTY, TELLS_TYPES], ids=["a faulty test", "what cannot be written down"])
def test_nothing_is_kept_of(graded: Graded, runs: list[str], tests: str) -> None:
    course = graded(tests)
    course.outcomes()
    runs.clear()
    course.outcomes()
    assert "up" in runs


def test_another_suite_is_calibrated_anew(graded: Graded, runs: list[str]) -> None:
    course = graded()
    course.outcomes()
    (suite,) = course.assignment.hidden_suite_folder.glob("test_*.py")
    suite.write_text(suite.read_text(encoding="utf-8").replace("elsewhere", "at another number"), encoding="utf-8")
    runs.clear()
    course.assignment = load_course(course.assignment.course_folder).assignments[0]
    course.outcomes()
    assert runs == ["up", "nothing"]


def test_only_its_owner_reads_what_is_kept(graded: Graded, runs: list[str], tmp_path: Path) -> None:
    graded().outcomes()
    (kept,) = (tmp_path / "cache" / "autograder").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"", b"no calibration", b"\x91\x91\xa1x"])
def test_a_file_that_is_broken_is_as_good_as_none(
    graded: Graded, runs: list[str], tmp_path: Path, content: bytes
) -> None:
    course = graded()
    course.outcomes()
    (kept,) = (tmp_path / "cache" / "autograder").iterdir()
    kept.write_bytes(content)
    runs.clear()
    assert course.outcomes() == ["passed", "passed"]
    assert runs == ["up", "nothing"]


def test_where_nothing_can_be_written_grading_goes_on(graded: Graded, runs: list[str], tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file in the place of the folder")
    assert graded().outcomes() == ["passed", "passed"]
