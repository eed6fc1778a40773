"""Autolab: an autograder prints scores on the last line, and its formatted feedback on the line before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograder.platforms.cases import cases_of, seen_at_once
from autograder.platforms.model import Given, Platform
from autograder.platforms.plain import one_line
from autograder.platforms.points import scaled
from autograder.reports import ScoreReport
from autograder.reports.terminal import text_of

PROBLEM = "autograded"
RESERVED = ("_presentation", "stages")


def write(report: ScoreReport, given: Given) -> Mapping[str, bytes]:
    """Make ``stdout``: the report as text, then the tests by concept, then the score of one problem."""
    points = scaled(report, given)
    problem = given.settings.get("problem", "") or PROBLEM
    text = "".join(f" {line}\n" for line in text_of(seen_at_once(report)).split("\n"))
    last = {"scores": {problem: points}, "scoreboard": [points]}
    return {"stdout": text.encode() + one_line(_stages(report)) + one_line(last)}


def _stages(report: ScoreReport) -> dict[str, Any]:
    stages: dict[str, dict[str, Any]] = {}
    for case in cases_of(report):
        name = f"{case.concept}:" if case.concept in RESERVED else case.concept
        hint = {"hint": case.message} if case.message else {}
        stages.setdefault(name, {})[case.id] = {"passed": case.counts, **hint}
    return {"_presentation": "semantic", "stages": list(stages), **stages}


platform = Platform(
    "autolab",
    "Autolab",
    report_writer=write,
    settings={"problem": f"the problem, as it is called there; {PROBLEM} if nothing is said"},
)
