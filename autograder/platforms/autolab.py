"""Autolab: an autograder prints scores on the last line, and its formatted feedback on the line before.

Format: https://docs.autolabproject.com/lab/#writing-autograders.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograder.platforms.common.export_points import compute_points_to_export
from autograder.platforms.common.immediately_visible_tests import iterate_visible_tests_or_concepts
from autograder.platforms.common.json_encoding import encode_json_line
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.reports import ScoreReport
from autograder.reports.report_visibility import filter_report_for_student
from autograder.reports.terminal_report import render_report_as_plain_text

PROBLEM = "autograded"
RESERVED = ("_presentation", "stages")


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``: the report as text, then the tests by concept, then the score of one problem."""
    points = compute_points_to_export(report, options)
    problem = options.settings.get("problem", "") or PROBLEM
    visible_report = filter_report_for_student(report, "handed in")
    text = "".join(f" {line}\n" for line in render_report_as_plain_text(visible_report).split("\n"))
    scores_line = {"scores": {problem: points}, "scoreboard": [points]}
    return {"stdout": text.encode() + encode_json_line(_make_feedback_stages(report)) + encode_json_line(scores_line)}


def _make_feedback_stages(report: ScoreReport) -> dict[str, Any]:
    stages: dict[str, dict[str, Any]] = {}
    for case in iterate_visible_tests_or_concepts(report):
        name = f"{case.concept}:" if case.concept in RESERVED else case.concept
        hint = {"hint": case.message} if case.message else {}
        stages.setdefault(name, {})[case.id] = {"passed": case.counts_as_passed, **hint}
    return {"_presentation": "semantic", "stages": list(stages), **stages}


platform = Platform(
    "autolab",
    "Autolab",
    report_writer=encode_report_files,
    settings={"problem": f"the problem, as it is called there; {PROBLEM} if nothing is said"},
)
