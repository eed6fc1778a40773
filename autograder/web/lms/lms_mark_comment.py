"""Say in a few words what a student may know of a result, for the comment beside a mark in an LMS."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.reports import ScoreReport
from autograder.reports.decision_text import describe_decisions_for_student, list_staff_comments
from autograder.reports.report_wording import add_full_stop, format_final_points
from autograder.safe_text import escape_for_display

MOST_CHARACTERS = 700


def make_mark_comment(visible_report: ScoreReport, result_page_url: str) -> str:
    """Return the comment. Equal reports give equal comments.

    Args:
        visible_report: what the student may see of the result now, and nothing else.
        result_page_url: the page of the result.
    """
    summary = escape_for_display(" ".join(_iterate_sentences(visible_report)), MOST_CHARACTERS)
    return f"{summary} All of it: {result_page_url}"


def _iterate_sentences(report: ScoreReport) -> Iterator[str]:
    yield add_full_stop(format_final_points(report))
    if report.status.message:
        yield add_full_stop(report.status.message)
    if report.tests:
        passed_count = sum(test.outcome == "passed" for test in report.tests)
        yield f"{passed_count} of {len(report.tests)} tests passed."
    if report.lateness and report.lateness.percent_off:
        yield add_full_stop(report.lateness.message)
    for text in (*describe_decisions_for_student(report), *list_staff_comments(report)):
        yield add_full_stop(" ".join(text.split()))
