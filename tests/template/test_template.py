"""What students get is generated from the solution, the public suite and the handout, and gives nothing away."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from autograder.course import Assignment, Course
from autograder.course.model import ServerSettings
from autograder.template import (
    render_student_template_files,
    synchronize_template_folder,
)
from autograder.template.hand_in_jobs import JOB_FILES
from autograder.template.student_files import BEGIN, BEGIN_ONLY, END, END_ONLY


@pytest.fixture(params=["autograd-engine", "topological-sort", "neural-network"])
def assignment(request: pytest.FixtureRequest, course: Course) -> Assignment:
    return next(one for one in course.assignments if one.name == request.param)


def written_by_students(assignment: Assignment) -> set[str]:
    """Lines of the solution that stand between its markers and are long enough to be told from others."""
    lines: set[str] = set()
    taken: set[str] = set()
    inside = False
    for line in assignment.solution_file.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if text in (BEGIN, BEGIN_ONLY, END, END_ONLY):
            inside = text in (BEGIN, BEGIN_ONLY)
        elif len(text) > 20:
            (lines if inside else taken).add(text)
    return lines - taken


def code_of(notebook: str) -> list[str]:
    return [cell["source"] for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_is_valid(assignment: Assignment) -> None:
    notebook = nbformat.reads(render_student_template_files(assignment)["value.ipynb"], as_version=4)
    nbformat.validate(notebook)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])


def test_the_template_has_all_that_a_student_needs(assignment: Assignment) -> None:
    tests = {f"tests/{path.name}" for path in assignment.public_suite_folder.glob("test_*.py")}
    assert render_student_template_files(assignment).keys() == tests | {
        "README.md",
        "handout.md",
        "value.py",
        "value.ipynb",
        "notebook_check.py",
        "pytest.ini",
        "tests/conftest.py",
        "tests/exception_messages.py",
        "tests/graph_picture.py",
        "tests/hints.json",
        "tests/load_error_messages.py",
        "tests/set_orders.py",
        "tests/time_limit.py",
        "tests/slips.py",
    }


def test_no_line_that_students_write_is_in_the_template(assignment: Assignment) -> None:
    lines = written_by_students(assignment)
    assert lines
    for name, text in render_student_template_files(assignment).items():
        shown = "\n".join("".join(cell) for cell in code_of(text)) if name.endswith(".ipynb") else text
        if not name.startswith("tests/"):
            assert {line for line in lines if line in shown} == set(), name


def test_no_marker_is_left_in_the_template(assignment: Assignment) -> None:
    assert [name for name, text in render_student_template_files(assignment).items() if "SOLUTION" in text] == []


def test_nothing_hidden_is_in_the_template(assignment: Assignment) -> None:
    hidden = {
        line.strip()
        for path in assignment.hidden_suite_folder.glob("test_*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("def test_")
    }
    for name, text in render_student_template_files(assignment).items():
        assert {line for line in hidden if line in text} == set(), name


def test_jobs_that_hand_in_are_written_on_demand_or_where_the_course_names_its_server_and_then_kept(
    sorting: Assignment, tmp_path: Path
) -> None:
    for folder in ("assignments", "solutions"):
        shutil.copytree(sorting.course_folder / folder / sorting.name, tmp_path / folder / sorting.name)
    assignment = replace(sorting, course_folder=tmp_path)
    named = replace(assignment, server=ServerSettings(address="https://grader.uni.example"))
    assert {*JOB_FILES} <= {*render_student_template_files(named)}
    assert not {*JOB_FILES} & {*synchronize_template_folder(assignment)}
    assert {*synchronize_template_folder(assignment, with_jobs=True)} == {*JOB_FILES}
    assert synchronize_template_folder(assignment) == []
