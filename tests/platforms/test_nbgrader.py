"""nbgrader's table and its tree of feedback go out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given as example
from hypothesis import strategies as st

from autograder.faults import CallerFault
from autograder.platforms import (
    ClassResults,
    ExportOptions,
    require_platform,
)
from autograder.platforms.nbgrader.class_export import make_class_export
from autograder.platforms.nbgrader.grades_table import HEADER
from autograder.platforms.nbgrader.reader import NAME
from tests.platforms.classes import EVERYBODYS, a_class, result
from tests.platforms.nbgrader_course import GOLDEN, WHEN, handed_in

LISTED = (
    {"student_id": "bitdiddle", "last_name": "Bitdiddle", "first_name": "Ben", "email": "ben@example.com"},
    {"student_id": "none", "last_name": "Nobody"},
    {"student_id": "hacker", "last_name": "van der Berg, Jr.", "first_name": "Alyssa", "email": "a@example.com"},
)


def the_class_of_the_golden() -> ClassResults:
    return a_class(
        result("bitdiddle", 4.5, handed_in("bitdiddle", WHEN, "hw1"), LISTED[0]),
        result("none", 0.0, None, LISTED[1]),
        result("hacker", 5.0, handed_in("hacker", WHEN, "hw1"), LISTED[2]),
        maximum=5.0,
    )


def test_the_table_is_what_nbgrader_itself_writes_but_for_commas_in_names() -> None:
    made = make_class_export(the_class_of_the_golden(), ExportOptions(settings={"duedate": "2026-11-20 23:59:00"}))
    assert made.files["grades.csv"] == GOLDEN.read_bytes().replace(b"Berg, Jr.", b"Berg  Jr.")


def test_a_table_of_nbgraders_with_the_same_scores_stays_as_it_is() -> None:
    made = make_class_export(the_class_of_the_golden(), ExportOptions(GOLDEN.read_bytes(), "grades.csv"))
    assert made.files["grades.csv"] == GOLDEN.read_bytes()
    assert not any(change.has_new_value for change in made.changes)
    assert not made.unmatched


def test_in_nbgraders_table_only_the_numbers_change_commas_in_names_or_not() -> None:
    class_ = a_class(result("hacker", 10.0, handed_in("hacker", WHEN, "hw1"), late=4.0), result("zoe", 1.0))
    made = make_class_export(class_, ExportOptions(GOLDEN.read_bytes(), "grades.csv", overwrite=EVERYBODYS))
    before, after = GOLDEN.read_text().splitlines(), made.files["grades.csv"].decode().splitlines()
    assert after[:3] == before[:3]
    assert after[3] == before[3].replace(",5.0,0.0,5.0,5.0", ",3.5,1.0,2.5,5.0")
    assert [(one.student, one.before, one.after) for one in made.changes] == [("hacker", "5.0", "2.5")]
    assert made.unmatched == ("zoe: zoe is not in grades.csv",)
    assert set(made.missing) == {"bitdiddle", "none"}


def test_other_assignments_rows_stay(tmp_path: Path) -> None:
    sheet = GOLDEN.read_bytes() + b"hw2,,,hacker,,,,0.0,0.0,0.0,7.0\r\n"
    made = make_class_export(
        a_class(result("hacker", 20.0)), ExportOptions(sheet, "grades.csv", {"assignment": "hw2"})
    )
    assert made.files["grades.csv"] == sheet.replace(b"0.0,0.0,0.0,7.0", b"7.0,0.0,7.0,7.0")


@pytest.mark.parametrize(
    ("sheet", "says"),
    [
        (b"a,b\n", r"grades\.csv:1: the header is not that of nbgrader's table"),
        (f"{HEADER}\nhw1,x\n".encode(), r"grades\.csv:2: the row has too few cells"),
        (f"{HEADER}\nhw1,,,hacker,,,,0,0,0,many\n".encode(), r"grades\.csv:2: max_score is not a number: 'many'"),
        (f"{HEADER}\nhw1,,,hacker,,,,0,0,0,inf\n".encode(), "max_score is not a number: 'inf'"),
        (f"{HEADER}\n".encode(), "has no row of this assignment"),
        (b"\xff", "is not UTF-8 text"),
    ],
)
def test_a_table_that_is_none_is_told_with_its_line(sheet: bytes, says: str) -> None:
    with pytest.raises(CallerFault, match=says):
        make_class_export(a_class(result("hacker", 1.0)), ExportOptions(sheet, "grades.csv"))


@example(st.text(), st.text())
def test_no_name_makes_another_row(last: str, email: str) -> None:
    row = {"student_id": "eve", "last_name": last, "email": email}
    made = make_class_export(a_class(result("eve", 10.0, None, row)), ExportOptions())
    header, line, end = made.files["grades.csv"].decode("utf-8", "surrogatepass").split("\n")
    assert (header, end) == (HEADER, "")
    cells = line.split(",")
    assert (cells[0], cells[3], cells[-2]) == ("hw1", "eve", "10.0")
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize("student", ["a,b", "a\nhw1,,,b", ""])
def test_an_id_that_nbgrader_cannot_hold_is_told(student: str) -> None:
    made = make_class_export(a_class(result(student, 10.0)), ExportOptions())
    assert made.files["grades.csv"].decode() == f"{HEADER}\n"
    assert len(made.unmatched) == 1


def test_feedback_lies_where_nbgrader_looks_for_it() -> None:
    class_ = a_class(
        result("ada", 1.0, handed_in("ada"), files=("engine.ipynb", "helper.py")),
        result("bob", 1.0, handed_in("bob"), files=("value.py",)),
    )
    made = make_class_export(class_, ExportOptions())
    assert set(made.files) == {"grades.csv", "feedback/ada/ps1/engine.html", "feedback/bob/ps1/value.html"}


@pytest.mark.parametrize("student", ["..", "../x", "a/b", "a\\b", "/etc", "con"])
def test_no_feedback_leaves_its_folder(student: str) -> None:
    made = make_class_export(a_class(result(student, 1.0)), ExportOptions())
    assert set(made.files) == {"grades.csv"}


def test_an_id_that_is_no_text_stays_what_it_is_on_the_disk() -> None:
    made = make_class_export(a_class(result("J\udcf6rg", 1.0)), ExportOptions())
    assert b",J\xf6rg," in made.files["grades.csv"]


def test_nbgrader_is_installed_with_its_writer() -> None:
    assert require_platform(NAME).class_writer is make_class_export
