"""Scores in Canvas's gradebook: only what changes is written, and everything else stays as it was exported.

The gradebook is in the form that Canvas's exporter writes and its importer reads.
"""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.platforms.canvas.gradebook_export import FILE_NAME
from autograder.platforms.canvas.gradebook_reader import CanvasGradebook
from autograder.platforms.canvas.number_format import format_score, try_parse_number
from autograder.platforms.common.export_points import rescale_points
from tests.platforms.canvas_class import of_canvas
from tests.platforms.canvas_sheet import BOB, GRADEBOOK, JASEN, LI, table, written_for
from tests.platforms.classes import result
from tests.reports.sample import a_report


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
