"""Write a report as a comment of a few lines, as a person would write it below a score."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.reports import ScoreReport
from autograder.reports.decision_text import iterate_decision_lines_for_student
from autograder.reports.named_causes import list_named_causes
from autograder.reports.report_visibility import filter_report_for_student
from autograder.reports.report_wording import (
    format_lateness_line,
    format_points,
    format_points_ignoring_lateness,
)
from autograder.reports.unpassed_tests import UnpassedTestsOfConcept, iterate_unpassed_tests
from autograder.safe_text import replace_unprintable_characters

LONGEST = 4000


def format_score_comment(full_report: ScoreReport) -> str:
    """Return a comment with the points, all deductions, and for each concept the first thing to look at.

    Nothing in the comment changes from one run to the next, so that the same result has the same comment.
    """
    text = replace_unprintable_characters("\n".join(_lines(filter_report_for_student(full_report, "published"))))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _lines(report: ScoreReport) -> Iterator[str]:
    yield format_points_ignoring_lateness(report)
    if report.lateness and report.lateness.seconds_late:
        yield format_lateness_line(report, report.lateness)
    yield from iterate_decision_lines_for_student(report)
    if report.status.message:
        yield report.status.message
    for cause in list_named_causes(report):
        yield f"{cause.joined_titles} ({', '.join(cause.concepts)}) {cause.first_hint}".rstrip()
    for lost in iterate_unpassed_tests(report):
        points = f"{format_points(lost.concept.score)} of {format_points(lost.concept.max_score)}"
        yield f"{lost.concept.name}, {points}: {_first(lost)}"


def _first(lost: UnpassedTestsOfConcept) -> str:
    if not lost.tried:
        return lost.untried[0].line
    tried = lost.tried[0]
    return f"{tried.sentences[0]} {tried.happened}" + (
        f" Try: {tried.hint}" if tried.hint and not tried.explained else ""
    )
