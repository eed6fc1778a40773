"""Reports that earlier versions of the kit kept are read for as long as results by them stay."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder.reports import ScoreReport
from autograder.store.results.packed_result import is_final_result, unpack_report

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


def unpack_json_report(report: dict[str, Any]) -> ScoreReport:
    return unpack_report(zlib.compress(json.dumps(report).encode()))


@pytest.mark.parametrize("form", ["1.0", "1.1", "1.2", "1.3", "1.4"])
def test_a_report_of_an_earlier_form_is_read_and_final(form: str) -> None:
    kept = kept_in(form)
    report = unpack_json_report(kept)
    assert (report.schema_version, report.status.provisional, is_final_result(report)) == (form, False, True)
    assert report.score == kept["score"]


def test_points_without_a_final_score_are_final() -> None:
    kept = kept_in("1.1")
    assert "final" not in kept
    report = unpack_json_report(kept)
    assert (report.final.score, report.final.max_score) == (kept["score"], kept["max_score"])
    assert (report.final.bonus, report.lateness) == (kept["bonus"]["score"], None)


def test_a_report_without_a_diagnosis_says_that_none_is_known() -> None:
    kept = kept_in("1.0")
    assert "diagnosis" not in kept
    assert (unpack_json_report(kept).diagnosis.verdict, unpack_json_report(kept).diagnosis.causes) == ("unknown", ())


@pytest.mark.parametrize("spoilt", [b"[]", b"{}", b'{"diagnosis": 3, "bonus": []}', b"{"])
def test_what_is_no_report_of_any_version_is_refused(spoilt: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        unpack_report(zlib.compress(spoilt))
