"""JUnit's XML, which Artemis, GitLab, Jenkins and CodeGrade read: a suite for each concept, a case for each test.

Some of them give marks for cases, and Artemis leaves out skipped ones. So a test in which the grader itself failed
passes here, and its output says so.

Format: https://github.com/testmoapp/junitxml, which describes what most tools write and read; there is no standard.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from autograder.grading.hidden_test_model import Outcome
from autograder.platforms.common.immediately_visible_tests import (
    VisibleResult,
    iterate_visible_tests_or_concepts,
)
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.reports import ScoreReport
from autograder.safe_text import replace_non_xml_characters

ERRORS: tuple[Outcome, ...] = ("error", "timeout", "crashed")
"""Outcomes in which the code itself broke off; all others without points are failures."""


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``junit.xml``; it holds no points, so no setting changes it."""
    cases = list(iterate_visible_tests_or_concepts(report))
    root = Element(
        "testsuites", {"name": replace_non_xml_characters(report.assignment.name), **_make_count_attributes(cases)}
    )
    for concept, group in groupby(cases, key=lambda case: case.concept):
        _add_suite(root, concept, list(group))
    indent(root, " ")
    return {"junit.xml": tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"}


def _add_suite(root: Element, concept: str, cases: list[VisibleResult]) -> None:
    skipped = {"skipped": "0"}
    suite = SubElement(
        root, "testsuite", {"name": replace_non_xml_characters(concept), **_make_count_attributes(cases), **skipped}
    )
    for case in cases:
        attributes = {
            "name": replace_non_xml_characters(case.id),
            "classname": replace_non_xml_characters(concept),
            "time": f"{case.seconds:.3f}",
        }
        element = SubElement(suite, "testcase", attributes)
        if case.counts_as_passed:
            if case.message:
                SubElement(element, "system-out").text = replace_non_xml_characters(case.message)
        else:
            tag = "error" if case.outcome in ERRORS else "failure"
            message = replace_non_xml_characters(case.message)
            SubElement(element, tag, {"type": case.outcome, "message": message}).text = message


def _make_count_attributes(cases: list[VisibleResult]) -> dict[str, str]:
    failed_cases = [case for case in cases if not case.counts_as_passed]
    error_count = sum(case.outcome in ERRORS for case in failed_cases)
    return {
        "tests": str(len(cases)),
        "failures": str(len(failed_cases) - error_count),
        "errors": str(error_count),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


platform = Platform("junit", "JUnit XML (Artemis, GitLab, Jenkins, CodeGrade)", report_writer=encode_report_files)
