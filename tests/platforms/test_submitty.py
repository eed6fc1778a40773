"""Submitty: its results and its validator's share of full marks, with a student's text in the messages alone."""

from __future__ import annotations

import json

import pytest

from autograder.faults import CallerFault
from autograder.platforms.single_report_writers import encode_submitty_files
from tests.platforms.forged import given
from tests.reports.sample import a_report


def test_results_have_the_total_and_a_test_case_for_each_concept() -> None:
    found = json.loads(encode_submitty_files(a_report(), given())["results.json"])
    assert (found["automatic_grading_total"], found["nonhidden_automatic_grading_total"]) == (6.0, 6.0)
    assert [(case["test_name"], case["points_awarded"]) for case in found["testcases"]] == [
        ("accumulation", 5.0),
        ("tanh", 0.0),
        ("robustness", 1.0),
    ]
    (check,) = found["testcases"][0]["autochecks"]
    assert {"message": "    failed: a.grad is 1.0 zebra", "type": "failure"} in check["messages"]


def test_a_validator_prints_the_share_of_full_marks() -> None:
    printed = encode_submitty_files(a_report(), given({"form": "validator"}))["stdout"]
    found = json.loads(printed)
    assert printed.count(b"\n") == 1
    assert (found["score"], found["status"]) == (0.3, "failure")
    assert "failed: a.grad is 1.0 zebra" in found["message"]


def test_full_marks_are_a_success() -> None:
    assert (
        json.loads(encode_submitty_files(a_report(bonus=15.0), given({"form": "validator"}))["stdout"])["status"]
        == "success"
    )


def test_another_form_is_a_fault_that_names_both() -> None:
    with pytest.raises(CallerFault, match=r"unknown value 'xml' of form \(choose from results, validator\)"):
        encode_submitty_files(a_report(), given({"form": "xml"}))
