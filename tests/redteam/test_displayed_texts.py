"""No text of a student's steers a terminal, forges a line of a log, or looks like another's."""

from __future__ import annotations

import json
import logging
import unicodedata
from io import StringIO
from pathlib import Path

import pytest

from autograder.cli.terminal import exit_on_fault
from autograder.faults import CallerFault
from autograder.reports.report_files import write_pytest_record
from autograder.text import (
    escape_for_display,
    escape_name_unambiguously,
)
from tests.redteam.hostile_texts import is_seen

PLAIN = [
    *("größe", "値", "Ελλάδα", "Привет", "é", unicodedata.normalize("NFD", "é"), "नमस्ते", "สวัสดี", "a b", "🙂"),
    *("x = 'text'", "[red]x[/red]", "100 %", "a\\b", "…"),
]


def test_text_is_shown_as_one_line_of_what_can_be_seen(hostile: str) -> None:
    assert not is_seen(hostile), "as it is, it acts or hides"
    assert is_seen(escape_for_display(hostile))
    assert escape_for_display(hostile).splitlines() == [escape_for_display(hostile)]


@pytest.mark.parametrize("text", PLAIN)
def test_text_that_is_harmless_is_shown_as_it_is(text: str) -> None:
    assert escape_for_display(text) == text


def test_a_name_that_spells_an_escape_out_is_not_the_name_that_holds_it(hostile: str) -> None:
    spelt = escape_for_display(hostile)
    assert spelt != hostile
    assert escape_for_display(spelt) == escape_for_display(hostile), "as text they are shown alike"
    assert escape_name_unambiguously(spelt) != escape_name_unambiguously(hostile) or "\\" not in spelt


def test_no_text_makes_a_report_long() -> None:
    for text in ("x" * 10**6, "\x1b" * 10**6, "\u0301" * 10**6):
        assert len(escape_for_display(text)) <= 300
        assert len(escape_name_unambiguously(text[:5000])) <= 200


def test_a_fault_is_told_in_one_line(hostile: str, capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> None:
        raise CallerFault("does not exist", where=hostile)

    with pytest.raises(SystemExit):
        exit_on_fault(fails)()
    (line,) = capsys.readouterr().err.split("\n")[:-1]
    assert is_seen(line)


def test_a_record_of_a_log_cannot_be_forged(hostile: str) -> None:
    stream = StringIO()
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(stream))
    logger.warning("graded %s", escape_name_unambiguously(hostile))
    assert stream.getvalue().splitlines() == [f"graded {escape_name_unambiguously(hostile)}"]


def test_pytests_own_record_is_ascii(tmp_path: Path, hostile: str) -> None:
    write_pytest_record({"tests": [{"longrepr": hostile, "other": object()}]}, tmp_path / "raw.json")
    text = (tmp_path / "raw.json").read_bytes()
    assert {*text} <= {10, *range(32, 128)}
    assert json.loads(text)["tests"][0]["longrepr"] == hostile
