"""Write the one line that a student reads beside the grade in Moodle. The page is in ``feedback_zip``."""

from __future__ import annotations

import html

from autograder.reports import ScoreReport
from autograder.reports.decision_text import iterate_decision_lines_for_student
from autograder.reports.report_visibility import filter_report_for_student
from autograder.safe_text import escape_for_display

COMMENT_PREFIX = "Autograder: "
"""The beginning of each comment by the kit. A comment that begins otherwise was written by a person, and stays."""
LONGEST = 200
UNTRIED = ("blocked", "not attempted")
"""Tests of which only the message says anything of the submission."""


def format_grade_comment_as_html(report: ScoreReport, grade: str, max_grade: str, bonus_clause: str = "") -> str:
    """Return the line beside the grade, as HTML without a tag: points, and what to look at next.

    Args:
        report: the whole report.
        grade: the grade as it stands in the worksheet.
        max_grade: full marks there.
        bonus_clause: how much of the grade is bonus; see ``format_bonus_suffix``.
    """
    shown = filter_report_for_student(report, "published")
    return html.escape(
        f"{COMMENT_PREFIX}{grade} of {max_grade} points{bonus_clause}. "
        f"{escape_for_display(_name_next_step(shown), LONGEST)}",
        quote=False,
    )


def _name_next_step(report: ScoreReport) -> str:
    if decided := " ".join(iterate_decision_lines_for_student(report)):
        return decided
    if report.status.message:
        return report.status.message
    late = f"{report.lateness.message} " if report.lateness and report.lateness.percent_off else ""
    suspects = [one.title for cause in report.diagnosis.causes for one in cause.misconceptions[:1]]
    extra = {concept.name for concept in report.concepts if concept.bonus}
    unmet = [test for test in report.tests if test.outcome != "passed"]
    lost = [test for test in unmet if test.concept not in extra]
    if suspects:
        return f"{late}Look at this first: {suspects[0]}"
    if lost:
        untried = lost[0].outcome in UNTRIED
        return late + (lost[0].message if untried else f"This does not hold yet: {lost[0].sentence}")
    if report.score < report.max_score:
        return f"{late}What lost points is not shown for this assignment."
    return late + ("All that was asked for holds; of the bonus something is left." if unmet else "Everything holds.")
