"""Tables: read as any program writes them, and only what is set changes."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.faults import CallerFault
from autograder.platforms.common.export_points import rescale_points
from autograder.platforms.moodle.worksheet_columns import NUMBERED
from autograder.tables import EditableCsv

# ------------------------------------------------------------------ editable csv


GOLDEN = sorted((Path(__file__).parents[1] / "data" / "platforms").rglob("*.csv"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_what_real_programs_wrote_comes_back_as_it_was(path: Path) -> None:
    content = path.read_bytes()
    assert bytes(EditableCsv(content, path.name)) == content


@given(st.lists(st.lists(st.text('ab",;\n\r é'), min_size=3, max_size=3), min_size=1))
def test_a_table_is_read_as_python_reads_it_and_comes_back(rows: list[list[str]]) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows([["x", "y", "z"], *rows])
    content = written.getvalue().encode()
    sheet = EditableCsv(content, "table.csv")
    assert [list(row.cells) for row in sheet.rows[1:]] == rows
    assert bytes(sheet) == content


@given(st.text('ab",;\n\r é0='), st.sampled_from([b"\r\n", b"\n"]))
def test_only_the_cell_that_is_put_changes(value: str, end: bytes) -> None:
    content = b"\xef\xbb\xbf" + end.join([b'"a b",c', b"1, 2 ", b'"3","4"', b""])
    sheet = EditableCsv(content, "table.csv")
    sheet.set_cell(1, 0, value)
    again = EditableCsv(bytes(sheet), "table.csv")
    assert again.rows[1].cells == (value, " 2 ")
    assert bytes(sheet).startswith(b"\xef\xbb\xbf" + b'"a b",c' + end)
    assert bytes(sheet).endswith(b", 2 " + end + b'"3","4"' + end)


def test_a_short_row_gets_empty_cells() -> None:
    sheet = EditableCsv(b"a;b;c\n1\n", "table.csv")
    sheet.set_cell(1, 2, "x")
    assert bytes(sheet) == b"a;b;c\n1;;x\n"


def test_a_row_knows_its_line_in_the_file() -> None:
    assert [row.line for row in EditableCsv(b'a\n"b\nb"\nc\n', "table.csv").rows] == [1, 2, 4]


@pytest.mark.parametrize("content", [b"", b"\xff\xfea", b"\xe4"])
def test_what_is_no_table_is_refused(content: bytes) -> None:
    with pytest.raises(CallerFault, match=r"table\.csv"):
        EditableCsv(content, "table.csv")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_table_in_utf_16_stays_one(encoding: str) -> None:
    before, after = ("\ufeff" + text for text in ('"Größe"\t"小龙"\r\n1\t2\r\n', '"Größe"\t"小龙"\r\n1\té\r\n'))
    sheet = EditableCsv(before.encode(encoding), "table.xls")
    assert sheet.rows[0].cells == ("Größe", "小龙")
    sheet.set_cell(1, 1, "é")
    assert bytes(sheet) == after.encode(encoding)
    assert sheet.encode_selected_cells([0, 1], [1]) == '\ufeff"小龙"\r\né\r\n'.encode(encoding)


def test_a_cell_may_be_written_with_quotation_marks_that_it_does_not_need() -> None:
    sheet = EditableCsv(b'a,b\n1,""\n', "table.csv")
    sheet.set_cell(1, 1, '2"', always_quote=True)
    assert bytes(sheet) == b'a,b\n1,"2"""\n'


# ------------------------------------------------------------------ long cells


@pytest.mark.parametrize("cell", ["Participant 7", "7", "Teilnehmer/in 12 ", "2nd participant 30"])
def test_the_last_number_of_a_cell_is_the_participants(cell: str) -> None:
    match = NUMBERED.fullmatch(cell)
    assert match
    assert match[2] == cell.split()[-1]


# ------------------------------------------------------------------ points


def test_a_table_of_any_platform_gets_hundredths_of_which_a_half_goes_up() -> None:
    assert [str(rescale_points(points, 100, 10)) for points in (80.05, 80.15, 80.04, 100)] == [
        "8.01",
        "8.02",
        "8.00",
        "10.00",
    ]


def test_whatever_full_marks_a_table_says_there_is_a_number() -> None:
    assert rescale_points(50.0, 100.0, Decimal("9" * 60)) > 10**58
    assert rescale_points(0.0, 0.0, 20) == 0
