"""JUnit's XML, which Artemis, GitLab, Jenkins and CodeGrade read: a suite for each concept, a case for each test.

Some of them give marks for cases, and Artemis leaves out skipped ones. So a test in which the grader itself failed
passes here, and its output says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from autograder.grading.results import Outcome
from autograder.platforms.cases import Case, cases_of
from autograder.platforms.model import Given, Platform
from autograder.platforms.plain import xml_text
from autograder.reports import ScoreReport

ERRORS: tuple[Outcome, ...] = ("error", "timeout", "crashed")
"""Where the code itself broke off; all else that gives no points is a failure."""


def write(report: ScoreReport, given: Given) -> Mapping[str, bytes]:
    """Make ``junit.xml``; it holds no points, so no setting changes it."""
    cases = list(cases_of(report))
    root = Element("testsuites", {"name": xml_text(report.assignment.name), **_counts(cases)})
    for concept, group in groupby(cases, key=lambda case: case.concept):
        _suite(root, concept, list(group))
    indent(root, " ")
    return {"junit.xml": tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"}


def _suite(root: Element, concept: str, cases: list[Case]) -> None:
    skipped = {"skipped": "0"}
    suite = SubElement(root, "testsuite", {"name": xml_text(concept), **_counts(cases), **skipped})
    for case in cases:
        attributes = {"name": xml_text(case.id), "classname": xml_text(concept), "time": f"{case.seconds:.3f}"}
        element = SubElement(suite, "testcase", attributes)
        if case.counts:
            if case.message:
                SubElement(element, "system-out").text = xml_text(case.message)
        else:
            kind = "error" if case.outcome in ERRORS else "failure"
            message = xml_text(case.message)
            SubElement(element, kind, {"type": case.outcome, "message": message}).text = message


def _counts(cases: list[Case]) -> dict[str, str]:
    lost = [case for case in cases if not case.counts]
    errors = sum(case.outcome in ERRORS for case in lost)
    return {
        "tests": str(len(cases)),
        "failures": str(len(lost) - errors),
        "errors": str(errors),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


platform = Platform("junit", "JUnit XML (Artemis, GitLab, Jenkins, CodeGrade)", report_writer=write)
