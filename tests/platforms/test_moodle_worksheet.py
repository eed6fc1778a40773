"""Moodle's worksheet: a grade for each student as a real Moodle takes it, and no other byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.editable_csv import EditableCsv
from autograder.faults import CallerFault
from tests.platforms.classes import EVERYBODYS, kept_of
from tests.platforms.moodle_class import (
    COMMENT,
    GOLDEN,
    GRADE,
    GRADED,
    cells,
    export,
    grades,
    pages,
    result,
    with_cells,
)
from tests.platforms.moodle_sheets import ADA, BOB, EMPTY, EVERYBODY, PLAIN

BLIND = (GOLDEN / "blind_worksheet.csv").read_bytes()


def test_the_worksheet_that_a_real_moodle_took_is_written_cell_for_cell() -> None:
    golden = (GOLDEN / "upload_worksheet.csv").read_bytes()
    bare = with_cells(golden, {(row, column): "" for row in range(1, 7) for column in (GRADE, COMMENT)})
    points = dict(zip(EVERYBODY, (17.5, 20, 0, 21, 12.5), strict=True))
    made = export(bare, *(result(name, value) for name, value in points.items()))
    wanted = [list(row[:COMMENT]) for row in cells(golden)]
    assert wanted[4][GRADE] == "21"  # Moodle skipped it
    assert wanted[5][GRADE] == "12,5"  # Moodle read 12
    wanted[4][GRADE], wanted[5][GRADE] = "20", "12.5"
    assert [list(row[:COMMENT]) for row in cells(made.files["worksheet.csv"])] == wanted


def test_scores_are_scaled_to_what_moodle_calls_full_marks() -> None:
    made = export(EMPTY, result(ADA, 87.5), result(BOB, 33.33), max_points=100)
    assert grades(made) == {"1": "", "2": "17.5", "3": "", "4": "6.67", "5": "", "6": ""}


def test_nobody_gets_more_than_full_marks_because_moodle_would_skip_the_grade() -> None:
    made = export(EMPTY, result(ADA, 22), result(BOB, 20))
    assert (grades(made)["2"], grades(made)["4"]) == ("20", "20")
    assert any(
        note.startswith("1 submission has more than full marks; full marks were written") for note in made.notes
    )


def test_a_grade_that_stays_is_not_touched() -> None:
    sheet = with_cells(PLAIN, {(1, COMMENT): ""})
    first = export(sheet, result(ADA, 17.5))
    made = export(
        first.files["worksheet.csv"],
        result(ADA, 17.5),
        result(BOB, 19),
        written=kept_of(first),
        overwrite=frozenset({BOB}),
    )
    same = EditableCsv(first.files["worksheet.csv"], "").get_raw_cells(1)
    assert EditableCsv(made.files["worksheet.csv"], "").get_raw_cells(1) == same
    assert [(one.before, one.after) for one in made.changes] == [("17.50", "17.50"), ("20.00", "19")]


def test_the_minimal_sheet_that_a_real_moodle_took_needs_full_marks_from_the_caller() -> None:
    sheet = with_cells((GOLDEN / "upload_minimal.csv").read_bytes(), {(1, 1): "", (1, 3): ""})
    made = export(sheet, result(ADA, 19), full=20, match="number")
    assert cells(made.files["worksheet.csv"])[1][:2] == ("Participant 2", "19")
    with pytest.raises(CallerFault, match="--max-score"):
        export(sheet, result(ADA, 19), match="number")


def test_hidden_names_are_matched_by_number() -> None:
    made = export(BLIND, result("Participant_7", 5), result("Participant_11", 10))
    assert {row[0]: row[2] for row in cells(made.files["worksheet.csv"])[1:3]} == {
        "Participant 11": "10",
        "Participant 7": "5",
    }
    assert list(pages(made)) == [
        "Participant_11_assignfeedback_file/feedback.html",
        "Participant_7_assignfeedback_file/feedback.html",
    ]
    assert made.unmatched == ()


def test_who_was_not_graded_is_missing() -> None:
    assert export(PLAIN, *(result(name, 1) for name in EVERYBODY)).missing == ("No Submission (3)",)


@given(
    st.dictionaries(st.sampled_from(EVERYBODY), st.floats(0, 25), max_size=5),
    st.sampled_from([PLAIN, EMPTY, (GOLDEN / "upload_worksheet.csv").read_bytes()]),
    st.sampled_from([b"\n", b"\r\n"]),
    st.sampled_from(["", "replace"]),
)
def test_all_but_grades_and_comments_stays_byte_for_byte(
    points: dict[str, float], sheet: bytes, end: bytes, comments: str
) -> None:
    sheet = sheet.replace(b"\n", end)
    made = export(
        sheet, *(result(name, value) for name, value in points.items()), comments=comments, overwrite=EVERYBODYS
    )
    before, after = EditableCsv(sheet, "before"), EditableCsv(made.files["worksheet.csv"], "after")
    numbers = {name.rpartition("_")[2] for name in points}
    for place, row in enumerate(before.rows):
        mine = row.cells[0].split()[-1] in numbers
        for column, cell in enumerate(before.get_raw_cells(place)):
            outdated = column == GRADED and after.get_raw_cells(place)[column] == "-"
            if not (outdated or (mine and column in (GRADE, COMMENT))):
                assert after.get_raw_cells(place)[column] == cell
    changing = (GRADE, GRADED, COMMENT)
    kept = {(row, column): before.rows[row].cells[column] for row in range(1, 7) for column in changing}
    assert cells(with_cells(bytes(after), kept)) == cells(sheet)
    assert bytes(after).count(end) == sheet.count(end)
    assert bytes(after)[:3] == sheet[:3]
