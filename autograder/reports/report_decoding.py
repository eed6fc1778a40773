"""Decode score reports of this version and of earlier ones, whose missing keys are filled in."""

from __future__ import annotations

from typing import Any

import msgspec

from autograder.reports.report_model import ScoreReport


def decode_report(report_json: bytes) -> ScoreReport:
    """Return a report of schema version 1.0 or later; ``schema_version`` stays that of the version that wrote it.

    Raises:
        msgspec.MsgspecError: it is no score report.
    """
    try:
        return msgspec.json.decode(report_json, type=ScoreReport)
    except msgspec.ValidationError:
        report = msgspec.json.decode(report_json)
        if not isinstance(report, dict):
            raise
        _add_keys_of_later_versions(report)
        return msgspec.convert(report, type=ScoreReport)


def _add_keys_of_later_versions(report: dict[str, Any]) -> None:
    """Add in place the keys that reports of earlier versions lack."""
    if "diagnosis" not in report:  # 1.0
        report["diagnosis"] = {"verdict": "unknown", "visibility": "hidden"}
    bonus = report.get("bonus")
    if "final" not in report and isinstance(bonus, dict):  # up to 1.1
        report["final"] = {
            "score": report.get("score"),
            "max_score": report.get("max_score"),
            "bonus": bonus.get("score"),
        }
        report.setdefault("lateness", None)
