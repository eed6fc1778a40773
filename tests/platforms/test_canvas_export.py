"""Canvas's gradebook and feedback: the right student, only what changes, and no decision of a person is replaced."""

from __future__ import annotations

import ast
import csv
import io
import zipfile
from dataclasses import replace
from decimal import Decimal

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.faults import CallerFault
from autograder.platforms import ExportOptions, ExportResult, SubmissionResult
from autograder.platforms.canvas.gradebook import (
    FEEDBACK,
    FILE_NAME,
    CanvasGradebook,
    encode_feedback_file,
    format_score,
)
from autograder.platforms.canvas.score_upload import format_score_comment
from autograder.platforms.common.export_points import rescale_points, try_parse_number
from autograder.submissions import Person, SubmissionOrigin
from tests.platforms.canvas_class import of_canvas
from tests.platforms.canvas_sheet import BOB, GRADEBOOK, JASEN, LI, table, write_for_canvas, written_for
from tests.platforms.classes import a_class, export_class, result
from tests.reports.sample import a_report, shown

# ------------------------------------------------------------------ canvas gradebook


def test_only_changed_rows_and_only_the_assignments_column_are_written() -> None:
    made = written_for(result("a", 17.5, JASEN), result("b", 12.25, BOB))
    assert made.files[FILE_NAME].decode() == (
        'Student,ID,SIS User ID,SIS Login ID,Section,"HW1 Value, and more (4711)"\n'
        "    Points Possible,,,,,20.00\n"
        '"O\'Brien, ""Bob""",12,S2,bob@example.edu,XC 101,12.25\n'
    )


def test_old_and_new_score_are_told_and_so_is_who_has_none() -> None:
    made = written_for(result("a", 17.5, JASEN), result("b", 12.25, BOB), result("c", 3.0, LI))
    assert [(one.student, one.before, one.after, one.note) for one in made.changes] == [
        ("Block, Jasen (11)", "17.50", "17.50", ""),
        ('O\'Brien, "Bob" (12)', "", "12.25", ""),
        ("李, 小龍 (13)", "EX", "EX", "excused; left unchanged"),
    ]
    assert made.missing == ("Absent, Max (15)",)
    assert len(table(made)) == 3


def test_what_is_excused_or_not_assigned_is_left_alone_in_small_letters_too() -> None:
    sheet = GRADEBOOK.replace(",EX,", ",ex,")
    assert written_for(result("c", 3.0, LI), sheet=sheet).changes[0].note == "excused; left unchanged"
    ann = of_canvas("nobodyann_14_67893_value.py")
    assert written_for(result("d", 3.0, ann)).changes[0].note == "not given this assignment; left unchanged"


def test_a_letter_is_no_score_and_stays() -> None:
    made = written_for(result("a", 3.0, JASEN), sheet=GRADEBOOK.replace("17.50", "B+", 1))
    assert made.changes[0].note == "the cell holds no points; left unchanged"
    assert len(table(made)) == 2


def test_the_test_student_is_nobody() -> None:
    made = written_for(result("t", 3.0, of_canvas("studenttest_99_67899_value.py")))
    assert made.changes[0].note == "Canvas's test student; left unchanged"
    assert "Student, Test (99)" not in made.missing


@pytest.mark.parametrize(
    ("points", "before"), [(17.5, "17.5"), (17.5, "17.501"), (17.504, "17.50"), (17.5, "17,5"), (0.0, "0")]
)
def test_scores_are_compared_to_hundredths(points: float, before: str) -> None:
    made = written_for(result("a", points, JASEN), sheet=GRADEBOOK.replace("17.50", f'"{before}"', 1))
    assert made.changes[0].after == made.changes[0].before
    assert len(table(made)) == 2


def test_scores_are_scaled_to_what_canvas_gives() -> None:
    sheet = GRADEBOOK.replace("20.00", "7.00", 1)
    assert table(written_for(result("b", 10.0, BOB), sheet=sheet))[2][5] == "3.50"


def test_semicolons_and_decimal_commas_are_kept() -> None:
    sheet = "Student;ID;SIS Login ID;Section;HW1 Value (4711)\r\n    Points Possible;;;;20,00\r\n"
    sheet += "Block, Jasen;11;jb;XC;17,50\r\nMüller, Eva;12;em;XC;\r\n"
    made = written_for(result("a", 17.5, JASEN), result("b", 12.25, BOB), sheet="\ufeff" + sheet)
    assert made.files[FILE_NAME].decode() == (
        "\ufeffStudent;ID;SIS Login ID;Section;HW1 Value (4711)\r\n"
        "    Points Possible;;;;20,00\r\n"
        'Müller, Eva;12;em;XC;"12,25"\r\n'
    )


def test_who_was_late_makes_a_word_on_canvas_s_own_policy() -> None:
    for late in (True, False):
        made = written_for(result("a", 1.0, JASEN, report=a_report(late=late)))
        assert any("late policy" in note for note in made.notes) == late


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=2, max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_every_cell_but_the_score_comes_back_as_the_same_bytes(cells: list[tuple[str, str, str]], end: str) -> None:
    text = io.StringIO(newline="")
    out = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator=end)
    title = f"{cells[0][0]} (4711)"
    out.writerow(["Student", "ID", "SIS Login ID", "Section", "x (1)", title])
    out.writerow(["    Points Possible", "", "", "", "1.00", "20.00"])
    out.writerows(
        [f"x{name}", str(50 + at), login, section, "", ""] for at, (name, login, section) in enumerate(cells)
    )
    lines = list(csv.reader(io.StringIO(text.getvalue(), newline="")))
    made = written_for(result("x", 3.0, of_canvas("x_50_67890_value.py")), sheet=text.getvalue(), column="4711")
    kept = list(csv.reader(io.StringIO(made.files[FILE_NAME].decode(), newline="")))
    assert kept == [[*lines[0][:4], lines[0][5]], [*lines[1][:4], "20.00"], [*lines[2][:4], "3.00"]]
    book = CanvasGradebook(made.files[FILE_NAME], "again")
    original = CanvasGradebook(text.getvalue().encode(), "first")
    assert book.sheet.get_raw_cells(2)[:4] == original.sheet.get_raw_cells(2)[:4]


@given(st.floats(0, 1000), st.floats(0.5, 1000), st.integers(1, 100_000))
def test_what_is_written_is_read_back_as_it_is(points: float, most: float, hundredths: int) -> None:
    possible = try_parse_number(f"{hundredths / 100:.2f}")
    assert possible is not None
    score = rescale_points(points, most, possible)
    assert (
        try_parse_number(format_score(score))
        == try_parse_number(format_score(score, uses_decimal_comma=True))
        == score
    )
    assert abs(float(score) - points * float(possible) / most) <= 0.00501


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("17.50", "17.5"),
        ("17,5", "17.5"),
        ("1.234,5", "1234.5"),
        ("-1", "-1"),
        (" 3 ", "3"),
        ("87.5%", None),
        ("", None),
    ],
)
def test_numbers_are_read_as_canvas_s_importer_does(cell: str, number: str | None) -> None:
    assert try_parse_number(cell) == (None if number is None else Decimal(number))


# ------------------------------------------------------------------ canvas columns


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


# ------------------------------------------------------------------ canvas students


@pytest.mark.parametrize(
    "row",
    [
        {"Given name": "Bob", "Surname": "O'Brien"},
        {"canvas_id": "12"},
        {"id": "S2"},
        {"Login": "BOB@example.edu"},
        {"name": "x", "email": "bob@example.edu"},
        {"Name": 'O\'Brien, "Bob"'},
        {"student": "Bob O'Brien"},
        {"first name": "Bob", "last name": "O'Brien"},
    ],
)
def test_the_course_s_own_list_says_who_is_who(row: dict[str, str]) -> None:
    made = written_for(result("x.py", 4.0, SubmissionOrigin("", roster=(row,)), row))
    assert [one.student for one in made.changes] == ['O\'Brien, "Bob" (12)']


def test_all_members_of_a_group_get_the_score() -> None:
    rows = [{"login": "jblock3430"}, {"login": "absent"}]
    made = written_for(result("team", 4.0, SubmissionOrigin("moodle", group="team"), *rows))
    assert [(one.student, one.after) for one in made.changes] == [
        ("Block, Jasen (11)", "4.00"),
        ("Absent, Max (15)", "4.00"),
    ]


@pytest.mark.parametrize("name", ["jblock3430", "JBlock3430", "S1", "11", "blockjasen", "Jasen Block"])
def test_a_plain_folder_is_matched_by_what_its_submissions_are_called(name: str) -> None:
    assert written_for(result(name, 4.0)).changes[0].student == "Block, Jasen (11)"


def test_another_platform_s_numbers_are_not_canvas_s() -> None:
    other = SubmissionOrigin("moodle", (Person(id="11", email="bob@example.edu"),))
    assert written_for(result("x", 4.0, other)).changes[0].student == 'O\'Brien, "Bob" (12)'


def test_a_list_that_counts_students_otherwise_does_not_add_any() -> None:
    row = {"id": "12", "name": "Jasen Block"}
    made = written_for(result("a", 4.0, replace(JASEN, roster=(row,)), row))
    assert [one.student for one in made.changes] == ["Block, Jasen (11)"]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (result("gone", 4.0, of_canvas("gone_77_67890_value.py")), "no student in Canvas has the id 77"),
        (result("anon_aB3dE", 4.0, of_canvas("anon_aB3dE_67890_value.py")), "Canvas hides the student"),
        (result("who", 4.0), "no student in Canvas has this id, login or name"),
        (result("x", 4.0, SubmissionOrigin("moodle", (Person(id="7"),))), "no student in Canvas has this login"),
        (
            result("x", 4.0, None, {"id": "S1", "login": "absent"}),
            r"several students match: Block, Jasen \(11\) and Absent, Max",
        ),
    ],
)
def test_whose_it_is_must_be_sure(row: SubmissionResult, why: str) -> None:
    made = written_for(row)
    assert len(made.unmatched) == 1
    with pytest.raises(AssertionError, match=why):
        raise AssertionError(made.unmatched[0])
    assert len(table(made)) == 2


def test_two_of_one_name_are_told_apart_only_by_more_than_the_name() -> None:
    sheet = GRADEBOOK.replace("Absent, Max", "Block, Jasen")
    assert "several students match:" in written_for(result("Jasen Block", 4.0), sheet=sheet).unmatched[0]
    assert written_for(result("absent", 4.0), sheet=sheet).changes[0].student == "Block, Jasen (15)"


def test_a_name_made_of_numbers_gets_nobody_elses_score() -> None:
    """Mallory, with the id 12, has called herself ``Mallory_11``: 11 is Jasen's id, who handed in nothing."""
    sheet = GRADEBOOK.replace('"O\'Brien, ""Bob"""', '"Mallory_11"')
    mallory = SubmissionOrigin("canvas", (Person(id="11", name="mallory"),), names=("mallory_11_12_67890_value.py",))
    made = written_for(result("mallory_11", 1.0, mallory), sheet=sheet)
    assert [one.student for one in made.changes] == ["Mallory_11 (12)"]
    unsure = written_for(result("mallory_11", 1.0, mallory))
    assert not unsure.changes
    assert "any of them may be the student's id" in unsure.unmatched[0]


def test_numbers_in_a_file_s_name_do_no_harm() -> None:
    ways = of_canvas("blockjasen_11_12_13_value.py")
    assert written_for(result("a", 1.0, ways)).changes[0].student == "Block, Jasen (11)"


def test_an_attempt_that_does_not_count_is_not_written() -> None:
    made = written_for(result("a", 1.0, JASEN), replace(result("a~2", 20.0, JASEN), attempt_counts=False))
    assert [one.after for one in made.changes] == ["1.00"]


# ------------------------------------------------------------------ canvas feedback


SHEET = (
    b"Student,ID,SIS Login ID,Section,HW1 Value (4711)\n    Points Possible,,,,20.00\n"
    b'"Ada, A",11,a,x,\n"Bob, B",12,b,x,5.00\n'
)
ADA = result("ada_11", 4.0, of_canvas("adaa_LATE_11_67890_value-1.py"))
BOB_CANVAS_FEEDBACK = result("bob_12", 5.0, of_canvas("bobb_12_67891_value.py"))


def export_to_canvas(*rows: SubmissionResult, **settings: str) -> ExportResult:
    return export_class("canvas", SHEET, *rows, **settings)


def entries(export: ExportResult) -> dict[str, bytes]:
    if FEEDBACK not in export.files:
        return {}
    with zipfile.ZipFile(io.BytesIO(export.files[FEEDBACK])) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_file_has_the_name_that_canvas_gave_letter_for_letter() -> None:
    assert [*entries(export_to_canvas(ADA, BOB_CANVAS_FEEDBACK))] == ["adaa_LATE_11_67890_value-1.py"]


def test_whose_score_stays_gets_feedback_only_on_request() -> None:
    assert len(entries(export_to_canvas(ADA, BOB_CANVAS_FEEDBACK, feedback="all"))) == 2
    assert not entries(export_to_canvas(ADA, BOB_CANVAS_FEEDBACK, feedback="none"))
    with pytest.raises(CallerFault, match=r"unknown value 'some' of feedback \(choose from changed, all, none\)"):
        export_to_canvas(ADA, feedback="some")


def test_the_staff_is_told_that_a_second_upload_is_a_second_comment() -> None:
    assert any("at every upload" in note for note in export_to_canvas(ADA).notes)
    assert not any("every time" in note for note in export_to_canvas(BOB_CANVAS_FEEDBACK).notes)


def test_of_several_files_the_program_is_taken() -> None:
    several = of_canvas("adaa_11_1_zz.txt", "adaa_11_3_value.ipynb", "adaa_11_2_value.py")
    assert [*entries(export_to_canvas(result("ada", 1.0, several)))] == ["adaa_11_2_value.py"]


def test_feedback_is_on_the_attempt_that_counts_and_on_what_came_from_canvas() -> None:
    earlier = replace(result("ada~1", 1.0, of_canvas("adaa_11_1_value.py")), attempt_counts=False)
    elsewhere = result("bob", 1.0, replace(of_canvas("bobb_12_2_value.py"), platform="moodle"))
    assert not entries(export_to_canvas(earlier, elsewhere, feedback="all"))


def test_hidden_students_get_feedback_although_their_scores_match_nobody() -> None:
    made = export_to_canvas(result("anon_aB3dE", 1.0, of_canvas("anon_aB3dE_67890_value.py")))
    assert [*entries(made)] == ["anon_aB3dE_67890_value.py"]
    assert made.unmatched


def test_what_was_typed_in_has_no_file_and_that_is_said() -> None:
    made = export_to_canvas(result("ada", 1.0, of_canvas("adaa_11_text.html")))
    assert not entries(made)
    assert any("no feedback file for ada:" in note for note in made.notes)


@given(st.text())
def test_feedback_called_py_is_a_program_that_does_nothing_whatever_a_student_wrote(text: str) -> None:
    content = encode_feedback_file("a_1_2_value.py", a_report(text)).decode()
    assert ast.parse(content).body == []
    assert "5 of 20" in content


@given(st.text())
def test_feedback_called_ipynb_is_a_notebook_of_plain_text(text: str) -> None:
    notebook = nbformat.reads(encode_feedback_file("a_1_2_value.ipynb", a_report(text)).decode(), as_version=4)
    nbformat.validate(notebook)
    assert [cell.cell_type for cell in notebook.cells] == ["raw"]
    assert "5 of 20" in notebook.cells[0].source


def test_feedback_called_zip_is_a_zip_of_the_page() -> None:
    with zipfile.ZipFile(io.BytesIO(encode_feedback_file("a_1_2_mine.ZIP", a_report()))) as archive:
        assert archive.namelist() == ["feedback.html"]
        assert archive.read("feedback.html").startswith(b"<!DOCTYPE html>")


@pytest.mark.parametrize(("name", "start"), [("x.html", b"<!doctype html>"), ("x.txt", b"zebra"), ("x", b"zebra")])
def test_feedback_under_other_names_is_a_page_or_text(name: str, start: bytes) -> None:
    assert encode_feedback_file(name, a_report()).lower().startswith(start)


def test_hidden_tests_stay_hidden() -> None:
    report = shown(a_report("secret"), "hidden")
    assert "It holds that" not in encode_feedback_file("a_1_2_value.py", report).decode()
    assert "It holds that" not in format_score_comment(report)


def test_the_same_results_make_the_same_bytes() -> None:
    assert export_to_canvas(ADA).files == export_to_canvas(ADA).files
