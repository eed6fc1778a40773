"""Write one report into the files that Classroom 50, Coursera, PrairieLearn, Submitty and readers of JUnit take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from math import ceil, floor
from typing import Any
from xml.etree.ElementTree import indent, tostring

from autograder.faults import CallerFault
from autograder.grading.results import Outcome
from autograder.platforms.common.export_files import encode_json_file, encode_json_line
from autograder.platforms.common.export_points import compute_fraction_of_full_marks, compute_points_to_export
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.platforms.common.visible_results import (
    VisibleResult,
    add_xml_element,
    format_lost_tests_by_concept,
    iterate_visible_tests_or_concepts,
    shorten_text,
)
from autograder.reports.html_report import render_report_as_html
from autograder.reports.markdown_report import render_report_as_markdown
from autograder.reports.report_model import ScoreReport, filter_report_for_student
from autograder.reports.terminal_report import render_report_as_plain_text
from autograder.reports.wording import format_final_points
from autograder.text import escape_for_display, replace_non_xml_characters

# Classroom 50: ``result.json``, which takes only whole numbers and no further keys, and the body of the release.
#
# Format: https://github.com/foundation50/classroom50/wiki/Advanced-Autograding.

KEY_BY_SETTING = {
    "CLASSROOM": "classroom",
    "ASSIGNMENT": "assignment",
    "ASSIGNMENT_TYPE": "assignment_type",
    "OWNER": "owner",
    "SUBMISSION_TAG": "submission",
    "COMMIT_URL": "commit",
    "RELEASE_URL": "release",
    "REVIEW_URL": "review",
}
"""What its workflow sets, with the key in ``result.json``; ``USERNAME`` stands in for ``OWNER``."""


def encode_classroom50_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``result.json`` and ``release-body.md``.

    Raises:
        CallerFault: something that the workflow sets is missing, or the tag is not that of a submission.
    """
    environment = _read_environment(options.settings)
    visible_report = filter_report_for_student(report, "handed in")
    full_marks = options.max_points if options.max_points is not None else report.final.max_score
    graded_at = datetime.fromisoformat(report.timing.graded_at).astimezone(UTC)
    result = {
        "schema": "classroom50/result/v1",
        **{key: environment[setting] for setting, key in KEY_BY_SETTING.items()},
        "datetime": graded_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        **_round_points(compute_points_to_export(report, options), full_marks),
        "tests": [
            {
                "test-name": concept.name,
                "passed": concept.score >= concept.max_score,
                **_round_points(concept.score, concept.max_score),
            }
            for concept in visible_report.concepts
        ],
    }
    return {
        "result.json": encode_json_file(result),
        "release-body.md": render_report_as_markdown(visible_report).encode(),
    }


def _round_points(score: float, full_marks: float) -> dict[str, int]:
    """Round points to the nearest whole number, and full marks up; only full marks become full marks."""
    max_score = ceil(full_marks)
    return {
        "score": max_score if score >= full_marks else max(0, min(floor(score + 0.5), max_score - 1)),
        "max-score": max_score,
    }


def _read_environment(settings: Mapping[str, str]) -> dict[str, str]:
    environment = {key: settings.get(key, "") for key in KEY_BY_SETTING}
    environment["OWNER"] = environment["OWNER"] or settings.get("USERNAME", "")
    missing = [key for key, value in environment.items() if not value]
    if missing:
        raise CallerFault(
            f"missing settings: {', '.join(missing)}", "classroom50", "run it in the workflow, or say --set KEY=VALUE"
        )
    if not environment["SUBMISSION_TAG"].startswith("submit/"):
        location = f"SUBMISSION_TAG={environment['SUBMISSION_TAG']}"
        raise CallerFault(
            "the tag does not begin with submit/", location, "push a tag as the template's workflow does"
        )
    return environment


classroom50 = Platform(
    "classroom50",
    "Classroom 50",
    report_writer=encode_classroom50_files,
    settings=dict.fromkeys((*KEY_BY_SETTING, "USERNAME"), "its workflow sets it"),
)


# Coursera: the two files of a custom grader, for ``/shared``.
#
# Format: https://github.com/coursera/programming-assignments-demo/tree/master/custom-graders.


def encode_coursera_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``feedback.json`` with the share of full marks, and ``htmlFeedback.html`` with the student's page."""
    visible_report = filter_report_for_student(report, "handed in")
    feedback = {
        "fractionalScore": compute_fraction_of_full_marks(report, options),
        "feedback": f"{format_final_points(visible_report)}. The page below says what to try.",
        "feedbackType": "HTML",
    }
    return {
        "feedback.json": encode_json_line(feedback),
        "htmlFeedback.html": render_report_as_html(visible_report).encode(),
    }


coursera = Platform("coursera", "Coursera", report_writer=encode_coursera_files)


# Write ``results.json`` of an external grader for PrairieLearn.
#
# PrairieLearn's page adds up the points of the list of tests. So the list has a line for each concept, with the bonus
# beyond full marks, and a line for what lateness takes off: the sum is what counts.
#
# Format: https://docs.prairielearn.com/externalGrading/.

LONGEST, LONGEST_EACH = 25_000, 2_500
"""Most characters in all and per text, each up to 12 bytes in JSON: the whole file must stay below 1 MB."""


def encode_prairielearn_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``results.json`` for ``/grade/results``; a submission that could not be graded costs no attempt."""
    visible_report = filter_report_for_student(report, "handed in")
    score = compute_fraction_of_full_marks(report, options)
    if visible_report.status.message:
        problem = escape_for_display(visible_report.status.message, 1000)
        return {"results.json": encode_json_file({"gradable": False, "format_errors": [problem]})}
    results = {
        "gradable": True,
        "score": score,
        "message": format_final_points(visible_report),
        "output": shorten_text(render_report_as_plain_text(visible_report), LONGEST),
        "tests": list(_iterate_test_rows(visible_report, with_bonus=options.settings.get("bonus") != "none")),
    }
    return {"results.json": encode_json_file(results)}


def _iterate_test_rows(visible_report: ScoreReport, *, with_bonus: bool) -> Iterator[dict[str, Any]]:
    lost_tests_by_concept = format_lost_tests_by_concept(visible_report)
    for concept in visible_report.concepts:
        if concept.bonus and not with_bonus:
            continue
        yield {
            "name": concept.name + (" (bonus)" if concept.bonus else ""),
            "points": round(concept.score, 6),
            "max_points": 0 if concept.bonus else round(concept.max_score, 6),
            "output": shorten_text(lost_tests_by_concept.get(concept.name, ""), LONGEST_EACH),
        }
    if visible_report.lateness and visible_report.lateness.percent_off:
        penalty = visible_report.score - visible_report.final.score
        if with_bonus:
            penalty += visible_report.bonus.score - visible_report.final.bonus
        message = escape_for_display(visible_report.lateness.message, 1000)
        yield {"name": "lateness", "points": -round(penalty, 6), "max_points": 0, "output": message}


prairielearn = Platform("prairielearn", "PrairieLearn", report_writer=encode_prairielearn_files)


# Write Submitty's ``results.json`` of an autograder, or what a custom validator prints.
#
# Format: https://submitty.org/instructor/autograding/specification.


def encode_submitty_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``results.json`` with a test case for each concept, or ``stdout`` of a validator.

    Raises:
        CallerFault: ``form`` is neither.
    """
    if options.get_choice_setting("form", "results", "validator") == "validator":
        return {"stdout": encode_json_line(_make_validator_output(report, options))}
    return {"results.json": encode_json_file(_make_results(report, options))}


def _make_results(report: ScoreReport, options: ExportOptions) -> dict[str, Any]:
    visible_report = filter_report_for_student(report, "handed in")
    total = compute_points_to_export(report, options)
    failure_by_concept = format_lost_tests_by_concept(visible_report)
    problem = escape_for_display(visible_report.status.message, 1000)
    return {
        "automatic_grading_total": total,
        "nonhidden_automatic_grading_total": total,
        "testcases": [
            {
                "points_awarded": round(concept.score, 6),
                "test_name": escape_for_display(concept.name),
                **_make_checks(problem or failure_by_concept.get(concept.name, "")),
            }
            for concept in visible_report.concepts
        ],
    }


def _make_checks(failure: str) -> dict[str, Any]:
    messages = [{"message": line, "type": "failure"} for line in failure.split("\n")]
    return {"autochecks": [{"description": "What did not pass", "messages": messages}]} if failure else {}


def _make_validator_output(report: ScoreReport, options: ExportOptions) -> dict[str, Any]:
    score = compute_fraction_of_full_marks(report, options)
    return {
        "score": score,
        "message": render_report_as_plain_text(filter_report_for_student(report, "handed in")),
        "status": "success" if score >= 1 else "failure",
    }


submitty = Platform(
    "submitty",
    "Submitty",
    report_writer=encode_submitty_files,
    settings={"form": "results (default): results.json; validator: what a custom validator prints"},
)


# JUnit's XML, which Artemis, GitLab, Jenkins and CodeGrade read: a suite for each concept, a case for each test.
#
# Some of them give marks for cases, and Artemis leaves out skipped ones. So a test in which the grader itself failed
# passes here, and its output says so.
#
# Format: https://github.com/testmoapp/junitxml, which describes what most tools write and read; there is no standard.

ERRORS: tuple[Outcome, ...] = ("error", "timeout", "crashed")
"""Outcomes in which the code itself broke off; all others without points are failures."""


def encode_junit_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``junit.xml``; it holds no points, so no setting changes it."""
    cases = list(iterate_visible_tests_or_concepts(report))
    root = add_xml_element(None, "testsuites", name=report.assignment.name, **_make_count_attributes(cases))
    for concept, group in groupby(cases, key=lambda case: case.concept):
        concept_cases = list(group)
        suite = add_xml_element(root, "testsuite", name=concept, **_make_count_attributes(concept_cases), skipped="0")
        for case in concept_cases:
            element = add_xml_element(suite, "testcase", name=case.id, classname=concept, time=f"{case.seconds:.3f}")
            message = replace_non_xml_characters(case.message)
            if not case.counts_as_passed:
                tag = "error" if case.outcome in ERRORS else "failure"
                add_xml_element(element, tag, type=case.outcome, message=message).text = message
            elif message:
                add_xml_element(element, "system-out").text = message
    indent(root, " ")
    return {"junit.xml": tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"}


def _make_count_attributes(cases: list[VisibleResult]) -> dict[str, str]:
    failed_cases = [case for case in cases if not case.counts_as_passed]
    error_count = sum(case.outcome in ERRORS for case in failed_cases)
    return {
        "tests": str(len(cases)),
        "failures": str(len(failed_cases) - error_count),
        "errors": str(error_count),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


junit = Platform("junit", "JUnit XML (Artemis, GitLab, Jenkins, CodeGrade)", report_writer=encode_junit_files)
