"""Decisions go into a table, are edited in a spreadsheet, and come back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.decisions import Decision, DecisionProvenance
from autograder.decisions.decision_sheet import (
    RequestedDecisionChange,
    encode_decision_sheet,
    iterate_requested_decision_changes,
)
from autograder.faults import CallerFault
from autograder.text import neutralize_formula, restore_formula

KIM = DecisionProvenance("Kim", "kim")
OVERRIDE = replace(KIM.make_decision("override", "ada", value="7", reason='=HYPERLINK("x")'), id=1)
COMMENT = replace(KIM.make_decision("comment", "bob", value="-1 for style;\nsecond line"), id=2)
KNOWN = {1: OVERRIDE, 2: COMMENT}
TABLE = encode_decision_sheet(KNOWN.values()).decode()


def read_changes(table: str) -> list[RequestedDecisionChange]:
    return [*iterate_requested_decision_changes(table.encode(), "d.csv", KNOWN)]


def test_rows_that_were_not_edited_or_are_missing_change_nothing() -> None:
    for table in (TABLE, TABLE.replace("\r\n", "\n"), TABLE.splitlines()[0]):
        assert read_changes(table) == []


def test_no_cell_is_a_formula() -> None:
    assert "'=HYPERLINK" in TABLE
    assert "'-1 for style" in TABLE


def test_an_edited_value_is_a_new_decision_about_the_same() -> None:
    (change,) = read_changes(TABLE.replace("override,ada,,7", 'override,ada,,"7,5"'))
    assert change.row_location == "d.csv:2"
    assert change.decision == Decision("override", "ada", value="7,5", reason=OVERRIDE.reason)


def test_an_edited_comment_undoes_the_one_before() -> None:
    first, second = read_changes(TABLE.replace("second line", "other line"))
    assert (first.is_undo, first.decision) == (True, COMMENT)
    assert second.decision.value.endswith("other line")


def test_a_row_without_an_id_is_a_new_decision() -> None:
    (change,) = read_changes(TABLE + ",extend,everyone,,2 days,outage,,,\n")
    assert change.decision == Decision("extend", "", value="2 days", reason="outage")


def test_yes_under_undo_undoes_a_decision() -> None:
    lines = TABLE.splitlines()
    (change,) = read_changes("\n".join([lines[0], f"{lines[1]}yes"]))
    assert (change.is_undo, change.decision) == (True, OVERRIDE)


def test_a_spreadsheet_may_use_semicolons_and_a_byte_order_mark() -> None:
    (change,) = read_changes("\ufeffid;kind;who;subject;value;reason\n;points;ada;style;2,5;\n")
    assert change.decision == Decision("points", "ada", "style", "2,5")


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("id,kind,who\n", "no column value"),
        (TABLE.replace("override,ada", "override,eve"), "changes whom or what decision 1"),
        (TABLE.replace("1,override", "9,override"), "decision 9 is not in force"),
        (TABLE + ",praise,ada,,well,,,,\n", "unknown kind of decision 'praise'"),
        (TABLE + ",comment,,,well,,,,\n", "the row names no student"),
        (TABLE + ",comment,ada,,well,,,,perhaps\n", "unknown value 'perhaps' in the column undo"),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(table: str, why: str) -> None:
    with pytest.raises(CallerFault, match=why) as caught:
        read_changes(table)
    assert caught.value.where.startswith("d.csv:")


@given(st.text(alphabet="=+-@;'\" \t\n\rx"))
def test_a_neutralized_text_comes_back_as_it_was(text: str) -> None:
    assert restore_formula(neutralize_formula(text)) == text
