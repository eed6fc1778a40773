"""What was marked in Moodle before: rows that Moodle takes or leaves, and grades that cannot be changed."""

from __future__ import annotations

import re

import pytest

from autograder.faults import CallerFault
from autograder.platforms import ExportResult, SubmissionResult
from autograder.platforms.moodle.worksheet_columns import identify_worksheet_columns, require_participant_rows
from autograder.tables import EditableCsv
from tests.platforms import moodle_class
from tests.platforms.moodle_class import GOLDEN, cells, result, with_cells

LANGUAGES = ("en", "de", "es", "fr", "ja", "ar", "zh_cn", "eu")
SHEETS = {one: (GOLDEN / "worksheets" / f"graded-{one}.csv").read_bytes() for one in LANGUAGES}
"""What a Moodle 4.3 wrote of one class: Ada's comment is a teacher's, Jürgen's grade cannot be changed."""
ADA, BOB, BERG, JUERGEN = "Ada Lovelace_8", "Robert Bob O'Brien_17", "A b 12 van der Berg, Jr._12", "Jürgen_15"
GRADE, CHANGEABLE, GRADED, COMMENT = 4, 6, 8, 9
"""Columns of these worksheets."""
BOB_AND_BERG = frozenset({"17", "12"})
"""Whose marks may be replaced: nothing here is what the kit wrote."""


def export_by_number(
    sheet: bytes, *rows: SubmissionResult, timezone: str = "", overwrite: frozenset[str] = BOB_AND_BERG
) -> ExportResult:
    """What the writer makes of a worksheet, by participants' numbers: Moodle shows names in two orders."""
    return moodle_class.export(sheet, *rows, match="number", timezone=timezone, overwrite=overwrite)


def row(made: ExportResult, number: str) -> tuple[str, ...]:
    """The row of a participant."""
    return found(made.files["worksheet.csv"], number)


def found(sheet: bytes, number: str) -> tuple[str, ...]:
    """The row of a participant, in any language."""
    return next(one for one in cells(sheet) if re.fullmatch(rf"\D+{number}", one[0]))


def edited(sheet: bytes, number: str, column: int, value: str) -> bytes:
    """A worksheet with another cell."""
    return with_cells(sheet, {(cells(sheet).index(found(sheet, number)), column): value})


# ------------------------------------------------------------------ when a grade was changed


def test_a_date_in_english_stays_as_it_is() -> None:
    made = export_by_number(SHEETS["en"], result(BOB, 3))
    assert row(made, "17")[GRADED] == "Sunday, 22 November 2026, 10:55 AM"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_row_that_does_not_change_stays_as_it_is(language: str) -> None:
    made = export_by_number(SHEETS[language], result(BERG, 3))
    assert row(made, "17") == found(SHEETS[language], "17")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_row_with_a_teachers_comment_that_does_not_change_is_left_alone_by_moodle(language: str) -> None:
    made = export_by_number(SHEETS[language], result(BOB, 3), result(ADA, 17.28))
    assert not any(re.fullmatch(r"\D+8", one[0]) for one in cells(made.files["worksheet.csv"]))


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_date_that_moodle_does_not_read_is_told_without_the_advice_to_write_over_newer_marks(language: str) -> None:
    made = export_by_number(SHEETS[language], result(BOB, 3), result(BERG, 3))
    (note,) = (one for one in made.notes if "time of that mark cannot be read" in one)
    assert note.startswith("Moodle will skip 2 students marked before")
    assert "set your language in Moodle to English" in note
    assert "Do not tick" in note


def test_where_there_is_a_grade_and_no_date_the_export_says_that_moodle_skips_it() -> None:
    undated = edited(SHEETS["en"], "17", GRADED, "-")
    assert any(
        note.startswith("Moodle will skip 1 student marked before")
        for note in export_by_number(undated, result(BOB, 3)).notes
    )
    assert not any("marked before" in note for note in export_by_number(undated, result(BOB, 20, "notebook")).notes)


def test_a_clock_that_is_not_the_servers_is_written_with_the_date() -> None:
    made = export_by_number(SHEETS["en"], result(BOB, 3), timezone="America/New_York")
    assert row(made, "17")[GRADED] == "2026-11-22 10:55 America/New_York"
    again = export_by_number(made.files["worksheet.csv"], result(BOB, 4), timezone="America/New_York")
    assert row(again, "17")[GRADED] == "2026-11-22 10:55 America/New_York"


@pytest.mark.parametrize("zone", ["Berlin", "../etc/passwd", "Europe"])
def test_a_time_zone_that_is_none_is_refused(zone: str) -> None:
    with pytest.raises(CallerFault, match="unknown time zone"):
        export_by_number(SHEETS["en"], result(BOB, 3), timezone=zone)


# ------------------------------------------------------------------ grades that cannot be changed


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_grade_that_moodle_lets_nobody_change_is_left_alone_in_every_language(language: str) -> None:
    made = export_by_number(SHEETS[language], result(JUERGEN, 3), result(BOB, 3))
    assert row(made, "15")[GRADE] in ("19.78", "19,78")
    assert row(made, "17")[GRADE] == "3"
    notes = {one.student.rpartition("(")[2]: one.note for one in made.changes}
    assert notes == {"15)": "locked in Moodle; left unchanged", "17)": ""}


def test_a_language_in_which_nobody_here_knows_yes_and_no_is_told() -> None:
    sheet = SHEETS["en"].replace(b",Yes,", b",Ewa,").replace(b",No,", b",Adabi,")
    made = export_by_number(sheet, result(BOB, 3))
    assert any(note.startswith("locked grades cannot be recognised") for note in made.notes)
    assert not any("locked grades" in note for note in export_by_number(SHEETS["en"], result(BOB, 3)).notes)


# ------------------------------------------------------------------ blind marking and workflow


def test_with_hidden_names_the_export_says_that_the_gradebook_waits() -> None:
    sheet = (GOLDEN / "worksheets" / "blind-de.csv").read_bytes()
    made = moodle_class.export(sheet, result("Teilnehmerin_28", 3), result("Teilnehmerin_24", 4))
    assert [cells(made.files["worksheet.csv"])[place][2] for place in (1, 2)] == ["15", "20"]
    assert any(note.startswith("names are hidden: the gradebook stays empty") for note in made.notes)


def test_with_a_workflow_the_export_says_that_the_gradebook_waits() -> None:
    sheet = EditableCsv((GOLDEN / "worksheets" / "workflow-ar.csv").read_bytes(), "sheet.csv")
    columns = identify_worksheet_columns(sheet, [one for _, one in require_participant_rows(sheet)], {})
    assert (columns.grade, columns.max_grade, columns.changeable) == (5, 6, 8)
    made = moodle_class.export(bytes(sheet), result("Ada Lovelace_48", 3))
    assert cells(made.files["worksheet.csv"])[1][5] == "15"
    assert any(note.startswith("marks have a workflow: the gradebook gets each one") for note in made.notes)


def test_of_an_ordinary_assignment_nothing_of_that_is_said() -> None:
    notes = export_by_number(SHEETS["en"], result(BOB, 3)).notes
    assert not [note for note in notes if "gradebook" in note]
