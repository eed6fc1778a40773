"""Write ``results.json`` as Otter does: a row per question. A question is a concept here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autograder.platforms.common.export_points import compute_counted_points
from autograder.platforms.common.json_encoding import encode_json_file
from autograder.platforms.common.platform_model import ExportOptions
from autograder.reports import ScoreReport
from autograder.reports.hint_withholding import redirect_hints_to_first_fix
from autograder.reports.named_causes import list_causes, list_repairs_of_named_causes
from autograder.reports.report_model import ReportedTest
from autograder.reports.report_visibility import limit_repair_for_student
from autograder.reports.report_wording import (
    format_bonus_suffix,
    format_points,
    format_provisional_notice,
    list_notes_beyond_status,
)

DIGITS = 5
"""To which Otter rounds points."""


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make the file for one report; each row says what students see of it, and when.

    Raises:
        CallerFault: ``bonus`` is set to an unknown way to count one.
    """
    points, max_points = compute_counted_points(report, options.settings.get("bonus", "")), report.final.max_score
    score = points * options.max_points / max_points if options.max_points and max_points else points
    bonus_suffix = format_bonus_suffix(report, points - report.final.score)
    points_lines = (
        [f"{format_points(points)} of {format_points(max_points)} points{bonus_suffix}."] if bonus_suffix else []
    )
    output = "\n".join(paragraph for paragraph in (*points_lines, format_submission_notices(report)) if paragraph)
    data = {"score": round(score, DIGITS), "output": output, "tests": [*_iterate_rows(report)]}
    return {"results.json": encode_json_file(data)}


def format_submission_notices(report: ScoreReport) -> str:
    """Return what is to be said about the whole submission."""
    lateness_lines = [report.lateness.message] if report.lateness else []
    return "\n".join(
        text
        for text in (
            format_provisional_notice(report),
            report.status.message,
            *lateness_lines,
            *list_notes_beyond_status(report),
        )
        if text
    )


def _format_test_summary(concept_name: str, tests: Iterable[ReportedTest]) -> str:
    """Sum up some tests as Otter does: one sentence if all passed, otherwise the tests that did not pass."""
    failed_tests = [test for test in tests if test.outcome != "passed"]
    if not failed_tests:
        return f"{concept_name} results: All test cases passed!"
    lines = [f"{concept_name} results:"]
    for test in failed_tests:
        message_lines = [test.message or test.outcome, *([f"Try: {test.hint}"] if test.hint else [])]
        lines += [f"    {test.sentence}", *(f"        {line}" for line in message_lines)]
    return "\n".join(lines)


def _iterate_rows(report: ScoreReport) -> Iterator[dict[str, Any]]:
    yield from _iterate_diagnosis_rows(report)
    for concept in report.concepts:
        tests = [test for test in redirect_hints_to_first_fix(report).tests if test.concept == concept.name]
        visible_tests = [test for test in tests if test.visibility == "visible"]
        yield {
            "name": concept.name,
            "score": round(concept.score, DIGITS),
            "max_score": round(concept.max_score, DIGITS),
            "visibility": "visible",
            "output": _format_test_summary(concept.name, visible_tests) if visible_tests else "",
        }
        for visibility in sorted({test.visibility for test in tests} - {"visible"}):
            later_tests = [test for test in tests if test.visibility == visibility]
            status = "passed" if all(test.outcome == "passed" for test in later_tests) else "failed"
            text = _format_test_summary(concept.name, later_tests)
            yield {"name": f"{concept.name}: tests", "visibility": visibility, "output": text, "status": status}


def _iterate_diagnosis_rows(report: ScoreReport) -> Iterator[dict[str, Any]]:
    seen_report = limit_repair_for_student(report)
    causes = [*list_causes(seen_report), *list_repairs_of_named_causes(seen_report)]
    suspects = [suspect for cause in causes for suspect in cause.suspects]
    if suspects:
        lines = [
            line
            for suspect in suspects
            for line in (suspect.title, f"    {suspect.explanation}", *_format_numbered_lines(suspect.hints))
        ]
        visibility = report.diagnosis.visibility
        yield {"name": "What went wrong", "visibility": visibility, "output": "\n".join(lines), "status": "failed"}


def _format_numbered_lines(hints: Iterable[str]) -> list[str]:
    return [f"    {number}. {hint}" for number, hint in enumerate(hints, start=1)]
