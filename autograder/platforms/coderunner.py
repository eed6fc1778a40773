"""Moodle's CodeRunner: a combinator template grader prints one JSON object and nothing else.

Format: https://trampgeek.github.io/moodle-qtype_coderunner/, the section on template graders.
"""

from __future__ import annotations

from collections.abc import Mapping

from autograder.platforms.common.export_points import compute_fraction_of_full_marks
from autograder.platforms.common.json_encoding import encode_json_line
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.platforms.common.report_xhtml_fragment import format_report_as_xhtml_fragment
from autograder.reports import ScoreReport
from autograder.reports.report_visibility import filter_report_for_student
from autograder.reports.report_wording import format_points
from autograder.safe_text import escape_for_display

HEADS = ["iscorrect", "Concept", "Points", "iscorrect"]
FORMATS = ["%s", "%s"]
"""One for each column but ``iscorrect``: text, never HTML."""


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``: the share of full marks, a row for each concept (none if nothing ran), then the report."""
    visible_report = filter_report_for_student(report, "handed in")
    score = compute_fraction_of_full_marks(report, options)
    result: dict[str, object] = {"fraction": score, "epiloguehtml": format_report_as_xhtml_fragment(visible_report)}
    if not visible_report.status.message:
        rows = [_make_row(concept.name, concept.score, concept.max_score) for concept in visible_report.concepts]
        result |= {"testresults": [HEADS, *rows], "columnformats": FORMATS, "showdifferences": False}
    return {"stdout": encode_json_line(result)}


def _make_row(name: str, score: float, max_score: float) -> list[str | int]:
    is_correct = int(score >= max_score)
    return [is_correct, escape_for_display(name), f"{format_points(score)} of {format_points(max_score)}", is_correct]


platform = Platform("coderunner", "CodeRunner (Moodle)", report_writer=encode_report_files)
