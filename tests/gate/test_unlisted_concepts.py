"""A course whose ``grading.yml`` is older than its suite grades by what it lists, and is told what is left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.course.misconceptions import load_misconception_catalogue
from autograder.faults import CourseFault, CourseWarning
from autograder.grading.hidden_suite import HiddenSuiteSession
from tests.toy import RIGHT, load_toy

NEW = '''\
import pytest


@pytest.mark.concept("{name}")
@pytest.mark.parametrize("number", [1, 2])
def test_new(student, number):
    """double(x) is even."""
    assert student.get("double")(number) % 2 == 0
'''
CATALOGUE = """\
misconceptions:
  - {id: one, title: t, concepts: [doubling, new], edits: [{old: x + x, new: x}], explanation: e, hints: [a, b, c]}
  - {id: other, title: t, concepts: [new], edits: [{old: x + x, new: x}], explanation: e, hints: [a, b, c]}
pairs: [[one, other]]
"""


def course_with(root: Path, name: str) -> Assignment:
    """The toy course with two tests of a concept that it does not list."""
    return load_toy(root, files={"assignments/toy/hidden/test_new.py": NEW.format(name=name)})


def test_tests_of_a_concept_that_is_not_listed_are_left_out_with_a_warning(tmp_path: Path) -> None:
    course = course_with(tmp_path, "the engine as a whole")
    said = (
        "grading.yml lists no concept 'the engine as a whole'; its 2 hidden tests are left out "
        "(add it under `concepts`, with points)"
    )
    with pytest.warns(CourseWarning) as warned, HiddenSuiteSession(course) as suite:
        assert {spec.concept for spec in suite.test_specs} == {"doubling"}
    assert [str(one.message) for one in warned] == [said]


def test_a_misspelt_concept_is_guessed(tmp_path: Path) -> None:
    with pytest.warns(CourseWarning, match=r"'dubling' \(did you mean 'doubling'\?\); its 2 hidden tests"):
        HiddenSuiteSession(course_with(tmp_path, "dubling")).close()


def test_a_concept_that_is_left_without_tests_is_an_error_that_names_the_misspelt_one(tmp_path: Path) -> None:
    course = course_with(tmp_path, "dubling")
    (course.hidden_suite_folder / "test_double.py").unlink()
    with pytest.raises(CourseFault, match=r"no hidden test gives marks for 'doubling' .*'dubling'"):
        HiddenSuiteSession(course)


def test_misconceptions_are_kept_as_far_as_their_concepts_are_listed(tmp_path: Path) -> None:
    course = course_with(tmp_path, "new")
    course.solution_file.with_name("misconceptions.yml").write_text(CATALOGUE)
    with pytest.warns(CourseWarning, match="no concept 'new', but the misconceptions name it 2 times"):
        catalogue = load_misconception_catalogue(course)
    assert [(one.id, one.concepts) for one in catalogue.misconceptions] == [("one", ("doubling",))]
    assert catalogue.pairs == ()


@pytest.mark.first_cases(1)
@pytest.mark.thorough_where(command=("check", "--quick"))
@pytest.mark.thorough_where(command=("batch", "toy", "class", "--out", "out"))
@pytest.mark.parametrize(
    "command",
    [
        ("grade", "toy", "right.py"),
        ("batch", "toy", "class", "--out", "out"),
        ("check", "--quick"),
    ],
    ids=lambda command: command[0],
)
def test_a_command_says_it_once_on_standard_error(tmp_path: Path, command: tuple[str, ...]) -> None:
    course_with(tmp_path, "new")
    (tmp_path / "class").mkdir()
    for name in ("right.py", "class/ada.py", "class/ben.py"):
        (tmp_path / name).write_text(RIGHT)
    words = [sys.executable, "-m", "autograder", *command, "--allow-unsafe"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr.count("warning: grading.yml lists no concept 'new'") == 1
    assert "lists no concept" not in done.stdout
