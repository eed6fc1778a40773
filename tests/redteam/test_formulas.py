"""No text of a student's computes in a spreadsheet."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from autograder.batch.output_files import write_gradebook
from autograder.batch.personalized_reports import ReportPersonalizationContext
from autograder.course import Assignment
from autograder.text import neutralize_formula, restore_formula
from tests.machine import cost_of
from tests.redteam.formula_texts import FORMULAS, cells, opens_formula
from tests.redteam.hostile_texts import report


@pytest.mark.parametrize("text", FORMULAS.values(), ids=FORMULAS)
def test_no_text_is_a_formula_in_the_gradebook(engine: Assignment, tmp_path: Path, text: str) -> None:
    naive = io.StringIO()
    csv.writer(naive).writerow(["x", text])
    assert any(map(opens_formula, cells(naive.getvalue()))) or text.startswith(("'", "alice,")), "as it is"
    context = ReportPersonalizationContext(engine.deadline_rules)
    write_gradebook([report(engine, text)], engine, tmp_path / "gradebook.csv", context)
    written = (tmp_path / "gradebook.csv").read_text(encoding="utf-8")
    assert [cell for cell in cells(written) if opens_formula(cell)] == []
    assert len(written.splitlines()) == 2


@pytest.mark.parametrize("text", ["alice", "O'Neill", "'t Hooft", "a-b", "x+y", "a@b.org", "a = b; c", "値", "3"])
def test_what_is_no_formula_is_written_as_it_is(text: str) -> None:
    assert neutralize_formula(text) == text


def test_no_two_names_are_one_cell() -> None:
    names = ["=1", "'=1", "''=1", " =1", "' =1", "a;=1", "a;'=1", "+1", "'+1"]
    assert len({*map(neutralize_formula, names)}) == len(names)


@pytest.mark.parametrize("unit", ["\t", "\r\t", "\t'", ";\t"])
def test_a_long_text_of_blanks_is_neutralized_and_restored_in_no_time(unit: str) -> None:
    text = unit * 100_000
    assert neutralize_formula(text) == text == restore_formula(text)
    assert cost_of(lambda: (neutralize_formula(text), restore_formula(text))) < 80


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("\t\t=1", "'\t'\t'=1"), (";\t' =1", ";'\t'' =1"), ("a\t=1", "a\t'=1"),
        ("a =1;=2", "a =1;'=2"), (" \n+", "' \n'+"),
    ],
)  # fmt: skip
def test_every_place_where_a_cell_may_begin_is_neutralized_and_restored(text: str, cell: str) -> None:
    assert neutralize_formula(text) == cell
    assert restore_formula(cell) == text
