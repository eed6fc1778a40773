"""Moodle's worksheet in any language, with any columns: the grade and the comment stand in theirs."""

from __future__ import annotations

import pytest

from autograder.faults import CallerFault
from autograder.platforms import ClassResults, ExportOptions
from autograder.platforms.moodle import platform
from tests.platforms.classes import EVERYBODYS
from tests.platforms.moodle_class import COMMENT, FLAG, GRADE, MAXIMUM, cells, export, grades, result, with_cells
from tests.platforms.moodle_sheets import ADA, EMPTY, LI, wider

GERMAN = """\
Identifikator;Vollständiger Name;E-Mail-Adresse;Status;Bewertung;Höchstwertung;Bewertung kann geändert werden;\
Zuletzt geändert (Abgabe);Zuletzt geändert (Bewertung);Feedback als Kommentar
Teilnehmer/in 7;Jörg Müller;joerg@example.de;Zur Bewertung abgegeben;;20,00;Ja;\
Freitag, 20. November 2026, 14:18;-;
Teilnehmer/in 8;Änne Öz;aenne@example.de;Zur Bewertung abgegeben - Bewertet;12,50;20,00;Ja;\
Freitag, 20. November 2026, 14:18;Freitag, 20. November 2026, 15:18;gut
""".encode()


def test_a_german_worksheet_gets_a_comma_and_keeps_its_semicolons() -> None:
    made = export(GERMAN, result("Jörg Müller_7", 12.5), result("Änne Öz_8", 10), overwrite=EVERYBODYS)
    rows = cells(made.files["worksheet.csv"])
    assert (rows[1][4], rows[2][4]) == ("12,5", "10")
    assert rows[1][9].startswith("Autograder: 12,5 of 20 points.")
    assert made.files["worksheet.csv"].startswith(GERMAN.partition(b"\n")[0])


@pytest.mark.parametrize(
    ("full", "before", "after"),
    [("20.00", "12,5", "7.25"), ("20,00", "", "7,25"), ("20", "12,5", "7,25"), ("20", "12", "7.25")],
)
def test_a_comma_is_written_where_moodle_reads_one(full: str, before: str, after: str) -> None:
    sheet = with_cells(EMPTY, {(row, MAXIMUM): full for row in range(1, 7)} | {(1, GRADE): before})
    assert grades(export(sheet, result(ADA, 7.25), overwrite=EVERYBODYS))["2"] == after


@pytest.mark.parametrize("header", ["ÐŸ,姓名,البريد,a,b,c,d,e,f,g,h", "x,x,x,x,x,x,x,x,x,x,x", ",,,,,,,,,,"])
def test_headers_may_be_in_any_language(header: str) -> None:
    sheet = header.encode() + b"\n" + EMPTY.partition(b"\n")[2]
    made = export(sheet, result(ADA, 7), result(LI, 8))
    assert (grades(made)["2"], grades(made)["1"]) == ("7", "8")
    assert grades(made, COMMENT)["2"].startswith("Autograder: 7 of 20 points.")


@pytest.mark.parametrize(
    ("place", "title", "values"),
    [
        (3, "ID number", ["7", "7", "7", "7", "7", "7"]),
        (3, "ID number", ["S-1", "S-2", "S-3", "S-4", "S-5", ""]),
        (4, "Group", ["Red", "Red", "Blue", "Blue", "Blue", "Blue"]),
        (6, "Marking workflow state", ["Not marked"] * 6),
        (8, "Word count", ["10", "20", "30", "40", "50", "60"]),
        (11, "Outcomes", ["Good: 1"] * 6),
    ],
)
def test_columns_that_a_site_adds_do_not_mislead(place: int, title: str, values: list[str]) -> None:
    sheet = wider(EMPTY, place, title, values)
    made = export(sheet, result(ADA, 7))
    assert grades(made, GRADE + (place <= GRADE))["2"] == "7"
    assert grades(made, COMMENT + (place <= COMMENT))["2"].startswith("Autograder:")
    assert (
        sum(one != other for one, other in zip(cells(sheet)[1], cells(made.files["worksheet.csv"])[1], strict=True))
        == 2
    )


@pytest.mark.parametrize("numbers", ["777777", "123456"])
def test_a_column_that_looks_like_full_marks_beside_an_empty_one_does_not_mislead(numbers: str) -> None:
    without_mail = with_cells(EMPTY, {(row, 2): "" for row in range(1, 7)})
    sheet = wider(without_mail, 3, "Kennzahl", [*numbers])
    assert grades(export(sheet, result(ADA, 7)), GRADE + 1)["2"] == "7"


def test_a_scale_is_not_rescued_by_numbers_of_students() -> None:
    changed = {(row, MAXIMUM): "Poor\nGood" for row in range(1, 7)} | {(row, 2): "" for row in range(1, 7)}
    sheet = wider(with_cells(EMPTY, {**changed, (0, GRADE): "Bewertung"}), 3, "Kennzahl", [*"123456"])
    with pytest.raises(CallerFault, match="no column of grades"):
        export(sheet, result(ADA, 7))


def test_a_sheet_without_comments_gets_grades_alone_and_a_note() -> None:
    sheet = b"\n".join(line.rsplit(b",", 1)[0] for line in EMPTY.splitlines()) + b"\n"
    made = export(sheet, result(ADA, 7))
    assert grades(made)["2"] == "7"
    assert cells(made.files["worksheet.csv"])[1][9] == cells(sheet)[1][9]
    assert any("no column for comments" in note for note in made.notes)


def test_a_scale_is_refused_with_what_to_do() -> None:
    scale = with_cells(EMPTY, {(row, MAXIMUM): "Poor\nGood" for row in range(1, 7)})
    renamed = with_cells(scale, {(0, GRADE): "Bewertung"})
    with pytest.raises(CallerFault, match=r"sheet\.csv: no column of grades stands .*--set grade_column"):
        export(renamed, result(ADA, 7))


def test_the_caller_may_name_the_columns() -> None:
    sheet = with_cells(EMPTY, {(3, MAXIMUM): "21.00", (0, GRADE): "Note", (0, COMMENT): "Kommentar"})
    made = export(sheet, result(ADA, 7), full=20, grade_column="note", feedback_column="Kommentar")
    assert grades(made)["2"] == "7"
    with pytest.raises(CallerFault, match=r"has no column 'Punkte' \(choose from 'Identifier'.* and 'Kommentar'"):
        export(sheet, result(ADA, 7), grade_column="Punkte")


def test_without_a_worksheet_the_caller_hears_where_to_get_it() -> None:
    assert platform.class_writer is not None
    with pytest.raises(CallerFault, match="Download grading worksheet"):
        platform.class_writer(ClassResults("a", "A", 20, ()), ExportOptions())


@pytest.mark.parametrize("sheet", [b"Identifier,Grade\n", b"name,points\nAda,3\n", b"\n"])
def test_another_table_is_refused(sheet: bytes) -> None:
    with pytest.raises(CallerFault, match=r"sheet\.csv"):
        export(sheet, result(ADA, 7))


@pytest.mark.parametrize("workflow", [False, True])
def test_a_locked_grade_is_left_alone_and_told(workflow: bool) -> None:
    sheet = with_cells(EMPTY, {(1, FLAG): "No"})
    made = export(wider(sheet, FLAG, "Workflow", ["Released"] * 6) if workflow else sheet, result(ADA, 7))
    comments = grades(made, COMMENT + workflow)
    assert (grades(made)["2"], comments["2"]) == ("", "")
    assert made.changes[0].note == "locked in Moodle; left unchanged"
