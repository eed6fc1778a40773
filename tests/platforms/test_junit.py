"""JUnit's XML: a suite for each concept, a case for each test, valid whatever a student writes."""

from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring

import pytest
from msgspec import structs

from autograder.grading.results import Outcome
from autograder.platforms.written_reports import encode_junit_files
from autograder.reports import ScoreReport
from tests.platforms.forged import given
from tests.reports.sample import a_report, shown, with_each_test, with_test

ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testcase": {"name", "classname", "time"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "system-out": set[str](),
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase"},
    "testcase": {"failure", "error", "system-out"},
    "failure": set[str](),
    "error": set[str](),
    "system-out": set[str](),
}


def tree(report: ScoreReport) -> Element:
    return fromstring(encode_junit_files(report, given())["junit.xml"])


def assert_valid(root: Element) -> None:
    """What Jenkins's schema (junit-10.xsd) and Ant's have in common, as far as it is used."""
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.attrib) == ATTRIBUTES[element.tag]
        assert {child.tag for child in element} <= CHILDREN[element.tag]
    for element in root.iter("testcase"):
        assert len(element) <= 1
    for part in (root, *root.iter("testsuite")):
        for key, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            assert part.attrib[key] == str(len(list(part.iter(tag))))


def outcome(report: ScoreReport, name: str) -> str:
    (case,) = (case for case in tree(report).iter("testcase") if case.attrib["name"] == name)
    return case[0].tag if len(case) else "passed"


def test_there_is_a_suite_for_each_concept_and_a_case_for_each_test() -> None:
    root = tree(a_report())
    assert_valid(root)
    assert [suite.attrib["name"] for suite in root] == ["accumulation", "tanh", "robustness"]
    assert [case.attrib["name"] for case in root[0]] == [
        "accumulation.first",
        "accumulation.second",
        "accumulation.third",
    ]


def test_a_lost_test_says_what_happened_and_what_to_try() -> None:
    (failure,) = tree(a_report())[0].iter("failure")
    assert failure.attrib["type"] == "failed"
    assert failure.text == failure.attrib["message"]
    assert failure.text == (
        "It holds that second, as in `a + a`.\nfailed: a.grad is 1.0 zebra\n"
        "try: Fix this first: Gradients are assigned with `=`. How often is a paid?"
    )


@pytest.mark.parametrize(
    ("ended", "element"),
    [
        ("passed", "passed"),
        ("failed", "failure"),
        ("blocked", "failure"),
        ("not attempted", "failure"),
        ("error", "error"),
        ("timeout", "error"),
        ("crashed", "error"),
        ("grader error", "system-out"),
    ],
)
def test_every_outcome_that_gives_no_points_is_a_failure_or_an_error(ended: Outcome, element: str) -> None:
    report = with_test(a_report(), 0, outcome=ended, message="x")
    assert outcome(report, "accumulation.first") == element
    assert_valid(tree(report))


def test_a_test_that_the_grader_spoilt_costs_nothing_and_says_so() -> None:
    root = tree(with_each_test(a_report(), outcome="grader error", message="x"))
    assert (root.attrib["failures"], root.attrib["errors"]) == ("0", "0")
    assert all("The grader failed here" in (said.text or "") for said in root.iter("system-out"))


def test_nothing_passes_where_nothing_could_be_graded() -> None:
    root = tree(a_report(status="line 3: '(' was never closed"))
    assert root.attrib["failures"] == root.attrib["tests"] == "7"
    assert all("was never closed" in failure.attrib["message"] for failure in root.iter("failure"))


@pytest.mark.parametrize("visible", [True, False])
def test_where_tests_are_hidden_each_concept_is_a_case_whatever_came_of_it(visible: bool) -> None:
    root = tree(shown(a_report(status="" if visible else "empty"), "hidden"))
    assert_valid(root)
    assert [case.attrib["name"] for case in root.iter("testcase")] == ["accumulation", "tanh", "robustness"]


def test_times_are_those_of_the_tests() -> None:
    report = a_report()
    timing = structs.replace(report.timing, tests={"accumulation.first": 1.25, "tanh.fourth": 1000.5})
    root = tree(structs.replace(report, timing=timing))
    assert root.attrib["time"] == "1001.750"
    assert root[0][0].attrib["time"] == "1.250"
