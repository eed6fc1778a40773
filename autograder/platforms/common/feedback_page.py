"""Make the page that goes back to a student through a platform."""

from __future__ import annotations

from autograder.reports import ScoreReport
from autograder.reports.html_page import render_html_page
from autograder.reports.report_visibility import cut_for_student


def encode_feedback_page(report: ScoreReport) -> bytes:
    """Make a whole page of HTML with what students may see once results are published."""
    return render_html_page(cut_for_student(report, "published")).encode()
