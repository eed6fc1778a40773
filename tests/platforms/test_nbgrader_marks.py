"""Marks that people set in nbgrader stay."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.platforms import (
    ExportOptions,
    ExportResult,
    SubmissionResult,
    require_platform,
)
from autograder.platforms.common.plugin_calls import export_class
from autograder.platforms.nbgrader.class_export import make_class_export
from autograder.platforms.nbgrader.gradebook_reading import (
    NbgraderGradebookMarks,
    NbgraderMark,
    try_read_gradebook_marks,
)
from autograder.platforms.nbgrader.grades_table import HEADER
from autograder.platforms.nbgrader.reader import NAME
from tests.platforms.classes import EVERYBODYS, a_class, kept_of, laid_out, result
from tests.platforms.nbgrader_course import COURSE, GOLDEN, handed_in


def course_with_marks(place: Path, statements: str = "") -> Path:
    """A course's folder with nbgrader's own database, in which people then did something."""
    laid_out(place, COURSE)
    (place / "gradebook.db").write_bytes((GOLDEN.parent / "gradebook.db").read_bytes())
    with closing(sqlite3.connect(place / "gradebook.db")) as database:
        database.executescript(statements)
    return place


def of_hw1(student: str, points: float) -> SubmissionResult:
    return result(student, points, handed_in(student, assignment="hw1"))


ZERO = "UPDATE grade SET auto_score = {}, manual_score = {} WHERE id LIKE '66dc%';"


@pytest.mark.parametrize("below", ["", "submitted"])
def test_a_first_table_leaves_the_marks_of_nbgraders_database(tmp_path: Path, below: str) -> None:
    course = course_with_marks(tmp_path)
    class_ = a_class(of_hw1("bitdiddle", 10.0), of_hw1("hacker", 20.0), of_hw1("none", 5.0))
    given = ExportOptions(submissions=course / below)
    made = export_class(require_platform(NAME), class_, given)
    lines = made.files["grades.csv"].decode().splitlines()
    assert [line.split(",")[-4:] for line in lines[1:]] == [
        ["4.5", "0.0", "4.5", "5.0"],  # nbgrader's, which the kit never wrote
        ["5.0", "0.0", "5.0", "5.0"],  # the same
        ["1.25", "0.0", "1.25", "5.0"],
    ]
    assert [(one.student, one.before, one.wanted) for one in made.changes] == [
        ("bitdiddle", "4.5", "2.5"),
        ("hacker", "5.0", ""),
        ("none", "", ""),
    ]
    assert made.knows_marks
    again = make_class_export(class_, replace(given, overwrite=EVERYBODYS))
    assert again.files["grades.csv"].decode().splitlines()[1].endswith(",2.5,0.0,2.5,5.0")


def test_a_mark_that_a_person_gave_goes_before_a_tests_and_a_penalty_is_taken_off(tmp_path: Path) -> None:
    late = "UPDATE submitted_notebook SET late_submission_penalty = 0.5;"
    course_with_marks(tmp_path, f"{ZERO.format(4.5, 3.0)} UPDATE grade SET extra_credit = 1.0; {late}")
    found = try_read_gradebook_marks(tmp_path / "gradebook.db", "hw1")
    assert found == NbgraderGradebookMarks(
        5.0, {"bitdiddle": NbgraderMark(4.0, 0.5), "hacker": NbgraderMark(6.0, 0.5)}
    )
    assert found.mark_by_student["bitdiddle"].score_after_penalty == 3.5
    assert try_read_gradebook_marks(tmp_path / "gradebook.db", "hw2") == NbgraderGradebookMarks()


@pytest.mark.parametrize(
    ("auto", "manual", "is_kept"), [(0.0, 0.0, True), (0.0, "NULL", False), ("NULL", "NULL", False)]
)
@pytest.mark.parametrize("has_table", [False, True])
def test_a_zero_that_a_person_set_in_nbgrader_stays(
    tmp_path: Path, auto: float | str, manual: float | str, is_kept: bool, has_table: bool
) -> None:
    course = course_with_marks(tmp_path, ZERO.format(auto, manual))
    table = GOLDEN.read_bytes().replace(b"4.5,0.0,4.5", b"0.0,0.0,0.0") if has_table else None
    class_ = a_class(of_hw1("bitdiddle", 10.0))
    made = export_class(require_platform(NAME), class_, ExportOptions(table, "grades.csv", submissions=course))
    assert bool(made.changes[0].wanted) == is_kept
    row = next(line for line in made.files["grades.csv"].decode().splitlines() if "bitdiddle" in line)
    assert row.split(",")[-2] == ("0.0" if is_kept else "2.5")


def test_a_database_that_cannot_be_read_is_told_and_costs_no_mark(tmp_path: Path) -> None:
    made = make_class_export(a_class(of_hw1("hacker", 10.0)), ExportOptions(submissions=laid_out(tmp_path, COURSE)))
    assert made.files["grades.csv"].decode().splitlines()[1].endswith(",10.0,0.0,10.0,20.0")
    (note,) = made.notes
    assert note.startswith("cannot read ")
    assert "gradebook.db: " in note
    assert not made.knows_marks


def table_of(*scores: float) -> bytes:
    rows = [f"hw1,,,{student},,,,{score},0.0,{score},20.0" for student, score in zip("abc", scores, strict=False)]
    return "\n".join([HEADER, *rows, ""]).encode()


def of_three(points: float, table: bytes, **more: Any) -> ExportResult:
    class_ = a_class(*(result(student, points) for student in "abc"))
    return make_class_export(class_, ExportOptions(table, "grades.csv", **more))


def test_a_zero_in_the_table_that_the_kit_wrote_is_a_persons() -> None:
    first = of_three(15.8, table_of(0.0, 0.0, 0.0))
    assert first.files["grades.csv"] == table_of(15.8, 15.8, 15.8)
    made = of_three(16.5, table_of(15.8, 0.0, 15.8), written=kept_of(first))
    assert made.files["grades.csv"] == table_of(16.5, 0.0, 16.5)
    assert [one.wanted for one in made.changes] == ["", "16.5", ""]
    alone = make_class_export(
        a_class(result("a", 16.5)), ExportOptions(table_of(0.0), "grades.csv", written=kept_of(first))
    )
    assert alone.changes[0].wanted == "16.5"


def test_a_table_straight_from_nbgrader_which_imports_no_marks_is_filled_in_again() -> None:
    first = of_three(15.8, table_of(0.0, 0.0, 0.0))
    made = of_three(16.5, table_of(0.0, 0.0, 0.0), written=kept_of(first))
    assert made.files["grades.csv"] == table_of(16.5, 16.5, 16.5)


def test_the_very_table_that_was_filled_in_may_be_filled_in_again() -> None:
    given = {"sheet_state": "digest 1"}
    first = of_three(15.8, table_of(0.0, 4.0, 4.0), overwrite=EVERYBODYS, **given)
    made = of_three(16.5, table_of(0.0, 4.0, 4.0), written=kept_of(first), **given)
    assert made.files["grades.csv"] == table_of(16.5, 4.0, 4.0)
