"""CodeGrade's AutoTest: a line of JSON for each test, and a last line with the share of full marks as a fraction."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from autograder.grading.results import Outcome
from autograder.platforms.cases import Case, cases_of
from autograder.platforms.model import Given, Platform
from autograder.platforms.plain import one_line
from autograder.platforms.points import fraction
from autograder.reports import ScoreReport

STATUS: dict[Outcome, str] = {"passed": "success", "grader error": "skipped"}
"""``failure`` for all others. A test that the grader spoilt is no success; the last line counts it all the same."""


def write(report: ScoreReport, given: Given) -> Mapping[str, bytes]:
    """Make ``stdout``, to be piped to ``cg truncate``, or to standard error where there is no ``cg``."""
    share = Fraction(fraction(report, given)).limit_denominator(1_000_000)
    lines = [one_line(_line(case)) for case in cases_of(report)]
    lines.append(one_line({"tag": "points", "points": f"{share.numerator}/{share.denominator}"}))
    return {"stdout": b"".join(lines)}


def _line(case: Case) -> dict[str, Any]:
    test = {"name": case.id, "status": STATUS.get(case.outcome, "failure")}
    if case.message:
        test["reason"] = case.message
    return {"tag": "unit-test", "results": [{"id": case.concept, "name": case.concept, "testCases": [test]}]}


platform = Platform("codegrade", "CodeGrade", report_writer=write)
