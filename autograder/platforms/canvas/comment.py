"""Write a report as a comment of a few lines, as a person would write it below a score."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import category

from autograder.reports import ScoreReport
from autograder.reports.audience import for_student
from autograder.reports.causes import causes_of
from autograder.reports.lost import Lost, listed_of
from autograder.reports.words import number, reached_line, what_counts

LONGEST = 4000
NO_TEXT = frozenset({"Cc", "Cs", "Cn"})
"""Categories of what Canvas does not keep or a file cannot hold."""


def comment_on(report: ScoreReport) -> str:
    """Tell a student the points, what took some away, and for each concept the first thing to look at.

    Nothing in the comment changes from one run to the next, so that the same result has the same comment.
    """
    text = as_text("\n".join(_lines(for_student(report, "published"))))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def as_text(text: str) -> str:
    """Return lines of text; characters that are not text, which a student may print, become U+FFFD."""
    return "".join("\ufffd" if category(one) in NO_TEXT and one != "\n" else one for one in text)


def _lines(report: ScoreReport) -> Iterator[str]:
    yield reached_line(report)
    if report.lateness and report.lateness.seconds_late:
        yield what_counts(report, report.lateness)
    if report.status.message:
        yield report.status.message
    for cause in causes_of(report):
        yield f"{cause.title} ({', '.join(cause.concepts)}) {cause.question}".rstrip()
    for lost in listed_of(report):
        points = f"{number(lost.concept.score)} of {number(lost.concept.max_score)}"
        yield f"{lost.concept.name}, {points}: {_first(lost)}"


def _first(lost: Lost) -> str:
    if not lost.tried:
        return lost.untried[0].line
    tried = lost.tried[0]
    return f"{tried.sentences[0]} {tried.happened}" + (
        f" Try: {tried.hint}" if tried.hint and not tried.explained else ""
    )
