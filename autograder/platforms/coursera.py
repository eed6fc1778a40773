"""Coursera: the two files of a custom grader, for ``/shared``."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.platforms.cases import seen_at_once
from autograder.platforms.model import Given, Platform
from autograder.platforms.plain import one_line
from autograder.platforms.points import fraction
from autograder.reports import ScoreReport
from autograder.reports.page import page_of
from autograder.reports.words import points_line


def write(report: ScoreReport, given: Given) -> Mapping[str, bytes]:
    """Make ``feedback.json`` with the share of full marks, and ``htmlFeedback.html`` with the student's page."""
    shown = seen_at_once(report)
    feedback = {
        "fractionalScore": fraction(report, given),
        "feedback": f"{points_line(shown)}. The page below says what to try.",
        "feedbackType": "HTML",
    }
    return {
        "feedback.json": one_line(feedback),
        "htmlFeedback.html": page_of(shown).encode(),
    }


platform = Platform("coursera", "Coursera", report_writer=write)
