"""CodeGrade's AutoTest: a line of JSON for each test, and a last line with the share of full marks as a fraction.

CodeGrade describes its AutoTest at https://help.codegrade.com. What is written here was compared with the output of
its own reporter: https://pypi.org/project/cg-pytest-reporter.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from autograder.grading.hidden_test_model import Outcome
from autograder.platforms.common.export_points import compute_fraction_of_full_marks
from autograder.platforms.common.immediately_visible_tests import (
    VisibleResult,
    iterate_visible_tests_or_concepts,
)
from autograder.platforms.common.json_encoding import encode_json_line
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.reports import ScoreReport

STATUS: dict[Outcome, str] = {"passed": "success", "grader error": "skipped"}
"""``failure`` for all others. A test with a grader error is shown as skipped; the last line counts its points."""


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``, to be piped to ``cg truncate``, or to standard error where there is no ``cg``."""
    share = Fraction(compute_fraction_of_full_marks(report, options)).limit_denominator(1_000_000)
    lines = [encode_json_line(_make_line_data(case)) for case in iterate_visible_tests_or_concepts(report)]
    lines.append(encode_json_line({"tag": "points", "points": f"{share.numerator}/{share.denominator}"}))
    return {"stdout": b"".join(lines)}


def _make_line_data(case: VisibleResult) -> dict[str, Any]:
    test = {"name": case.id, "status": STATUS.get(case.outcome, "failure")}
    if case.message:
        test["reason"] = case.message
    return {"tag": "unit-test", "results": [{"id": case.concept, "name": case.concept, "testCases": [test]}]}


platform = Platform("codegrade", "CodeGrade", report_writer=encode_report_files)
