"""Write a report as a comment of a few lines, as a person would write it below a score."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.reports import ScoreReport
from autograder.reports.decision_text import iterate_decision_lines_for_student
from autograder.reports.named_causes import list_causes
from autograder.reports.report_visibility import filter_report_for_student
from autograder.reports.report_wording import (
    format_lateness_line,
    format_points,
    format_points_ignoring_lateness,
)
from autograder.reports.unpassed_tests import UnpassedTestsOfConcept, iterate_concepts_to_fix
from autograder.safe_text import replace_unprintable_characters

LONGEST = 4000


def format_score_comment(full_report: ScoreReport) -> str:
    """Return a comment with the points, all deductions, and for each concept the first thing to look at.

    Nothing in the comment changes from one run to the next, so that the same result has the same comment.
    """
    text = replace_unprintable_characters(
        "\n".join(_iterate_lines(filter_report_for_student(full_report, "published")))
    )
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _iterate_lines(report: ScoreReport) -> Iterator[str]:
    yield format_points_ignoring_lateness(report)
    if report.lateness and report.lateness.seconds_late:
        yield format_lateness_line(report, report.lateness)
    yield from iterate_decision_lines_for_student(report)
    if report.status.message:
        yield report.status.message
    for cause in list_causes(report):
        yield f"{cause.joined_titles}{cause.concepts_suffix} {cause.first_hint}".rstrip()
    for unpassed_tests in iterate_concepts_to_fix(report):
        points = f"{format_points(unpassed_tests.concept.score)} of {format_points(unpassed_tests.concept.max_score)}"
        yield f"{unpassed_tests.concept.name}, {points}: {_format_first_test(unpassed_tests)}"


def _format_first_test(unpassed_tests: UnpassedTestsOfConcept) -> str:
    if not unpassed_tests.tried:
        return unpassed_tests.untried[0].line
    first_test = unpassed_tests.tried[0]
    return f"{first_test.sentences[0]} {first_test.happened}" + (
        f" Try: {first_test.hint}" if first_test.hint and not first_test.explained else ""
    )
