"""Make the page that goes back to a student through a platform."""

from __future__ import annotations

from autograder.reports import ScoreReport
from autograder.reports.audience import for_student
from autograder.reports.page import page_of


def feedback_page(report: ScoreReport) -> bytes:
    """Make a whole page of HTML with what students may see once results are published."""
    return page_of(for_student(report, "published")).encode()
