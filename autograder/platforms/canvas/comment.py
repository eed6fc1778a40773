"""A report as a comment of a few lines, as a person would write it below a score."""

from __future__ import annotations

from autograder.reports import ScoreReport
from autograder.reports.audience import for_student
from autograder.reports.terminal import number

LONGEST = 4000
PASSED = "passed"


def comment_on(report: ScoreReport) -> str:
    """What a student needs to know: the points, what took some away, and for each concept the first thing to look at.

    Nothing in it changes from one run to the next, so that the same result has the same comment.
    """
    shown = for_student(report, "published")
    final = shown.final
    bonus = f" and {number(final.bonus)} of bonus" if final.bonus else ""
    lines = [f"{number(final.score)} of {number(final.max_score)} points{bonus}."]
    if shown.lateness and shown.lateness.percent_off:
        lines.append(shown.lateness.message)
    if shown.status.message:
        lines.append(shown.status.message)
    else:
        for concept in shown.concepts:
            lost = [test for test in shown.tests if test.concept == concept.name and test.outcome != PASSED]
            first = next((test for test in lost if test.message), None)
            points = f"{concept.name}: {number(concept.score)} of {number(concept.max_score)}."
            hint = f" Try: {first.hint}" if first and first.hint else ""
            lines.append(f"{points} {first.sentence}: {first.message}{hint}" if first else points)
    text = "\n".join(lines)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
