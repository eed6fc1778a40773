"""Write Submitty's ``results.json`` of an autograder, or what a custom validator prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograder.platforms.cases import seen_at_once, told
from autograder.platforms.model import Given, Platform
from autograder.platforms.plain import file_of, one_line
from autograder.platforms.points import fraction, scaled
from autograder.reports import ScoreReport
from autograder.reports.lost import listed_of
from autograder.reports.model import ConceptPart
from autograder.reports.terminal import text_of
from autograder.text import clean


def write(report: ScoreReport, given: Given) -> Mapping[str, bytes]:
    """Make ``results.json`` with a test case for each concept, or ``stdout`` of a validator.

    Raises:
        CallerFault: ``form`` is neither.
    """
    if given.one_of("form", "results", "validator") == "validator":
        return {"stdout": one_line(_validation(report, given))}
    return {"results.json": file_of(_results(report, given))}


def _results(report: ScoreReport, given: Given) -> dict[str, Any]:
    shown = seen_at_once(report)
    total = scaled(report, given)
    why = {one.concept.name: told(one) for one in listed_of(shown)}
    unreadable = clean(shown.status.message, 1000)
    return {
        "automatic_grading_total": total,
        "nonhidden_automatic_grading_total": total,
        "testcases": [_case(concept, unreadable or why.get(concept.name, "")) for concept in shown.concepts],
    }


def _case(concept: ConceptPart, why: str) -> dict[str, Any]:
    case: dict[str, Any] = {"points_awarded": round(concept.score, 6), "test_name": clean(concept.name)}
    if why:
        messages = [{"message": line, "type": "failure"} for line in why.split("\n")]
        case["autochecks"] = [{"description": "What did not pass", "messages": messages}]
    return case


def _validation(report: ScoreReport, given: Given) -> dict[str, Any]:
    score = fraction(report, given)
    return {
        "score": score,
        "message": text_of(seen_at_once(report)),
        "status": "success" if score >= 1 else "failure",
    }


platform = Platform(
    "submitty",
    "Submitty",
    report_writer=write,
    settings={"form": "results (default): results.json; validator: what a custom validator prints"},
)
