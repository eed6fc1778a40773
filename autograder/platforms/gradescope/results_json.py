"""Make ``results.json``, which Gradescope reads after a run of its autograder.

Nothing in it is ever ``hidden``: with a hidden entry, students may not see their total. Where a course hides its
tests, each concept is one entry that shows its points and no more.

Format: https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from autograder.faults import KitFault
from autograder.grading.hidden_test_model import OUTCOMES_WITH_FULL_POINTS
from autograder.platforms.common.export_points import compute_counted_points
from autograder.platforms.common.platform_model import ExportOptions
from autograder.platforms.gradescope.student_text import (
    format_diagnosis_as_markdown_or_empty,
    format_summary_as_markdown,
    format_test_failure_as_markdown_or_empty,
)
from autograder.reports import ScoreReport
from autograder.reports.hint_withholding import redirect_hints_to_first_fix
from autograder.reports.report_model import ReportedConcept, ReportedTest
from autograder.reports.report_visibility import filter_report_for_student, is_visible_at

Entry = dict[str, Any]
NAME = "results.json"


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make the file, and return it by its name.

    Raises:
        CallerFault: ``bonus`` is set to something other than capped, added or none.
        KitFault: a number in the report is infinite or not a number.
    """
    return {NAME: encode_results_json(report, options.settings.get("bonus") or "capped")}


def encode_results_json(report: ScoreReport, bonus_rule: str = "capped") -> bytes:
    """Return the content of ``results.json``, in ASCII.

    Args:
        report: the whole report, including what students see later or never.
        bonus_rule: what the bonus adds to the score: ``capped`` at full marks, ``added``, or ``none``.

    Raises:
        CallerFault: ``bonus_rule`` is none of the three.
        KitFault: a number in the report is infinite or not a number.
    """
    score = _points(compute_counted_points(report, bonus_rule))
    entries = list(_entries(report, bonus_rule))
    below = sum(entry.get("score", 0) for entry in entries)
    data = {
        "score": score,
        "output": format_summary_as_markdown(
            filter_report_for_student(report, "handed in"), score, _points(below), bonus_rule
        ),
        "output_format": "md",
        "test_output_format": "md",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": entries,
        "extra_data": {
            "kit_version": report.kit_version,
            "assignment": report.assignment.name,
            "assignment_version": report.assignment.version,
            "outcome": report.status.outcome,
            "sha256": report.submission.sha256,
        },
    }
    try:
        return json.dumps(data, indent=1, allow_nan=False).encode("ascii") + b"\n"
    except ValueError as error:
        raise KitFault(f"the report holds a number that JSON cannot: {error}", where=NAME) from error


def _entries(report: ScoreReport, bonus: str) -> Iterator[Entry]:
    if report.status.message:
        yield _make_ungraded_entry(report)
        return
    report = redirect_hints_to_first_fix(report)
    for place, concept in enumerate(report.concepts, start=1):
        mine = [test for test in report.tests if test.concept == concept.name]
        counts = not (concept.bonus and bonus == "none")
        hidden = [test for test in mine if test.visibility == "hidden"]
        if hidden:
            yield _make_hidden_tests_entry(hidden, concept, place, counts=counts)
        shown = [test for test in mine if test.visibility != "hidden"]
        for number, test in enumerate(shown, start=1):
            yield _test(test, concept, f"{place}.{number}", counts=counts)
    later = report.diagnosis.visibility
    text = format_diagnosis_as_markdown_or_empty(report)
    if text and later != "hidden" and not is_visible_at(later, "handed in"):
        yield {"name": "What went wrong", "output": text, "visibility": later}


def _test(test: ReportedTest, concept: ReportedConcept, number: str, *, counts: bool) -> Entry:
    entry = _entry(
        test.sentence, number, concept, passed=test.outcome in OUTCOMES_WITH_FULL_POINTS, visibility=test.visibility
    )
    if counts:
        entry |= {"score": _points(test.score), "max_score": _points(test.max_score)}
    text = format_test_failure_as_markdown_or_empty(test)
    return entry | ({"output": text} if text else {})


def _make_hidden_tests_entry(
    tests: list[ReportedTest], concept: ReportedConcept, place: int, *, counts: bool
) -> Entry:
    """Put a concept's tests that students never see into one entry, which shows their points alone."""
    score, most = (
        _points(sum(values)) for values in zip(*((one.score, one.max_score) for one in tests), strict=True)
    )
    entry = _entry(concept.name, str(place), concept, passed=score >= most, visibility="visible")
    return entry | ({"score": score, "max_score": most} if counts else {})


def _entry(name: str, number: str, concept: ReportedConcept, *, passed: bool, visibility: str) -> Entry:
    return {
        "name": f"{name} (bonus)" if concept.bonus else name,
        "number": number,
        "status": "passed" if passed else "failed",
        "tags": [concept.name],
        "visibility": visibility,
    }


def _make_ungraded_entry(report: ScoreReport) -> Entry:
    """Make the one entry of a submission that could not be graded; its score is 0, and the top says what to do."""
    return {
        "name": "Your submission can be graded",
        "number": "1",
        "status": "failed",
        "score": 0.0,
        "max_score": _points(report.max_score),
        "visibility": "visible",
    }


def _points(value: float) -> float:
    """Round points to hundredths: sums of floats carry more digits than points have."""
    return round(value, 2) + 0.0
