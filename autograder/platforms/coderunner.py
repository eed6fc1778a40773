"""Moodle's CodeRunner: a combinator template grader prints one JSON object and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.platforms.cases import seen_at_once
from autograder.platforms.model import Given, Platform
from autograder.platforms.plain import fragment_of, one_line
from autograder.platforms.points import fraction
from autograder.reports import ScoreReport
from autograder.reports.words import number
from autograder.text import clean

HEADS = ["iscorrect", "Concept", "Points", "iscorrect"]
FORMATS = ["%s", "%s"]
"""One for each column but ``iscorrect``: text, never HTML."""


def write(report: ScoreReport, given: Given) -> Mapping[str, bytes]:
    """Make ``stdout``: the share of full marks, a row for each concept (none if nothing ran), then the report."""
    shown = seen_at_once(report)
    score = fraction(report, given)
    result: dict[str, object] = {"fraction": score, "epiloguehtml": fragment_of(shown)}
    if not shown.status.message:
        rows = [_row(concept.name, concept.score, concept.max_score) for concept in shown.concepts]
        result |= {"testresults": [HEADS, *rows], "columnformats": FORMATS, "showdifferences": False}
    return {"stdout": one_line(result)}


def _row(name: str, score: float, max_score: float) -> list[str | int]:
    right = int(score >= max_score)
    return [right, clean(name), f"{number(score)} of {number(max_score)}", right]


platform = Platform("coderunner", "CodeRunner (Moodle)", report_writer=write)
