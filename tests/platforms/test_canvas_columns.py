"""The column of Canvas's gradebook that scores go to: found by its id, its title or the assignment's."""

from __future__ import annotations

import pytest

from autograder.faults import CallerFault
from autograder.platforms import ExportOptions
from tests.platforms.canvas_sheet import BOB, GRADEBOOK, JASEN, table, write_for_canvas, written_for
from tests.platforms.classes import a_class, result


def test_an_assignment_without_points_needs_them_named() -> None:
    sheet = GRADEBOOK.replace("20.00", "", 1)
    with pytest.raises(CallerFault, match=r"is worth no points.*--max-score"):
        written_for(result("b", 10.0, BOB), sheet=sheet)
    assert written_for(result("b", 10.0, BOB), sheet=sheet, max_points=100.0).changes[0].after == "50.00"


def test_family_and_first_name_may_have_a_column_each() -> None:
    sheet = "LastName,FirstName,ID,SIS Login ID,Section,HW1 Value (4711)\n    Points Possible,,,,,20.00\n"
    made = written_for(result("a", 5.0, JASEN), sheet=sheet + "Block,Jasen,11,jb,XC,\n")
    assert table(made)[2] == ["Block", "Jasen", "11", "jb", "XC", "5.00"]
    assert made.changes[0].student == "Block, Jasen (11)"


@pytest.mark.parametrize("wanted", ["23", "Quiz 1", "quiz 1", "Quiz 1 (23)"])
def test_the_column_can_be_named_by_id_or_title(wanted: str) -> None:
    made = written_for(result("b", 10.0, BOB), column=wanted)
    assert table(made)[0][-1] == "Quiz 1 (23)"
    assert table(made)[2][-1] == "5.00"


@pytest.mark.parametrize("wanted", ["9", "Value", "Current Score", "Section", "Notes"])
def test_a_column_that_cannot_be_written_is_refused(wanted: str) -> None:
    with pytest.raises(CallerFault, match=r"grades\.csv: the table has no column for.*Quiz 1 \(23\)"):
        written_for(result("b", 10.0, BOB), column=wanted)


def test_an_id_is_not_taken_for_a_title_that_ends_alike() -> None:
    sheet = GRADEBOOK.replace("Quiz 1 (23)", "Week 4711 (23)")
    assert table(written_for(result("b", 10.0, BOB), sheet=sheet, column="4711"))[0][-1].endswith("(4711)")


def test_an_id_goes_before_a_title_and_a_title_before_one_in_other_letters() -> None:
    sheet = GRADEBOOK.replace("Quiz 1 (23)", "4711 (23)")
    assert table(written_for(result("b", 10.0, BOB), sheet=sheet, column="4711"))[0][-1].endswith("(4711)")
    sheet = GRADEBOOK.replace("HW1 Value, and more", "quiz 1")
    assert table(written_for(result("b", 10.0, BOB), sheet=sheet, column="quiz 1"))[0][-1] == "quiz 1 (4711)"


def test_without_a_name_the_one_column_whose_title_holds_the_assignments_is_taken() -> None:
    sheet = GRADEBOOK.replace("HW1 Value, and more", "Lab 3: Autograd Engine")
    assert table(written_for(result("b", 1.0, BOB), sheet=sheet))[0][-1] == "Lab 3: Autograd Engine (4711)"
    with pytest.raises(CallerFault, match=r"several columns for .*--set column="):
        written_for(result("b", 1.0, BOB), sheet=GRADEBOOK.replace("Quiz 1", "HW1 Value bonus"))
    with pytest.raises(CallerFault, match="no column for 'HW1 Value' or 'autograd-engine'"):
        written_for(result("b", 1.0, BOB), sheet=GRADEBOOK.replace("HW1 Value", "Something"))


@pytest.mark.parametrize(
    ("sheet", "what"),
    [
        ("Name,Points\nA,1\n", "this file is not a gradebook exported from Canvas"),
        ("Student,ID,SIS Login ID,Section,HW1 Value (4711)\nA,1,a,x,\n", "Points Possible"),
        (
            GRADEBOOK.replace(",12,S2", ",1.2E+17,S2"),
            "line 5: the student's ID '1.2E.17' is not a number.*export it again",
        ),
    ],
)
def test_what_canvas_did_not_export_is_refused(sheet: str, what: str) -> None:
    with pytest.raises(CallerFault, match=what):
        written_for(result("b", 1.0, BOB), sheet=sheet)


def test_without_a_gradebook_the_command_says_where_to_find_it() -> None:
    with pytest.raises(CallerFault, match=r"--gradebook.*Export Entire Gradebook"):
        write_for_canvas(a_class(), ExportOptions())
