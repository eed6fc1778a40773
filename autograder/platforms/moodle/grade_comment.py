"""Write the one line that a student reads beside the grade in Moodle. The page is in ``feedback_zip``."""

from __future__ import annotations

import html

from autograder.reports import ScoreReport
from autograder.reports.decision_text import iterate_decision_lines_for_student
from autograder.reports.hint_withholding import UNTRIED_OUTCOMES
from autograder.reports.named_causes import list_causes
from autograder.reports.report_visibility import filter_report_for_student
from autograder.safe_text import escape_for_display

COMMENT_PREFIX = "Autograder: "
"""The beginning of each comment by the kit. A comment that begins otherwise was written by a person, and stays."""
LONGEST = 200


def format_grade_comment_as_html(report: ScoreReport, grade: str, max_grade: str, bonus_clause: str = "") -> str:
    """Return the line beside the grade, as HTML without a tag: points, and what to look at next.

    Args:
        report: the whole report.
        grade: the grade as it stands in the worksheet.
        max_grade: full marks there.
        bonus_clause: how much of the grade is bonus; see ``format_bonus_suffix``.
    """
    student_report = filter_report_for_student(report, "published")
    return html.escape(
        f"{COMMENT_PREFIX}{grade} of {max_grade} points{bonus_clause}. "
        f"{escape_for_display(_format_next_step(student_report), LONGEST)}",
        quote=False,
    )


def _format_next_step(report: ScoreReport) -> str:
    if decision_lines := " ".join(iterate_decision_lines_for_student(report)):
        return decision_lines
    if report.status.message:
        return report.status.message
    lateness_prefix = f"{report.lateness.message} " if report.lateness and report.lateness.percent_off else ""
    titles = [cause.suspects[0].title for cause in list_causes(report)]
    bonus_concepts = {concept.name for concept in report.concepts if concept.bonus}
    failed_tests = [test for test in report.tests if test.outcome != "passed"]
    failed_core_tests = [test for test in failed_tests if test.concept not in bonus_concepts]
    if titles:
        return f"{lateness_prefix}Look at this first: {titles[0]}"
    if failed_core_tests:
        # of an untried test, only the message says anything of the submission
        is_untried = failed_core_tests[0].outcome in UNTRIED_OUTCOMES
        return lateness_prefix + (
            failed_core_tests[0].message if is_untried else f"This does not hold yet: {failed_core_tests[0].sentence}"
        )
    if report.score < report.max_score:
        return f"{lateness_prefix}What lost points is not shown for this assignment."
    return lateness_prefix + (
        "All that was asked for holds; of the bonus something is left." if failed_tests else "Everything holds."
    )
