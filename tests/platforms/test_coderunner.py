"""CodeRunner: one JSON object with a row for each concept; a student's text stays text."""

from __future__ import annotations

import json
from typing import Any

from autograder.platforms.single_report_writers import encode_coderunner_files
from autograder.reports import ScoreReport
from tests.platforms.forged import given
from tests.reports.sample import a_report


def result(report: ScoreReport) -> dict[str, Any]:
    printed = encode_coderunner_files(report, given())["stdout"]
    assert printed.count(b"\n") == 1
    found: dict[str, Any] = json.loads(printed)
    return found


def test_a_report_is_one_json_object_with_a_row_for_each_concept() -> None:
    found = result(a_report())
    assert found["fraction"] == 0.3
    assert found["testresults"] == [
        ["iscorrect", "Concept", "Points", "iscorrect"],
        [0, "accumulation", "5 of 15", 0],
        [0, "tanh", "0 of 5", 0],
        [0, "robustness", "1 of 4", 0],
    ]
    assert "failed: a.grad is 1.0 zebra" in found["epiloguehtml"]


def test_each_column_but_iscorrect_has_a_format_and_none_is_html() -> None:
    found = result(a_report())
    heads = [head for head in found["testresults"][0] if head not in ("iscorrect", "ishidden")]
    assert found["columnformats"] == ["%s"] * len(heads)
    assert all(len(row) == len(found["testresults"][0]) for row in found["testresults"])


def test_what_could_not_be_graded_has_no_rows_and_says_why() -> None:
    found = result(a_report(status="line 3: '(' was never closed"))
    assert found["fraction"] == 0.0
    assert "testresults" not in found
    assert "was never closed" in found["epiloguehtml"]


def test_it_never_shows_output_alone_which_would_be_full_marks() -> None:
    assert "showoutputonly" not in result(a_report())
