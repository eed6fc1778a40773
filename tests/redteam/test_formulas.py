"""No text of a student's computes in a spreadsheet."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from autograder.batch.gradebook import write_gradebook
from autograder.course import Assignment
from autograder.formula_cells import neutralize_formula
from tests.redteam.hostile_texts import report

FORMULAS = {
    "an equals sign": '=HYPERLINK("https://example.org","x")',
    "a plus": "+1+1",
    "a minus": "-1+1",
    "an at": "@SUM(A1)",
    "a call of another program": "=cmd|' /C calc'!A0",
    "a tab before it": "\t=1+1",
    "a carriage return before it": "\r=1+1",
    "a line break before it": "\n=1+1",
    "a space before it": " =1+1",
    "a hard space before it": "\xa0=1+1",
    "an apostrophe before it": "'=1+1",
    "a quote before it": '"=1+1',
    "full width": "＝1+1",
    "full width of others": "＋1＋1",
    "an at of full width": "＠SUM(A1)",
    "a semicolon before it": "alice;=1+1",
    "a semicolon and a space before it": "alice; =1+1",
    "a quote that ends, and a semicolon": 'alice";=1+1;"',
    "a comma before it": "alice,=1+1",
}


def opens_formula(cell: str) -> bool:
    return cell.lstrip(' \t\r\n\xa0"')[:1] in {*"=+-@＝＋－＠"}


def cells(text: str) -> list[str]:
    """Every cell, with commas between cells and with semicolons."""
    return [
        cell
        for mark in ",;"
        for row in csv.reader(io.StringIO(text.replace("\r", "\n")), delimiter=mark)
        for cell in row
    ]


@pytest.mark.parametrize("text", FORMULAS.values(), ids=FORMULAS)
def test_no_text_is_a_formula_in_the_gradebook(engine: Assignment, tmp_path: Path, text: str) -> None:
    naive = io.StringIO()
    csv.writer(naive).writerow(["x", text])
    assert any(map(opens_formula, cells(naive.getvalue()))) or text.startswith(("'", "alice,")), "as it is"
    write_gradebook([report(engine, text)], engine, tmp_path / "gradebook.csv")
    written = (tmp_path / "gradebook.csv").read_text(encoding="utf-8")
    assert [cell for cell in cells(written) if opens_formula(cell)] == []
    assert len(written.splitlines()) == 2


@pytest.mark.parametrize("text", ["alice", "O'Neill", "'t Hooft", "a-b", "x+y", "a@b.org", "a = b; c", "値", "3"])
def test_what_is_no_formula_is_written_as_it_is(text: str) -> None:
    assert neutralize_formula(text) == text


def test_no_two_names_are_one_cell() -> None:
    names = ["=1", "'=1", "''=1", " =1", "' =1", "a;=1", "a;'=1", "+1", "'+1"]
    assert len({*map(neutralize_formula, names)}) == len(names)
