"""Feedback goes back to Canvas under the names that it gave: a file a student, of the kind that the name promises."""

from __future__ import annotations

import ast
import io
import zipfile
from dataclasses import replace

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.faults import CallerFault
from autograder.platforms import ExportResult, SubmissionResult
from autograder.platforms.canvas.feedback_zip import FEEDBACK, encode_feedback_file
from autograder.platforms.canvas.score_comment import format_score_comment
from tests.platforms.canvas_class import of_canvas
from tests.platforms.classes import export_class, result
from tests.reports.sample import a_report, shown

SHEET = (
    b"Student,ID,SIS Login ID,Section,HW1 Value (4711)\n    Points Possible,,,,20.00\n"
    b'"Ada, A",11,a,x,\n"Bob, B",12,b,x,5.00\n'
)
ADA = result("ada_11", 4.0, of_canvas("adaa_LATE_11_67890_value-1.py"))
BOB = result("bob_12", 5.0, of_canvas("bobb_12_67891_value.py"))


def export_to_canvas(*rows: SubmissionResult, **settings: str) -> ExportResult:
    return export_class("canvas", SHEET, *rows, **settings)


def entries(export: ExportResult) -> dict[str, bytes]:
    if FEEDBACK not in export.files:
        return {}
    with zipfile.ZipFile(io.BytesIO(export.files[FEEDBACK])) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_file_has_the_name_that_canvas_gave_letter_for_letter() -> None:
    assert [*entries(export_to_canvas(ADA, BOB))] == ["adaa_LATE_11_67890_value-1.py"]


def test_whose_score_stays_gets_feedback_only_on_request() -> None:
    assert len(entries(export_to_canvas(ADA, BOB, feedback="all"))) == 2
    assert not entries(export_to_canvas(ADA, BOB, feedback="none"))
    with pytest.raises(CallerFault, match=r"unknown value 'some' of feedback \(choose from changed, all, none\)"):
        export_to_canvas(ADA, feedback="some")


def test_the_staff_is_told_that_a_second_upload_is_a_second_comment() -> None:
    assert any("at every upload" in note for note in export_to_canvas(ADA).notes)
    assert not any("every time" in note for note in export_to_canvas(BOB).notes)


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
