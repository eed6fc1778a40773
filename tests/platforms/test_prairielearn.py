"""PrairieLearn: a share of full marks and a test for each concept, below a megabyte."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autograder.platforms.single_report_writers import encode_prairielearn_files
from autograder.reports import ScoreReport
from tests.platforms.forged import given
from tests.reports.sample import a_report


def results(report: ScoreReport, **settings: str) -> dict[str, Any]:
    files = encode_prairielearn_files(report, given(settings))
    assert list(files) == ["results.json"]
    found: dict[str, Any] = json.loads(files["results.json"])
    return found


def test_a_report_has_a_share_of_full_marks_and_a_test_for_each_concept() -> None:
    found = results(a_report())
    assert (found["gradable"], found["score"]) == (True, 0.3)
    assert found["message"] == "5 of 20 points and 1 of 4 bonus points"
    assert [(test["name"], test["points"], test["max_points"]) for test in found["tests"]] == [
        ("accumulation", 5.0, 15.0),
        ("tanh", 0.0, 5.0),
        ("robustness (bonus)", 1.0, 0),
    ]
    assert "failed: a.grad is 1.0 zebra" in found["tests"][0]["output"]


@pytest.mark.parametrize(("bonus", "share"), [("capped", 0.27), ("none", 0.225)])
def test_the_points_of_the_tests_add_up_to_what_counts(bonus: str, share: float) -> None:
    found = results(a_report(late=True), bonus=bonus)
    assert found["tests"][-1]["name"] == "lateness"
    assert found["tests"][-1]["output"] == "Handed in 1 hour after the deadline."
    total = sum(test["max_points"] for test in found["tests"])
    assert sum(test["points"] for test in found["tests"]) / total == pytest.approx(found["score"]) == share


def test_no_share_is_beyond_full_marks() -> None:
    assert results(a_report(bonus=19.0), bonus="added")["score"] == 1.0


def test_what_could_not_be_read_is_not_gradable_and_costs_no_attempt() -> None:
    assert results(a_report(status="line 3: '(' was never closed")) == {
        "gradable": False,
        "format_errors": ["line 3: '(' was never closed"],
    }


@pytest.mark.thorough
def test_the_file_stays_below_a_megabyte() -> None:
    assert len(encode_prairielearn_files(a_report("🎓" * 200_000), given())["results.json"]) < 1_000_000
