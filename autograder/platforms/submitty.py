"""Write Submitty's ``results.json`` of an autograder, or what a custom validator prints.

Format: https://submitty.org/instructor/autograding/specification.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograder.platforms.common.export_points import compute_fraction_of_full_marks, compute_points_to_export
from autograder.platforms.common.immediately_visible_tests import format_lost_tests
from autograder.platforms.common.json_encoding import encode_json_file, encode_json_line
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.reports import ScoreReport
from autograder.reports.report_model import ReportedConcept
from autograder.reports.report_visibility import filter_report_for_student
from autograder.reports.terminal_report import render_report_as_plain_text
from autograder.reports.unpassed_tests import iterate_concepts_to_fix
from autograder.safe_text import escape_for_display


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``results.json`` with a test case for each concept, or ``stdout`` of a validator.

    Raises:
        CallerFault: ``form`` is neither.
    """
    if options.get_choice_setting("form", "results", "validator") == "validator":
        return {"stdout": encode_json_line(_make_validator_output(report, options))}
    return {"results.json": encode_json_file(_make_results(report, options))}


def _make_results(report: ScoreReport, options: ExportOptions) -> dict[str, Any]:
    visible_report = filter_report_for_student(report, "handed in")
    total = compute_points_to_export(report, options)
    failure_by_concept = {
        unpassed_tests.concept.name: format_lost_tests(unpassed_tests)
        for unpassed_tests in iterate_concepts_to_fix(visible_report)
    }
    problem = escape_for_display(visible_report.status.message, 1000)
    return {
        "automatic_grading_total": total,
        "nonhidden_automatic_grading_total": total,
        "testcases": [
            _make_case(concept, problem or failure_by_concept.get(concept.name, ""))
            for concept in visible_report.concepts
        ],
    }


def _make_case(concept: ReportedConcept, failure: str) -> dict[str, Any]:
    case: dict[str, Any] = {"points_awarded": round(concept.score, 6), "test_name": escape_for_display(concept.name)}
    if failure:
        messages = [{"message": line, "type": "failure"} for line in failure.split("\n")]
        case["autochecks"] = [{"description": "What did not pass", "messages": messages}]
    return case


def _make_validator_output(report: ScoreReport, options: ExportOptions) -> dict[str, Any]:
    score = compute_fraction_of_full_marks(report, options)
    return {
        "score": score,
        "message": render_report_as_plain_text(filter_report_for_student(report, "handed in")),
        "status": "success" if score >= 1 else "failure",
    }


platform = Platform(
    "submitty",
    "Submitty",
    report_writer=encode_report_files,
    settings={"form": "results (default): results.json; validator: what a custom validator prints"},
)
