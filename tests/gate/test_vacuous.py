"""A hidden test that a program passes which does nothing is reported, unless it says why it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.author_checks.stubbing import TRANSFORMATIONS
from autograder.author_checks.vacuous_passes import check_do_nothing_programs_fail
from autograder.course import Assignment, load_course
from autograder.sandbox import SandboxConfig
from tests.toy import SUITE, load_toy

HEAD = 'import pytest\n\npytestmark = [pytest.mark.concept("doubling"), pytest.mark.subject("double")]\n\n\n'
HARMLESS = '''\
def test_the_argument_stays(student):
    """double(x) leaves a list as it was."""
    given = student.make_list(1)
    student.get("double")(given)
    assert list(given) == [1]
'''
STRONG = '''\
def test_double(student):
    """double(x) is x twice."""
    assert student.get("double")(7) == 14
'''
MARK = '@pytest.mark.vacuous("no harm is done")\n'


def course_of(root: Path, *tests: str, typical: str = "") -> Assignment:
    """The toy course with these hidden tests."""
    files = {SUITE: HEAD + "\n\n".join(tests)} | ({"solutions/toy/typical.yml": typical} if typical else {})
    return load_toy(root, files=files)


def problems(course: Assignment, sandbox: SandboxConfig) -> list[str]:
    return [problem for result in check_do_nothing_programs_fail(course, sandbox) for problem in result.problems]


def test_a_test_that_asks_for_no_harm_alone_is_a_finding(tmp_path: Path, sandbox: SandboxConfig) -> None:
    (said,) = problems(course_of(tmp_path, HARMLESS, STRONG), sandbox)
    assert said.startswith("doubling.the-argument-stays passes where every method returns None (")


def test_with_a_reason_it_may_stay(tmp_path: Path, sandbox: SandboxConfig) -> None:
    assert problems(course_of(tmp_path, MARK + HARMLESS, STRONG), sandbox) == []


def test_a_reason_that_is_not_needed_is_a_finding(tmp_path: Path, sandbox: SandboxConfig) -> None:
    (said,) = problems(course_of(tmp_path, MARK + STRONG), sandbox)
    assert "no program that does nothing passes it: take the marker off" in said


def test_a_test_about_the_constructor_that_is_kept_may_pass(tmp_path: Path, sandbox: SandboxConfig) -> None:
    course_of(tmp_path)
    config, solution = tmp_path / "grading.yml", tmp_path / "solutions" / "toy" / "value.py"
    config.write_text(config.read_text().replace("[double]", "[Node]"))
    solution.write_text("class Node:\n    def __init__(self):\n        self.x = 1\n\n    def up(self): return 2\n")
    test = """\
@pytest.mark.subject("{}")
def test_x(student):
    '''A node has an x.'''
    assert student.get("Node")().x == 1
"""
    course = load_course(tmp_path).assignments[0]
    file, head = course.hidden_suite_folder / "test_double.py", HEAD.replace(', pytest.mark.subject("double")', "")
    file.write_text(head + test.format("__init__"))
    assert problems(course, sandbox) == []
    file.write_text(head + test.format("up"))
    assert problems(course, sandbox) != []


@pytest.mark.parametrize("name", ["doubling", "doubling.the-argument-stays"])
def test_a_course_may_say_what_a_program_passes_rightly(tmp_path: Path, sandbox: SandboxConfig, name: str) -> None:
    bodies = (one for one in TRANSFORMATIONS if one.startswith("every method returns"))
    rightly = "rightly_passed:\n" + "".join(f"  {one}: [{name}]\n" for one in bodies)
    assert problems(course_of(tmp_path, HARMLESS, typical=rightly), sandbox) == []


def test_what_is_passed_rightly_must_be_there(tmp_path: Path, sandbox: SandboxConfig) -> None:
    course = course_of(tmp_path, STRONG, typical="rightly_passed: {every method raises: [doublin]}\n")
    assert problems(course, sandbox) == ["'doublin' is neither a concept nor a test"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["topological-sort"])
def test_no_test_of_this_course_passes_on_nothing(root: Path, sandbox: SandboxConfig, name: str) -> None:
    (course,) = (one for one in load_course(root).assignments if one.name == name)
    assert problems(course, sandbox) == []
