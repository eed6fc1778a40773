"""Print one report as Autolab, CodeGrade, CodeRunner, VPL and Open edX read it from a grader that they run."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import Any

from autograder.faults import CallerFault
from autograder.grading.results import Outcome
from autograder.platforms.common.export_files import encode_json_line
from autograder.platforms.common.export_points import compute_fraction_of_full_marks, compute_points_to_export
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.platforms.common.visible_results import (
    format_report_as_xhtml,
    iterate_visible_tests_or_concepts,
)
from autograder.reports.report_model import ScoreReport, filter_report_for_student
from autograder.reports.terminal_report import render_report_as_plain_text
from autograder.reports.wording import format_final_points, format_points
from autograder.text import escape_for_display

# Autolab: an autograder prints scores on the last line, and its formatted feedback on the line before.
#
# Format: https://docs.autolabproject.com/lab/#writing-autograders.

PROBLEM = "autograded"
RESERVED = ("_presentation", "stages")


def encode_autolab_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
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


autolab = Platform(
    "autolab",
    "Autolab",
    report_writer=encode_autolab_files,
    settings={"problem": f"the problem, as it is called there; {PROBLEM} if nothing is said"},
)


# CodeGrade's AutoTest: a line of JSON for each test, and a last line with the share of full marks as a fraction.
#
# CodeGrade describes its AutoTest at https://help.codegrade.com. What is written here was compared with the output of
# its own reporter: https://pypi.org/project/cg-pytest-reporter.

STATUS: dict[Outcome, str] = {"passed": "success", "grader error": "skipped"}
"""``failure`` for all others. A test with a grader error is shown as skipped; the last line counts its points."""


def encode_codegrade_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``, to be piped to ``cg truncate``, or to standard error where there is no ``cg``."""
    share = Fraction(compute_fraction_of_full_marks(report, options)).limit_denominator(1_000_000)
    lines: list[dict[str, Any]] = []
    for case in iterate_visible_tests_or_concepts(report):
        reason = {"reason": case.message} if case.message else {}
        test = {"name": case.id, "status": STATUS.get(case.outcome, "failure"), **reason}
        concept = {"id": case.concept, "name": case.concept, "testCases": [test]}
        lines.append({"tag": "unit-test", "results": [concept]})
    lines.append({"tag": "points", "points": f"{share.numerator}/{share.denominator}"})
    return {"stdout": b"".join(map(encode_json_line, lines))}


codegrade = Platform("codegrade", "CodeGrade", report_writer=encode_codegrade_files)


# Moodle's CodeRunner: a combinator template grader prints one JSON object and nothing else.
#
# Format: https://trampgeek.github.io/moodle-qtype_coderunner/, the section on template graders.

HEADS = ["iscorrect", "Concept", "Points", "iscorrect"]
FORMATS = ["%s", "%s"]
"""One for each column but ``iscorrect``: text, never HTML."""


def encode_coderunner_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``: the share of full marks, a row for each concept (none if nothing ran), then the report."""
    visible_report = filter_report_for_student(report, "handed in")
    score = compute_fraction_of_full_marks(report, options)
    result: dict[str, object] = {"fraction": score, "epiloguehtml": format_report_as_xhtml(visible_report)}
    if not visible_report.status.message:
        rows = [_make_row(concept.name, concept.score, concept.max_score) for concept in visible_report.concepts]
        result |= {"testresults": [HEADS, *rows], "columnformats": FORMATS, "showdifferences": False}
    return {"stdout": encode_json_line(result)}


def _make_row(name: str, score: float, max_score: float) -> list[str | int]:
    is_correct = int(score >= max_score)
    return [is_correct, escape_for_display(name), f"{format_points(score)} of {format_points(max_score)}", is_correct]


coderunner = Platform("coderunner", "CodeRunner (Moodle)", report_writer=encode_coderunner_files)


# Write what ``vpl_execution`` prints for Moodle's Virtual Programming Lab.
#
# The last line that begins with ``Grade :=>>`` counts, and a comment ends at a line ``--|>`` even if it is indented.
# So every line of the report has a ``>`` before it, which shows it as it is, and the grade comes last.
#
# Format: https://vpl.dis.ulpgc.es, and for the exact rules the source:
# https://github.com/jcrodriguez-dis/moodle-mod_vpl.


def encode_vpl_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``: one comment, and the grade within the range that VPL tells.

    Raises:
        CallerFault: a setting should be a number and is not.
    """
    visible_report = filter_report_for_student(report, "handed in")
    lines = [
        "<|--",
        f"-{format_final_points(visible_report)}",
        *(f">{line}" for line in render_report_as_plain_text(visible_report).split("\n")),
        "--|>",
        f"Grade :=>> {_compute_grade(report, options):.5f}".rstrip("0").rstrip("."),
    ]
    return {"stdout": "\n".join(lines).encode() + b"\n"}


def _compute_grade(report: ScoreReport, options: ExportOptions) -> float:
    """Return the points, in the range of the activity if that is known."""
    lowest, highest = _read_number_setting(options, "VPL_GRADEMIN"), _read_number_setting(options, "VPL_GRADEMAX")
    if options.max_points is not None or highest is None:
        return compute_points_to_export(report, options)
    lowest = lowest or 0.0
    return lowest + compute_fraction_of_full_marks(report, options) * (highest - lowest)


def _read_number_setting(options: ExportOptions, key: str) -> float | None:
    text = options.settings.get(key, "")
    try:
        value = float(text) if text else None
    except ValueError:
        value = float("nan")
    if value is not None and not isfinite(value):
        raise CallerFault(f"{key}={text} is not a number", advice="run it inside vpl_execution, where VPL sets it")
    return value


vpl = Platform(
    "vpl",
    "Virtual Programming Lab (Moodle)",
    report_writer=encode_vpl_files,
    settings={"VPL_GRADEMIN": "the lowest grade; VPL sets it", "VPL_GRADEMAX": "the highest grade; VPL sets it"},
)


# Write the reply of an xqueue grader for Open edX; its message is well-formed XML with one root.
#
# Format: https://github.com/openedx/xqueue.


def encode_xqueue_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``: the reply on one line; ``correct`` means full marks and nothing less."""
    score = compute_fraction_of_full_marks(report, options)
    reply = {
        "correct": score >= 1,
        "score": score,
        "msg": format_report_as_xhtml(filter_report_for_student(report, "handed in")),
    }
    return {"stdout": encode_json_line(reply)}


xqueue = Platform("xqueue", "Open edX (xqueue)", report_writer=encode_xqueue_files)
