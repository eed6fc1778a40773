"""The files of a hidden suite may import modules of their own, which lie beside them, by name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.course import Assignment, load_course
from autograder.faults import CourseFault
from autograder.grading import Grader, HiddenTestResult
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission
from tests.grading.conftest import MakeCourse

TESTS = """
from counting_helpers import START


def test_up(Counter):
    'It counts from where it started.'
    assert Counter(START).up() == START + 1, f"it started at {START}"
"""
HELPERS = "START = 3\n"
WRONG = "class Counter:\n    def __init__(self, start=0): ...\n    def up(self): return 0"


def write_helpers(assignment: Assignment, text: str = HELPERS) -> Assignment:
    (assignment.hidden_suite_folder / "counting_helpers.py").write_text(text, encoding="utf-8")
    return assignment


def grade_one_test(grader: Grader, source: str = "") -> HiddenTestResult:
    """Grade the solution, or the submission with this text, and return what its one test says."""
    source = source or grader.assignment.solution_file.read_text(encoding="utf-8")
    submission = Submission("s", "", ("value.py",), (SourceUnit("value.py", source),))
    (result,) = grader.grade_submission(submission).test_results
    return result


def test_tests_and_conftest_import_a_helper_module(make_course: MakeCourse, sandbox: SandboxConfig) -> None:
    assignment = write_helpers(make_course(TESTS))
    (assignment.hidden_suite_folder / "conftest.py").write_text("from counting_helpers import START\n")
    with Grader(assignment, sandbox) as grader:
        assert grade_one_test(grader).outcome == "passed"


def test_two_suites_open_at_once_each_have_their_own_helper_of_the_same_name(
    make_course: MakeCourse, sandbox: SandboxConfig, tmp_path: Path
) -> None:
    first = write_helpers(make_course(TESTS))
    other = tmp_path.parent / f"{tmp_path.name}-other"
    shutil.copytree(tmp_path, other)
    write_helpers(load_course(other).assignments[0], "START = 5\n")
    second = load_course(other).assignments[0]
    with Grader(first, sandbox) as one, Grader(second, sandbox) as two:
        assert [grade_one_test(grader, WRONG).message for grader in (one, two, one)] == [
            "it started at 3",
            "it started at 5",
            "it started at 3",
        ]


def test_it_may_lie_in_a_folder(make_course: MakeCourse, sandbox: SandboxConfig) -> None:
    assignment = make_course(TESTS.replace("counting_helpers", "helpers.counting"))
    (assignment.hidden_suite_folder / "helpers").mkdir()
    (assignment.hidden_suite_folder / "helpers" / "counting.py").write_text(HELPERS, encoding="utf-8")
    with Grader(assignment, sandbox) as grader:
        assert grade_one_test(grader).outcome == "passed"
    assert not {"helpers", "helpers.counting"} & sys.modules.keys()


def test_one_that_changes_gives_the_assignment_another_version(make_course: MakeCourse, tmp_path: Path) -> None:
    write_helpers(make_course(TESTS))
    before = load_course(tmp_path).assignments[0]
    write_helpers(before, "START = 4\n")
    assert load_course(tmp_path).assignments[0].version != before.version


def test_pytest_finds_it_in_a_run_by_hand(make_course: MakeCourse) -> None:
    assignment = write_helpers(make_course(TESTS))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(assignment.hidden_suite_folder)]
    command += ["--submission", str(assignment.solution_file), "--in-process"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=assignment.hidden_suite_folder)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_a_broken_one_is_the_courses_fault(make_course: MakeCourse, sandbox: SandboxConfig) -> None:
    assignment = write_helpers(make_course(TESTS), "START = 1 / 0\n")
    with pytest.raises(CourseFault, match="ZeroDivisionError") as caught:
        Grader(assignment, sandbox)
    assert "counting_helpers.py" in caught.value.details
