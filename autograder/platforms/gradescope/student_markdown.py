"""Write what students read in Gradescope, as Markdown in which everything that came from them is literal."""

from __future__ import annotations

from autograder.english_wording import format_count
from autograder.platforms.common.export_points import BONUS_RULES
from autograder.reports import ScoreReport
from autograder.reports.markdown_report import (
    escape_markdown,
    render_course_text_as_markdown,
    render_report_as_markdown,
)
from autograder.reports.report_model import ReportedTest
from autograder.reports.report_wording import (
    format_bonus_suffix,
    format_points,
)


def format_summary_as_markdown(
    visible_report: ScoreReport, counted_points: float, points_in_entries: float, bonus_rule: str
) -> str:
    """Write the text above the tests.

    Args:
        visible_report: cut to what the student may see now.
        counted_points: the points that count.
        points_in_entries: the points that the entries below the text add up to.
        bonus_rule: how the bonus counts, one of ``BONUS_RULES``.
    """
    parts = []
    if bonus_suffix := format_bonus_suffix(visible_report, counted_points - visible_report.final.score):
        parts.append(f"**{format_points(counted_points)} points**{escape_markdown(bonus_suffix)}.")
    if counted_points != points_in_entries and not visible_report.status.message:
        bonus_clause = f": {BONUS_RULES[bonus_rule]}" if visible_report.bonus.max_score else ""
        lateness_clause = (
            ", and lateness is taken off" if visible_report.lateness and visible_report.lateness.percent_off else ""
        )
        parts.append(
            f"**{format_points(counted_points)} points count** of the {format_points(points_in_entries)} that the "
            "tests below add up to"
            f"{escape_markdown(bonus_clause)}{lateness_clause}."
        )
    faulty_tests = [test for test in visible_report.tests if test.outcome == "grader error"]
    if faulty_tests:
        parts.append(
            f"{format_count(len(faulty_tests), 'test')} could not be run. That costs no points: they count as passed."
        )
    return "\n\n".join([*parts, render_report_as_markdown(visible_report, include_tests=False)])


def format_test_failure_as_markdown(test: ReportedTest) -> str:
    """Say what happened in one test; empty where it passed."""
    if test.outcome == "passed":
        return ""
    outcome_text = f"**{test.outcome}:** {escape_markdown(test.message)}" if test.message else f"**{test.outcome}**"
    return f"{outcome_text}  \nTry: {render_course_text_as_markdown(test.hint)}" if test.hint else outcome_text
