"""Tell what students see of each test of a report at once, as texts for platforms that run the kit itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element, tostring

from autograder.grading.results import OUTCOMES_WITH_FULL_POINTS, Outcome
from autograder.reports.causes import redirect_hints_to_first_fix
from autograder.reports.report_model import ReportedConcept, ReportedTest, ScoreReport, filter_report_for_student
from autograder.reports.terminal_report import render_report_as_plain_text
from autograder.reports.unpassed_tests import UnpassedTestsOfConcept, iterate_concepts_to_fix, list_tests_of_concept
from autograder.reports.wording import format_final_points, format_points
from autograder.text import CUT_MARK, escape_for_display, replace_non_xml_characters

LONGEST_LINE = 2000
OUR_FAULT = "The grader failed here, not the submission: the test counts as passed."


@dataclass(frozen=True, slots=True)
class VisibleResult:
    """One test, or one concept whose tests are not shown."""

    id: str
    """Unique in a report, and the same in every report of the assignment."""
    concept: str
    outcome: Outcome
    message: str
    """The requirement, the outcome and a hint, one line each; empty if it passed."""
    seconds: float = 0.0

    @property
    def counts_as_passed(self) -> bool:
        """Return whether the test gives its points; a fault of the grader takes none away."""
        return self.outcome in OUTCOMES_WITH_FULL_POINTS


def iterate_visible_tests_or_concepts(report: ScoreReport) -> Iterator[VisibleResult]:
    """Yield the tests of a whole report that students see at once; a concept without such tests is one case."""
    visible_report = redirect_hints_to_first_fix(filter_report_for_student(report, "handed in"))
    for concept in visible_report.concepts:
        tests = list_tests_of_concept(visible_report, concept)
        if not tests:
            yield _make_concept_case(concept, report)
        for test in tests:
            message = "" if test.outcome == "passed" else _format_message(test)
            yield VisibleResult(test.id, concept.name, test.outcome, message, report.timing.tests.get(test.id, 0.0))


def _format_lost_tests(lost: UnpassedTestsOfConcept) -> str:
    """Return a concept's lost tests as lines of plain text."""
    lines: list[str] = []
    for test in lost.tried:
        lines += [f"{test.outcome_symbol} {sentence}" for sentence in test.sentences]
        lines.append(f"    {test.happened}")
        if test.hint:
            lines.append(f"    try: {test.hint}")
    lines += [f"{test_line.outcome_symbol} {test_line.line}" for test_line in lost.untried]
    return "\n".join(escape_for_display(line, LONGEST_LINE) for line in lines)


def _make_concept_case(concept: ReportedConcept, report: ScoreReport) -> VisibleResult:
    if concept.score >= concept.max_score:
        return VisibleResult(concept.name, concept.name, "passed", "")
    points = f"{format_points(concept.score)} of {format_points(concept.max_score)} points"
    reason = escape_for_display(report.status.message or "Its tests are not shown.", LONGEST_LINE)
    return VisibleResult(concept.name, concept.name, "failed", f"{points}. {reason}")


def _format_message(test: ReportedTest) -> str:
    if test.outcome == "grader error":
        lines = [test.sentence, OUR_FAULT]
    else:
        lines = [test.sentence, f"{test.outcome}: {test.message}", f"try: {test.hint}" if test.hint else ""]
    return "\n".join(escape_for_display(line, LONGEST_LINE) for line in lines if line)


def format_lost_tests_by_concept(visible_report: ScoreReport) -> dict[str, str]:
    """Return the tests that each concept lost, as lines of plain text, by the concept's name."""
    return {lost.concept.name: _format_lost_tests(lost) for lost in iterate_concepts_to_fix(visible_report)}


def format_report_as_xhtml(visible_report: ScoreReport) -> str:
    """Return a report as HTML that is also well-formed XML with one root: points, and the rest as on a terminal.

    Args:
        visible_report: a report that is already cut to what the student may see.
    """
    root = Element("div")
    add_xml_element(root, "p").text = replace_non_xml_characters(format_final_points(visible_report))
    add_xml_element(root, "pre").text = replace_non_xml_characters(render_report_as_plain_text(visible_report))
    return tostring(root, encoding="unicode", short_empty_elements=False)


def shorten_text(text: str, max_length: int) -> str:
    """Shorten a text to at most so many characters; a text that is cut ends in a mark.

    >>> shorten_text("traceback", 6), shorten_text("short", 6)
    ('trace…', 'short')
    """
    return text if len(text) <= max_length else text[: max_length - len(CUT_MARK)] + CUT_MARK


def add_xml_element(parent: Element | None, tag: str, **attributes: str) -> Element:
    """Make an element, at the end of another one if there is one; return it."""
    element = Element(tag, {name: replace_non_xml_characters(value) for name, value in attributes.items()})
    if parent is not None:
        parent.append(element)
    return element
