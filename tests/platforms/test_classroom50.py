"""Classroom 50: a result with the keys that its workflow knows; a student's text is in the release's body alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autograder.faults import CallerFault
from autograder.platforms.common.export_points import BONUS_RULES
from autograder.platforms.single_report_writers import encode_classroom50_files
from autograder.reports import ScoreReport
from tests.platforms.forged import AROUND, given
from tests.reports.sample import a_report

KEYS = [
    "schema",
    "classroom",
    "assignment",
    "assignment_type",
    "owner",
    "submission",
    "commit",
    "release",
    "review",
    "datetime",
    "score",
    "max-score",
    "tests",
]


def result(report: ScoreReport, max_points: float | None = None, **settings: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        encode_classroom50_files(report, given({**AROUND, **settings}, max_points=max_points))["result.json"]
    )
    return found


def assert_valid(found: dict[str, Any]) -> None:
    """What the documentation asks for."""
    assert list(found) == KEYS
    assert found["schema"] == "classroom50/result/v1"
    assert all(isinstance(found[key], str) and found[key] for key in KEYS[:10])
    assert found["submission"].startswith("submit/")
    for part in (found, *found["tests"]):
        assert type(part["score"]) is type(part["max-score"]) is int
        assert 0 <= part["score"] <= part["max-score"]
    for test in found["tests"]:
        assert list(test) == ["test-name", "passed", "score", "max-score"]
        assert type(test["passed"]) is bool


def test_a_result_has_what_the_workflow_says_and_no_key_more() -> None:
    found = result(a_report())
    assert_valid(found)
    assert (found["classroom"], found["owner"], found["score"], found["max-score"]) == ("mg101", "ada", 6, 20)
    assert found["datetime"] == "2026-11-21T13:00:05Z"
    assert found["tests"][0] == {"test-name": "accumulation", "passed": False, "score": 5, "max-score": 15}


@pytest.mark.parametrize(("bonus", "score"), [(0.4, 5), (0.5, 6), (14.6, 19), (14.999, 19), (15.0, 20), (19.0, 20)])
def test_points_are_rounded_and_full_marks_are_only_for_full_marks(bonus: float, score: int) -> None:
    assert result(a_report(bonus=bonus))["score"] == score


@pytest.mark.parametrize("bonus", BONUS_RULES)
@pytest.mark.parametrize("max_points", [None, 1.0, 12.5, 100.0])
def test_every_result_is_valid(bonus: str, max_points: float | None) -> None:
    for report in (a_report(), a_report(bonus=19.0), a_report(late=True), a_report(status="empty")):
        assert_valid(result(report, max_points, bonus=bonus))


def test_a_username_stands_in_for_an_owner() -> None:
    around = {**AROUND, "OWNER": "", "USERNAME": "grace"}
    assert json.loads(encode_classroom50_files(a_report(), given(around))["result.json"])["owner"] == "grace"


def test_what_the_workflow_should_have_set_is_named() -> None:
    around = {**AROUND, "COMMIT_URL": "", "OWNER": ""}
    with pytest.raises(CallerFault, match="missing settings: OWNER, COMMIT_URL"):
        encode_classroom50_files(a_report(), given(around))


def test_a_tag_that_is_no_submissions_is_refused() -> None:
    with pytest.raises(CallerFault, match="the tag does not begin with submit/"):
        encode_classroom50_files(a_report(), given({**AROUND, "SUBMISSION_TAG": "v1.0"}))
