"""Write ``results.json`` of an external grader for PrairieLearn.

PrairieLearn's page adds up the points of the list of tests. So the list has a line for each concept, with the bonus
beyond full marks, and a line for what lateness takes off: the sum is what counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from autograder.platforms.cases import seen_at_once, told
from autograder.platforms.model import Given, Platform
from autograder.platforms.plain import file_of, shortened
from autograder.platforms.points import fraction
from autograder.reports import ScoreReport
from autograder.reports.lost import listed_of
from autograder.reports.terminal import text_of
from autograder.reports.words import points_line
from autograder.text import clean

LONGEST, LONGEST_EACH = 25_000, 2_500
"""Characters, of up to 12 bytes in JSON: the whole file must stay below 1 MB."""


def write(report: ScoreReport, given: Given) -> Mapping[str, bytes]:
    """Make ``results.json`` for ``/grade/results``; a submission that could not be graded costs no attempt."""
    shown = seen_at_once(report)
    score = fraction(report, given)
    if shown.status.message:
        return {"results.json": file_of({"gradable": False, "format_errors": [clean(shown.status.message, 1000)]})}
    results = {
        "gradable": True,
        "score": score,
        "message": points_line(shown),
        "output": shortened(text_of(shown), LONGEST),
        "tests": list(_lines(shown, with_bonus=given.settings.get("bonus") != "none")),
    }
    return {"results.json": file_of(results)}


def _lines(shown: ScoreReport, *, with_bonus: bool) -> Iterator[dict[str, Any]]:
    lost = {one.concept.name: shortened(told(one), LONGEST_EACH) for one in listed_of(shown)}
    for concept in shown.concepts:
        if concept.bonus and not with_bonus:
            continue
        yield {
            "name": concept.name + (" (bonus)" if concept.bonus else ""),
            "points": round(concept.score, 6),
            "max_points": 0 if concept.bonus else round(concept.max_score, 6),
            "output": lost.get(concept.name, ""),
        }
    if shown.lateness and shown.lateness.percent_off:
        taken = shown.score - shown.final.score
        if with_bonus:
            taken += shown.bonus.score - shown.final.bonus
        message = clean(shown.lateness.message, 1000)
        yield {"name": "lateness", "points": -round(taken, 6), "max_points": 0, "output": message}


platform = Platform("prairielearn", "PrairieLearn", report_writer=write)
