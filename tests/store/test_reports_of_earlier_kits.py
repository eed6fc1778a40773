"""Reports that earlier versions of the kit kept are read for as long as results by them stay."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from autograder.reports import ScoreReport, encode_report_json
from autograder.reports.report_phrases_and_numbers import format_evidence_as_proof_phrase
from autograder.store.packed_result import is_final_result, unpack_report

DATA = Path(__file__).parents[1] / "data" / "store"
LEFT_OUT = {
    "kit_version": "0.2.0",
    "python": "3.11.7",
    "isolation": {"tier": "namespaces"},
    "timing": {"graded_at": "2026-11-21T13:00:05+00:00", "seconds": {}, "tests": {}, "processes": 2},
}
"""What a golden report does not hold."""


def kept_in(form: str) -> dict[str, Any]:
    """The report of an earlier form, as it was kept."""
    report: dict[str, Any] = json.loads((DATA / f"report-{form}.json").read_text(encoding="utf-8"))
    report["assignment"]["version"] = "0123456789abcdef"
    return {**report, **LEFT_OUT}


def read(report: dict[str, Any]) -> ScoreReport:
    return unpack_report(zlib.compress(json.dumps(report).encode()))


@pytest.mark.parametrize("form", ["1.2"])
def test_a_report_of_an_earlier_form_is_read_and_final(form: str) -> None:
    kept = kept_in(form)
    report = read(kept)
    assert (report.schema_version, report.status.provisional, is_final_result(report)) == (form, False, True)
    assert report.score == kept["score"]


def test_what_tests_observed_stays_in_a_report_that_named_mistakes_by_it() -> None:
    kept = kept_in("1.2")
    seen = [{"test": "accumulation.a-plus-a", "observed": "a.grad is 1.0"}]
    evidence = {"tests": 13, "programs": 36, "telling": 24, "observed": seen}
    kept["diagnosis"] = {**kept["diagnosis"], "verdict": "named", "evidence": evidence}
    report = read(kept)
    assert report.diagnosis.evidence is not None
    assert "all 13 failed tests and 36 fresh programs" in format_evidence_as_proof_phrase(
        report.diagnosis.evidence, cause_count=1
    )
    assert json.loads(encode_report_json(report))["diagnosis"]["evidence"] == {**evidence, "readings": 0}
