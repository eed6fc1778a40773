"""Write ``results.json`` as Otter does: a row per question. A question is a concept here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autograder.platforms.common.export_points import compute_counted_points
from autograder.platforms.common.json_encoding import encode_json_file
from autograder.platforms.common.platform_model import ExportOptions
from autograder.reports import ScoreReport
from autograder.reports.hint_withholding import redirect_hints_to_first_fix
from autograder.reports.named_causes import list_named_causes
from autograder.reports.report_model import ReportedTest
from autograder.reports.report_wording import (
    format_bonus_suffix,
    format_points,
    format_provisional_notice_or_empty,
    list_notes_beyond_status,
)

DIGITS = 5
"""To which Otter rounds points."""


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make the file for one report; each row says what students see of it, and when.

    Raises:
        CallerFault: ``bonus`` is set to an unknown way to count one.
    """
    points, out_of = compute_counted_points(report, options.settings.get("bonus", "")), report.final.max_score
    score = points * options.max_points / out_of if options.max_points and out_of else points
    of_which = format_bonus_suffix(report, points - report.final.score)
    words = [f"{format_points(points)} of {format_points(out_of)} points{of_which}."] if of_which else []
    output = "\n".join(text for text in (*words, format_submission_notices(report)) if text)
    written = {"score": round(score, DIGITS), "output": output, "tests": [*_rows(report)]}
    return {"results.json": encode_json_file(written)}


def format_submission_notices(report: ScoreReport) -> str:
    """Return what is to be said about the whole submission."""
    late = [report.lateness.message] if report.lateness else []
    return "\n".join(
        text
        for text in (
            format_provisional_notice_or_empty(report),
            report.status.message,
            *late,
            *list_notes_beyond_status(report),
        )
        if text
    )


def _format_test_summary(concept_name: str, tests: Iterable[ReportedTest]) -> str:
    """Sum up some tests as Otter does: one sentence if all passed, otherwise the tests that did not pass."""
    failed = [test for test in tests if test.outcome != "passed"]
    if not failed:
        return f"{concept_name} results: All test cases passed!"
    lines = [f"{concept_name} results:"]
    for test in failed:
        told = [test.message or test.outcome, *([f"Try: {test.hint}"] if test.hint else [])]
        lines += [f"    {test.sentence}", *(f"        {line}" for line in told)]
    return "\n".join(lines)


def _rows(report: ScoreReport) -> Iterator[dict[str, Any]]:
    yield from _diagnosis(report)
    for concept in report.concepts:
        tests = [test for test in redirect_hints_to_first_fix(report).tests if test.concept == concept.name]
        shown = [test for test in tests if test.visibility == "visible"]
        yield {
            "name": concept.name,
            "score": round(concept.score, DIGITS),
            "max_score": round(concept.max_score, DIGITS),
            "visibility": "visible",
            "output": _format_test_summary(concept.name, shown) if shown else "",
        }
        for when in sorted({test.visibility for test in tests} - {"visible"}):
            later = [test for test in tests if test.visibility == when]
            status = "passed" if all(test.outcome == "passed" for test in later) else "failed"
            text = _format_test_summary(concept.name, later)
            yield {"name": f"{concept.name}: tests", "visibility": when, "output": text, "status": status}


def _diagnosis(report: ScoreReport) -> Iterator[dict[str, Any]]:
    found = [one for cause in list_named_causes(report) for one in cause.suspects]
    if found:
        lines = [line for one in found for line in (one.title, f"    {one.explanation}", *_numbered(one.hints))]
        when = report.diagnosis.visibility
        yield {"name": "What went wrong", "visibility": when, "output": "\n".join(lines), "status": "failed"}


def _numbered(hints: Iterable[str]) -> list[str]:
    return [f"    {number}. {hint}" for number, hint in enumerate(hints, start=1)]
