"""Write ``results.json`` and ``final_grades.csv`` as Otter does; a question is a concept here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from autograder.platforms.common.export_files import encode_json_file
from autograder.platforms.common.export_points import compute_counted_points
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    ExportResult,
    SubmissionResult,
)
from autograder.reports import ScoreReport
from autograder.reports.causes import list_causes, list_repairs_of_named_causes, redirect_hints_to_first_fix
from autograder.reports.report_model import ReportedTest, limit_explanations_for_student
from autograder.reports.wording import (
    format_bonus_suffix,
    format_points,
    format_provisional_notice,
    list_notes_beyond_status,
)
from autograder.tables import quote_cell_if_needed
from autograder.text import neutralize_formula

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
    seen_report = limit_explanations_for_student(report)
    causes = [*list_causes(seen_report), *list_repairs_of_named_causes(seen_report)]
    suspects = [suspect for cause in causes for suspect in cause.suspects]
    if suspects:
        lines = [
            line
            for suspect in suspects
            for line in (suspect.title, f"    {suspect.whole_explanation}", *_format_numbered_lines(suspect.ladder))
        ]
        visibility = report.diagnosis.visibility
        yield {"name": "What went wrong", "visibility": visibility, "output": "\n".join(lines), "status": "failed"}


def _format_numbered_lines(hints: Iterable[str]) -> list[str]:
    return [f"    {number}. {hint}" for number, hint in enumerate(hints, start=1)]


TOTAL = ("total_points_earned", "percent_correct", "grading_status")
POINTS = "points-per-question"
PERCENT_DIGITS = 4


def make_final_grades_export(results: ClassResults, options: ExportOptions) -> ExportResult:
    """Make the table. A question has the points that the program earned; the total is what counts in the end."""
    factor = options.max_points / results.max_points if options.max_points and results.max_points else 1.0
    max_points = _round_points(results.max_points * factor)
    concepts = {concept.name: concept for row in results.rows for concept in row.report.concepts}
    rows: list[list[str | float]] = [["file", *map(neutralize_formula, concepts), *TOTAL]]
    full_marks = (_round_points(concept.max_score * factor) for concept in concepts.values())
    rows.append([POINTS, *full_marks, max_points, 1.0, "--"])
    for row in results.rows:
        points_by_concept = {concept.name: _round_points(concept.score * factor) for concept in row.report.concepts}
        total = _round_points(row.points * factor)
        percent = round(total / max_points, PERCENT_DIGITS) if max_points else 0.0
        status = (
            "Completed" if row.report.status.outcome == "graded" else neutralize_formula(row.report.status.message)
        )
        cells = [points_by_concept.get(name, 0.0) for name in concepts]
        rows.append([neutralize_formula(_get_file_or_submission_name(row)), *cells, total, percent, status])
    changes = tuple(ExportChange(row.name, "", format_points(row.points * factor)) for row in results.rows)
    table = "".join(f"{','.join(quote_cell_if_needed(str(cell)) for cell in row)}\n" for row in rows)
    return ExportResult({"final_grades.csv": table.encode("utf-8", "backslashreplace")}, changes)


def _get_file_or_submission_name(submission_result: SubmissionResult) -> str:
    """Return what Otter would call a submission: its file's name."""
    names = submission_result.origin.names if submission_result.origin else ()
    if len(names) == 1:
        return PurePosixPath(names[0]).name
    files = [PurePosixPath(name) for name in submission_result.report.submission.files]
    return files[0].name if len(files) == 1 and files[0].stem == submission_result.name else submission_result.name


def _round_points(points: float) -> float:
    return round(float(points), DIGITS)
