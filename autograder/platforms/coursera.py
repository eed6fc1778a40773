"""Coursera: the two files of a custom grader, for ``/shared``.

Format: https://github.com/coursera/programming-assignments-demo/tree/master/custom-graders.
"""

from __future__ import annotations

from collections.abc import Mapping

from autograder.platforms.common.export_points import compute_fraction_of_full_marks
from autograder.platforms.common.json_encoding import encode_json_line
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.reports import ScoreReport
from autograder.reports.html_report import render_report_as_html
from autograder.reports.report_visibility import filter_report_for_student
from autograder.reports.report_wording import format_final_points


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``feedback.json`` with the share of full marks, and ``htmlFeedback.html`` with the student's page."""
    visible_report = filter_report_for_student(report, "handed in")
    feedback = {
        "fractionalScore": compute_fraction_of_full_marks(report, options),
        "feedback": f"{format_final_points(visible_report)}. The page below says what to try.",
        "feedbackType": "HTML",
    }
    return {
        "feedback.json": encode_json_line(feedback),
        "htmlFeedback.html": render_report_as_html(visible_report).encode(),
    }


platform = Platform("coursera", "Coursera", report_writer=encode_report_files)
