"""Turn a report into the tests that students see as soon as they hand in, for platforms that show or count tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.grading.hidden_test_model import OUTCOMES_WITH_FULL_POINTS, Outcome
from autograder.reports.hint_withholding import redirect_hints_to_first_fix
from autograder.reports.report_model import ReportedConcept, ReportedTest, ScoreReport
from autograder.reports.report_visibility import filter_report_for_student
from autograder.reports.report_wording import format_points
from autograder.reports.unpassed_tests import UnpassedTestsOfConcept, list_tests_of_concept
from autograder.safe_text import escape_for_display

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


def format_lost_tests(lost: UnpassedTestsOfConcept) -> str:
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
