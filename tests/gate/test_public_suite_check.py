"""What students get holds together: the public suite with its helpers, the notebook's cells, and the points."""

from __future__ import annotations

import pytest

from autograder.author_checks.file_checks import (
    require_handout_points_match,
    require_notebook_public_test_files,
)
from autograder.author_checks.solution_checks import _check_solution_is_not_published, check_public_suite
from autograder.course import Assignment
from autograder.faults import CourseFault
from autograder.template import render_student_template_files

HELPER = "def nearly(a, b):\n    return abs(a - b) < 1e-9\n"
TEST = '''\
from helper import nearly
from value import Vector


def test_a_sum_is_near():
    """A sum is near what it should be."""
    got = (Vector([0.1]) + Vector([0.2])).numbers[0]
    assert nearly(got, 0.3), f"the sum is {got}"
'''


def problems(assignment: Assignment) -> tuple[str, ...]:
    return check_public_suite(assignment).problems


@pytest.mark.thorough
def test_public_tests_may_import_a_module_beside_them(vectors: Assignment) -> None:
    (vectors.public_suite_folder / "helper.py").write_text(HELPER, encoding="utf-8")
    (vectors.public_suite_folder / "test_2_sums.py").write_text(TEST, encoding="utf-8")
    assert render_student_template_files(vectors)["tests/helper.py"] == HELPER
    assert problems(vectors) == ()


def test_helpers_of_helpers_are_handed_out_and_nothing_else_beside_the_tests(vectors: Assignment) -> None:
    before = render_student_template_files(vectors)
    (vectors.public_suite_folder / "reference.py").write_text(vectors.solution_file.read_text(), encoding="utf-8")
    assert render_student_template_files(vectors) == before
    (vectors.public_suite_folder / "helper.py").write_text("from tolerance import SMALL\n" + HELPER, encoding="utf-8")
    (vectors.public_suite_folder / "tolerance.py").write_text("SMALL = 1e-9\n", encoding="utf-8")
    (vectors.public_suite_folder / "test_2_sums.py").write_text(TEST, encoding="utf-8")
    after = render_student_template_files(vectors)
    assert after.keys() - before.keys() == {"tests/helper.py", "tests/tolerance.py", "tests/test_2_sums.py"}


def test_a_helper_with_a_piece_of_the_solution_is_a_finding(vectors: Assignment) -> None:
    solution = vectors.solution_file.read_text(encoding="utf-8")
    (vectors.public_suite_folder / "helper.py").write_text(solution + HELPER, encoding="utf-8")
    (vectors.public_suite_folder / "test_2_sums.py").write_text(TEST, encoding="utf-8")
    found = _check_solution_is_not_published(vectors)
    assert all(one.startswith("tests/helper.py holds a line of the solution: ") for one in found.problems)
    assert found.problems


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("slips", "this file has the name of one that students get anyway"),
        ("set_orders", "this file has the name of one that students get anyway"),
        ("value", "this file has the name of one that students get anyway"),
        ("json", "this file has the name of a module of Python's own, and hides it"),
    ],
)
def test_a_helper_with_the_name_of_another_module_is_refused(vectors: Assignment, name: str, said: str) -> None:
    (vectors.public_suite_folder / f"{name}.py").write_text(HELPER, encoding="utf-8")
    (vectors.public_suite_folder / "test_2_sums.py").write_text(TEST.replace("helper", name), encoding="utf-8")
    with pytest.raises(CourseFault, match=f"{name}.py: {said}"):
        render_student_template_files(vectors)


def test_each_public_test_that_the_solution_fails_is_named_with_its_first_line(vectors: Assignment) -> None:
    wrong = TEST.replace("from helper import nearly\n", "").replace("nearly(got, 0.3)", "got == 7.0")
    text = wrong.replace("the sum is {got}", r"the sum is off\n{got}")
    (vectors.public_suite_folder / "test_2_sums.py").write_text(text, encoding="utf-8")
    (said,) = problems(vectors)
    assert said == ("the solution fails public/test_2_sums.py::test_a_sum_is_near: AssertionError: the sum is off")


def test_a_public_file_that_cannot_be_loaded_is_named_with_the_reason(vectors: Assignment) -> None:
    (vectors.public_suite_folder / "test_2_sums.py").write_text(TEST, encoding="utf-8")
    (said,) = problems(vectors)
    assert said.startswith("public/test_2_sums.py cannot be loaded with the solution: ")
    assert "No module named 'helper'" in said


def test_a_notebook_that_runs_public_tests_of_another_name_is_told_with_the_nearest_name(vectors: Assignment) -> None:
    require_notebook_public_test_files(vectors)
    (vectors.public_suite_folder / "test_1_vector.py").rename(vectors.public_suite_folder / "test_1_vectors.py")
    with pytest.raises(CourseFault, match="'test_1_vector', which do not exist") as raised:
        require_notebook_public_test_files(vectors)
    lines = vectors.notebook_script_path.read_text(encoding="utf-8").splitlines()
    line = 1 + next(number for number, text in enumerate(lines) if text.startswith("run_tests("))
    assert f"notebook.py:{line}: " in str(raised.value)
    assert "test_1_vectors" in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("addition (40)", "addition (70)", "'addition' 70 points, but grading.yml gives it 40"),
        ("addition (40)", "*addition* (7.5 points)", "'addition' 7.5 points, but grading.yml gives it 40"),
        (
            "Construction (20), addition (40), dot product (40).",
            "| concept | points |\n| --- | --- |\n| the `dot product`: a number | 10 |",
            "'dot product' 10 points, but grading.yml gives it 40",
        ),
        ("dot product (40)", "dot product (40), scaling (10)", "to 'scaling', which is not a concept of grading.yml"),
        (
            "Construction (20), addition (40), dot product (40).",
            "| concept | points |\n| --- | --- |\n| construction | 20 |\n| addition | 40 |\n| additions | 15 |",
            "to 'additions', which is not a concept of grading.yml; did you mean 'addition'?",
        ),
    ],
)
def test_points_of_a_handout_that_the_course_does_not_give_are_told(
    vectors: Assignment, old: str, new: str, told: str
) -> None:
    handout = vectors.folder / "handout.md"
    text = handout.read_text(encoding="utf-8")
    assert old in text
    handout.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(CourseFault, match=told):
        require_handout_points_match(vectors)


@pytest.mark.parametrize(
    "text",
    [
        "Construction (20), addition (40), dot product (40).",
        "Construction (20), addition (40), product of two vectors (40).",
        "Construction (20), addition (40), dot product (40), all together (100).",
        "The cross addition (3) of the book is something else.",
        "| try | gives |\n| --- | --- |\n| addition | 3 |",
        "| concept | marks |\n| --- | --- |\n| addition of lists | 3 |",
        "All of it gives 100 points.",
    ],
)
def test_other_numbers_of_a_handout_are_not_taken_for_points(vectors: Assignment, text: str) -> None:
    (vectors.folder / "handout.md").write_text(f"# Vectors\n\n{text}\n", encoding="utf-8")
    require_handout_points_match(vectors)
