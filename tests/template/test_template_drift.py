"""A template that differs from its assignment is told, and writing it brings it up to date."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from autograder.course import Assignment, Course, load_course
from autograder.faults import CallerFault, CourseFault
from autograder.template import (
    describe_template_differences,
    render_student_template_files,
    synchronize_template_folder,
)


@pytest.fixture
def copied(course: Course, tmp_path: Path) -> Assignment:
    """An assignment in a course of its own, to be changed."""
    shutil.copy(course.folder / "grading.yml", tmp_path)
    for folder in ("assignments", "solutions", "student_template"):
        shutil.copytree(
            course.folder / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache")
        )
    return load_course(tmp_path).assignments[0]


def append(path: Path, text: str, encoding: str = "utf-8") -> None:
    with path.open("a", encoding=encoding) as file:
        file.write(text)


def change_solution(assignment: Assignment, old: str, new: str) -> None:
    text = assignment.solution_file.read_text(encoding="utf-8")
    assert old in text
    assignment.solution_file.write_text(text.replace(old, new), encoding="utf-8")


def test_a_changed_file_is_out_of_date(copied: Assignment) -> None:
    append(copied.template_folder / "value.py", "# mine\n")
    assert describe_template_differences(copied) == ["value.py is out of date"]


@pytest.mark.parametrize(
    "left", ["__pycache__/value.pyc", ".pytest_cache/v/nodeids", ".ipynb_checkpoints/value.ipynb"]
)
def test_what_a_run_leaves_behind_is_not_told(copied: Assignment, left: str) -> None:
    path = copied.template_folder / left
    path.parent.mkdir(parents=True)
    path.touch()
    assert describe_template_differences(copied) == []


@pytest.mark.parametrize(
    ("part", "file"),
    [
        ("handout.md", "handout.md"),
        ("template/README.md", "README.md"),
        ("public/test_4_tanh.py", "tests/test_4_tanh.py"),
    ],
)
def test_a_change_of_the_assignment_makes_its_template_out_of_date(copied: Assignment, part: str, file: str) -> None:
    append(copied.folder / part, "\n")
    assert describe_template_differences(copied) == [f"{file} is out of date"]


def test_a_change_of_the_solution_makes_file_and_notebook_out_of_date(copied: Assignment) -> None:
    change_solution(copied, "tanh(self)", "tanh(self, /)")
    assert describe_template_differences(copied) == ["value.ipynb is out of date", "value.py is out of date"]


def test_a_change_of_what_students_write_does_not(copied: Assignment) -> None:
    change_solution(copied, "math.tanh(self.data)", "math.tanh(float(self.data))")
    assert describe_template_differences(copied) == []


def test_writing_brings_a_folder_up_to_date(copied: Assignment) -> None:
    (copied.template_folder / "value.py").write_text("x = 1\n", encoding="utf-8")
    (copied.template_folder / "handout.md").unlink()
    (copied.template_folder / "notes.txt").touch()
    assert sorted(synchronize_template_folder(copied)) == ["handout.md", "notes.txt", "value.py"]
    assert describe_template_differences(copied) == []


def test_a_place_that_cannot_be_written_is_the_callers_fault(copied: Assignment) -> None:
    shutil.rmtree(copied.template_folder)
    copied.template_folder.touch()
    with pytest.raises(CallerFault, match="this path is a file, not a folder"):
        synchronize_template_folder(copied)


@pytest.mark.parametrize("part", ["handout.md", "../../solutions/autograd-engine/value.py"])
def test_a_missing_part_of_an_assignment_is_a_fault_of_the_course(copied: Assignment, part: str) -> None:
    (copied.folder / part).unlink()
    with pytest.raises(CourseFault, match="cannot read this file: No such file") as caught:
        render_student_template_files(copied)
    assert Path(part).name in caught.value.where


def test_an_assignment_without_public_tests_is_a_fault_of_the_course(copied: Assignment) -> None:
    shutil.rmtree(copied.public_suite_folder)
    with pytest.raises(CourseFault, match=r"holds no test_\*\.py"):
        render_student_template_files(copied)


@pytest.mark.parametrize("part", ["handout.md", "public/test_4_tanh.py", "../../solutions/autograd-engine/value.py"])
def test_a_part_that_is_not_utf_8_is_a_fault_of_the_course(copied: Assignment, part: str) -> None:
    path = copied.folder / part
    append(path, "# caf\xe9\n", encoding="latin-1")
    with pytest.raises(CourseFault) as caught:
        render_student_template_files(copied)
    assert path.name in caught.value.where
