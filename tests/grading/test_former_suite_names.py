"""A hidden suite that uses the names of 0.2.0 for markers and fixtures works as before, and its author is told."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.author_checks.hidden_test_marker_checks import require_valid_hidden_test_markers
from autograder.course import Assignment
from autograder.faults import CourseWarning
from autograder.grading.suite.hidden_suite import HiddenSuiteSession
from autograder.sandbox import SandboxConfig
from tests.graded_sources import grade_source_alone
from tests.grading.test_suite import outcomes

MakeCourse = Callable[..., Assignment]
HEAD = 'import pytest\n\npytestmark = [pytest.mark.concept("counting"), pytest.mark.subject("up")]\n\n'
TESTS = """
@pytest.fixture
def names(subject):
    return list(subject)


@pytest.mark.redundant_ok("the simplest case")
def test_up(student, names):
    'It goes up.'
    assert student.get("Counter")(3).up() == 4, f"{names} is wrong"


@pytest.mark.subject("down")
@pytest.mark.beyond_contract
def test_down(student, subject):
    'It goes down.'
    assert subject == ("down",)
"""
BOTH = (
    "class Counter:\n    def __init__(self, start=0): self.value = start\n    def up(self): return self.value + 1\n"
)
BOTH += "    def down(self): return self.value - 1\n"
NO_UP = "class Counter:\n    def __init__(self, start=0): ...\n"


def spell_as_before(assignment: Assignment) -> Path:
    """Write the suite's file in the names of 0.2.0, and return its path."""
    file = assignment.hidden_suite_folder / "test_counting.py"
    text = file.read_text(encoding="utf-8")
    for name, former in (("subject", "about"), ("redundant_ok", "kept"), ("beyond_contract", "beyond")):
        text = text.replace(name, former)
    file.write_text(text, encoding="utf-8")
    assert not {"subject", "redundant_ok", "beyond_contract"} & {*file.read_text().replace("(", " ").split()}
    return file


def test_former_markers_describe_a_test_as_the_present_ones_do(make_course: MakeCourse) -> None:
    assignment = make_course(TESTS, head=HEAD, solution=BOTH)
    with HiddenSuiteSession(assignment) as suite:
        present = suite.test_specs
    spell_as_before(assignment)
    with HiddenSuiteSession(assignment) as suite:
        assert suite.test_specs == present
    up, down = present
    assert (up.tested_names, up.reason_redundant_ok, up.asks_beyond_contract) == (("up",), "the simplest case", False)
    assert (down.tested_names, down.reason_redundant_ok, down.asks_beyond_contract) == (("up", "down"), "", True)


def test_the_former_fixture_gives_what_the_present_one_gives(make_course: MakeCourse, sandbox: SandboxConfig) -> None:
    assignment = make_course(TESTS, head=HEAD, solution=BOTH)
    wrong = (
        "class Counter:\n    def __init__(self, start=0): ...\n    def up(self): return 7\n    def down(self): ...\n"
    )
    for _ in range(2):
        results = grade_source_alone(assignment, sandbox, wrong).test_results
        assert [(one.outcome, one.message) for one in results] == [("failed", "['up'] is wrong"), ("passed", "")]
        spell_as_before(assignment)


def test_a_test_about_a_missing_name_is_not_attempted_under_the_former_marker_too(
    make_course: MakeCourse, sandbox: SandboxConfig
) -> None:
    assignment = make_course(TESTS, head=HEAD, solution=BOTH)
    spell_as_before(assignment)
    assert outcomes(grade_source_alone(assignment, sandbox, NO_UP)) == {
        "up": "not attempted",
        "down": "not attempted",
    }


def test_the_check_names_each_file_once_with_the_new_names(make_course: MakeCourse) -> None:
    assignment = make_course(TESTS, head=HEAD, solution=BOTH)
    file = spell_as_before(assignment)
    with pytest.warns(CourseWarning) as warned:
        require_valid_hidden_test_markers(assignment)
    assert [str(one.message) for one in warned] == [
        f"{file}:3: the marker `about` is now called `subject`, the fixture `about` is now called `subject`, "
        "the marker `kept` is now called `redundant_ok`, "
        "the marker `beyond` is now called `beyond_contract`; "
        "former names keep working."
    ]


def test_a_suite_in_the_present_names_gets_no_warning(
    make_course: MakeCourse, recwarn: pytest.WarningsRecorder
) -> None:
    require_valid_hidden_test_markers(make_course(TESTS, head=HEAD, solution=BOTH))
    assert not [one for one in recwarn if issubclass(one.category, CourseWarning)]


def test_a_run_by_hand_names_each_file_once_in_pytests_warnings(make_course: MakeCourse) -> None:
    assignment = make_course(TESTS, head=HEAD, solution=BOTH)
    file = spell_as_before(assignment)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--strict-markers", file.name]
    command += ["--submission", str(assignment.solution_file), "--in-process"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=assignment.hidden_suite_folder)
    assert done.stdout.count("the marker `about` is now called `subject`") == 1, done.stdout + done.stderr
    assert "1 warning" in done.stdout


@pytest.mark.filterwarnings("default::DeprecationWarning")
def test_a_suite_that_uses_former_methods_of_student_is_graded_as_before(
    make_course: MakeCourse, sandbox: SandboxConfig
) -> None:
    tests = """
def test_up(student):
    'It goes up.'
    assert student.get_all(student.make(student.get("Counter"), [3]), "value") == [3], "the value is wrong"
"""
    assignment = make_course(tests, head=HEAD, solution=BOTH)
    with (
        pytest.warns(DeprecationWarning, match=r"StudentProxy\.get_all is now called get_attributes"),
        pytest.warns(DeprecationWarning, match=r"StudentProxy\.make is now called make_all"),
    ):
        (result,) = grade_source_alone(assignment, sandbox, BOTH.replace("= start", "= 7")).test_results
    assert (result.outcome, result.message) == ("failed", "the value is wrong")
