"""``autograder new``: an assignment that is whole and green, or nothing at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autograder.course import load_course
from autograder.course.misconceptions import apply_misconceptions, load_misconception_catalogue
from autograder.faults import CallerFault, CourseFault
from autograder.starter import write_and_load_starter_assignment, write_and_load_starter_course
from tests.cli.commands import run, succeeded, told
from tests.starter.test_init import files
from tests.toy import write_toy


def test_a_new_assignment_is_listed_below_the_others_and_they_stay_as_they_were(tmp_path: Path) -> None:
    before = write_and_load_starter_course(tmp_path, minimal=True)
    text = (tmp_path / "grading.yml").read_text(encoding="utf-8")
    write_and_load_starter_assignment(before, "small-vectors")
    course = load_course(tmp_path)
    assert [one.name for one in course.assignments] == ["topological-sort", "small-vectors"]
    assert course.assignments[0].version == before.assignments[0].version
    assert (tmp_path / "grading.yml").read_text(encoding="utf-8").startswith(text.rstrip())
    assert course.assignments[1].title == "Small vectors"


def test_it_is_green_from_the_first_minute(tmp_path: Path) -> None:
    write_toy(tmp_path)
    said = succeeded(run("new", "vectors", "--title", "Vectors & sums", "--class", "Point", cwd=tmp_path))
    assert said.startswith("vectors: listed in grading.yml, with Point to define\n")
    assert "✗" not in succeeded(run("check", "vectors", "--quick", cwd=tmp_path))
    handout = (tmp_path / "student_template" / "vectors" / "handout.md").read_text(encoding="utf-8")
    assert handout.startswith("# Vectors & sums\n")
    assert "`Point(numbers)`" in handout
    assert "Vector(" not in handout


def diagnosis_of(source: str, folder: Path) -> dict[str, Any]:
    """What a report says of the mistakes in a program, for the assignment ``vectors``."""
    (folder / "wrong.py").write_text(source, encoding="utf-8")
    succeeded(run("grade", "vectors", "wrong.py", "--report", "report.json", cwd=folder))
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["score"] < 100.0
    found = report["diagnosis"]
    assert isinstance(found, dict)
    return found


@pytest.mark.thorough
def test_it_names_its_own_mistakes_from_the_first_minute(tmp_path: Path) -> None:
    write_toy(tmp_path)
    made = write_and_load_starter_assignment(load_course(tmp_path), "vectors")
    solution = made.solution_file.read_text(encoding="utf-8")
    for one in load_misconception_catalogue(made).misconceptions:
        said = diagnosis_of(apply_misconceptions(solution, one), tmp_path)
        assert [suspect["id"] for cause in said["causes"] for suspect in cause["misconceptions"]] == [one.id]
        assert said["counterexample"]["program"][0] in ("a = Vector([2.0, 3.0])", "a = [2.0, 3.0]")


def test_without_its_diagnosis_module_a_report_says_so_where_nobody_looks_for_a_repair(tmp_path: Path) -> None:
    write_toy(tmp_path)
    made = write_and_load_starter_assignment(load_course(tmp_path), "vectors")
    (made.folder / "diagnosis.py").unlink()
    said = diagnosis_of(made.solution_file.read_text(encoding="utf-8").replace("a * b", "a + b"), tmp_path)
    assert (said["verdict"], said["reason"]) == ("unknown", "There is no diagnosis for this assignment.")
    assert (said["causes"], said["counterexample"]) == ([], None)
    shown = succeeded(run("grade", "vectors", "wrong.py", "--no-explain", "--page", "page.html", cwd=tmp_path))
    assert "There is no diagnosis for this assignment." in shown
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "There is no diagnosis for this assignment." in page
    assert "no name yet" not in shown + page
    assert "What went wrong" not in page


@pytest.mark.parametrize("name", ["Vectors", "two words", "../vectors", "-v", "vectors-", "", "ünder"])
def test_a_name_that_no_folder_should_have_is_refused(tmp_path: Path, name: str) -> None:
    course = load_course(write_toy(tmp_path))
    with pytest.raises(CallerFault, match="cannot be an assignment's name"):
        write_and_load_starter_assignment(course, name)


@pytest.mark.parametrize("name", ["vector", "ValueError", "2D", "A B", ""])
def test_a_name_that_no_class_of_students_should_have_is_refused(tmp_path: Path, name: str) -> None:
    course = load_course(write_toy(tmp_path))
    before = files(tmp_path)
    with pytest.raises(CallerFault, match="cannot be the class's name"):
        write_and_load_starter_assignment(course, "points", class_name=name)
    assert files(tmp_path) == before


def test_a_name_that_is_taken_is_refused_and_nothing_is_changed(tmp_path: Path) -> None:
    write_toy(tmp_path)
    before = files(tmp_path)
    assert "the folder exists already" in told(run("new", "toy", cwd=tmp_path))
    assert files(tmp_path) == before


def test_after_an_error_the_course_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course = load_course(write_toy(tmp_path))
    before = files(tmp_path)

    def fails(assignment: object) -> None:
        raise CourseFault("no")

    monkeypatch.setattr("autograder.starter.writer.synchronize_template_folder", fails)
    with pytest.raises(CourseFault):
        write_and_load_starter_assignment(course, "vectors")
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    "text",
    [
        "assignments:\n  toy:\n    defines: [double]\n    concepts: {doubling: 10}",
        "assignments:\n    toy:\n        defines: [double]\n        concepts: {doubling: 10}\n\n\n# the end\n",
        "assignments:\n  toy:\n    defines: [double]\n    concepts: {doubling: 10}\nfeedback: {diagnosis: hidden}\n",
    ],
    ids=["no newline at the end", "four spaces and a comment below", "a key below"],
)
def test_the_entry_fits_however_grading_yml_is_written(tmp_path: Path, text: str) -> None:
    write_toy(tmp_path)
    (tmp_path / "grading.yml").write_text(text, encoding="utf-8")
    write_and_load_starter_assignment(load_course(tmp_path), "vectors")
    assert [one.name for one in load_course(tmp_path).assignments] == ["toy", "vectors"]


def test_a_course_gets_the_pages_that_a_new_assignment_refers_to_and_keeps_its_own(tmp_path: Path) -> None:
    course = load_course(write_toy(tmp_path))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "writing-tests.md").write_text("mine", encoding="utf-8")
    write_and_load_starter_assignment(course, "vectors")
    assert (tmp_path / "docs" / "new-assignment.md").is_file()
    assert (tmp_path / "docs" / "writing-tests.md").read_text(encoding="utf-8") == "mine"


def test_a_folder_of_that_name_with_somebodys_work_is_refused(tmp_path: Path) -> None:
    course = load_course(write_toy(tmp_path))
    (tmp_path / "solutions" / "vectors").mkdir(parents=True)
    (tmp_path / "solutions" / "vectors" / "value.py").write_text("mine = 1\n", encoding="utf-8")
    before = files(tmp_path)
    with pytest.raises(CallerFault, match="the folder exists already"):
        write_and_load_starter_assignment(course, "vectors")
    assert files(tmp_path) == before


@pytest.mark.parametrize("title", ["Stacks: LIFO", "# 1", "'Quoted' & \"so\"", "12", "yes", "[a]", "Bäume", "a - b"])
def test_a_title_is_quoted_where_yaml_would_read_it_otherwise(tmp_path: Path, title: str) -> None:
    made = write_and_load_starter_assignment(load_course(write_toy(tmp_path)), "vectors", title)
    assert made.title == title
