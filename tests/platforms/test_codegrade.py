"""CodeGrade: lines as its own reporter writes them, the points last, and no line of a student's among them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from autograder.platforms.single_report_writers import encode_codegrade_files
from autograder.reports import ScoreReport
from tests.platforms.forged import given
from tests.reports.sample import a_report, with_test

GOLDEN = Path(__file__).parent.parent / "data" / "platforms" / "codegrade" / "err.txt"


def lines(report: ScoreReport, **settings: str) -> list[dict[str, Any]]:
    printed = encode_codegrade_files(report, given(settings))["stdout"]
    assert printed.isascii()
    return [json.loads(line) for line in printed.splitlines()]


def shape(line: dict[str, Any]) -> object:
    """A line's keys, with the status of its test."""
    if line["tag"] == "points":
        return sorted(line)
    (suite,) = line["results"]
    (case,) = suite["testCases"]
    return sorted(line), sorted(suite), sorted({*case} - {"stdout"}), case["status"]


def test_lines_have_the_shape_of_those_of_codegrades_own_reporter() -> None:
    golden = [json.loads(line) for line in GOLDEN.read_text().splitlines()]
    ours = lines(with_test(a_report(), 1, outcome="grader error"))
    assert {str(shape(line)) for line in golden} == {str(shape(line)) for line in ours}
    assert [line["tag"] for line in ours] == ["unit-test"] * 7 + ["points"]


@pytest.mark.parametrize(("bonus", "points"), [("capped", "3/10"), ("none", "1/4")])
def test_points_are_a_fraction_in_words_and_come_last(bonus: str, points: str) -> None:
    assert lines(a_report(), bonus=bonus)[-1] == {"tag": "points", "points": points}


def test_none_and_all_are_fractions_too() -> None:
    assert lines(a_report(status="empty"))[-1]["points"] == "0/1"
    assert lines(a_report(bonus=15.0))[-1]["points"] == "1/1"
    assert Fraction(lines(a_report(bonus=14.9999999))[-1]["points"]) < 1


def test_a_line_has_no_space_between_its_parts() -> None:
    first = encode_codegrade_files(a_report(), given())["stdout"].splitlines()[0]
    assert first == (
        b'{"tag":"unit-test","results":[{"id":"accumulation","name":"accumulation",'
        b'"testCases":[{"name":"accumulation.first","status":"success"}]}]}'
    )
