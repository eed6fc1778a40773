"""Make ``results.json``, which Gradescope reads after a run of its autograder.

Nothing in it is ever ``hidden``: with a hidden entry, students may not see their total. Where a course hides its
tests, each concept is one entry that shows its points and no more.

Format: https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from autograder.faults import KitFault
from autograder.grading.hidden_test_model import OUTCOMES_WITH_FULL_POINTS
from autograder.platforms.common.export_points import compute_counted_points
from autograder.platforms.common.json_encoding import encode_json_file
from autograder.platforms.common.platform_model import ExportOptions
from autograder.platforms.gradescope.student_markdown import (
    format_summary_as_markdown,
    format_test_failure_as_markdown,
)
from autograder.reports import ScoreReport
from autograder.reports.hint_withholding import redirect_hints_to_first_fix
from autograder.reports.markdown_report import iterate_diagnosis_paragraphs
from autograder.reports.report_model import ReportedConcept, ReportedTest
from autograder.reports.report_visibility import filter_report_for_student, is_visible_at, limit_repair_for_student

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
    score = _round_points(compute_counted_points(report, bonus_rule))
    entries = list(_iterate_entries(report, bonus_rule))
    entry_points = sum(entry.get("score", 0) for entry in entries)
    data = {
        "score": score,
        "output": format_summary_as_markdown(
            filter_report_for_student(report, "handed in"), score, _round_points(entry_points), bonus_rule
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
        return encode_json_file(data)
    except ValueError as error:
        raise KitFault(f"the report holds a number that JSON cannot: {error}", where=NAME) from error


def _iterate_entries(report: ScoreReport, bonus_rule: str) -> Iterator[Entry]:
    if report.status.message:
        yield _make_ungraded_entry(report)
        return
    report = redirect_hints_to_first_fix(report)
    for concept_number, concept in enumerate(report.concepts, start=1):
        concept_tests = [test for test in report.tests if test.concept == concept.name]
        counts = not (concept.bonus and bonus_rule == "none")
        hidden_tests = [test for test in concept_tests if test.visibility == "hidden"]
        if hidden_tests:
            yield _make_hidden_tests_entry(hidden_tests, concept, concept_number, counts=counts)
        shown_tests = [test for test in concept_tests if test.visibility != "hidden"]
        for test_number, test in enumerate(shown_tests, start=1):
            yield _make_test_entry(test, concept, f"{concept_number}.{test_number}", counts=counts)
    visibility = report.diagnosis.visibility
    text = "\n\n".join(iterate_diagnosis_paragraphs(limit_repair_for_student(report), include_tests=False))
    if text and visibility != "hidden" and not is_visible_at(visibility, "handed in"):
        yield {"name": "What went wrong", "output": text, "visibility": visibility}


def _make_test_entry(test: ReportedTest, concept: ReportedConcept, number: str, *, counts: bool) -> Entry:
    entry = _make_entry(
        test.sentence,
        number,
        concept,
        is_passed=test.outcome in OUTCOMES_WITH_FULL_POINTS,
        visibility=test.visibility,
    )
    if counts:
        entry |= {"score": _round_points(test.score), "max_score": _round_points(test.max_score)}
    text = format_test_failure_as_markdown(test)
    return entry | ({"output": text} if text else {})


def _make_hidden_tests_entry(
    tests: list[ReportedTest], concept: ReportedConcept, concept_number: int, *, counts: bool
) -> Entry:
    """Put a concept's tests that students never see into one entry, which shows their points alone."""
    score, max_score = (
        _round_points(sum(values)) for values in zip(*((test.score, test.max_score) for test in tests), strict=True)
    )
    entry = _make_entry(
        concept.name, str(concept_number), concept, is_passed=score >= max_score, visibility="visible"
    )
    return entry | ({"score": score, "max_score": max_score} if counts else {})


def _make_entry(name: str, number: str, concept: ReportedConcept, *, is_passed: bool, visibility: str) -> Entry:
    return {
        "name": f"{name} (bonus)" if concept.bonus else name,
        "number": number,
        "status": "passed" if is_passed else "failed",
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
        "max_score": _round_points(report.max_score),
        "visibility": "visible",
    }


def _round_points(value: float) -> float:
    """Round points to hundredths: sums of floats carry more digits than points have."""
    return round(value, 2) + 0.0
