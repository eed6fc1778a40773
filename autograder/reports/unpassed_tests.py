"""Group the tests that did not pass for students: by concept, with tests of equal outcome described once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from autograder.grading.hidden_test_model import Outcome
from autograder.list_and_count_wording import format_count
from autograder.reports.hint_withholding import (
    UNTRIED_OUTCOMES,
    find_concept_name_to_fix_first_or_empty,
    redirect_hints_to_first_fix,
)
from autograder.reports.named_causes import DisplayedCause, map_test_ids_to_causes
from autograder.reports.report_model import ReportedConcept, ReportedTest, ScoreReport
from autograder.reports.report_wording import format_test_count

SIGNS: dict[Outcome, str] = {
    "passed": "✓",
    "failed": "✗",
    "error": "✗",
    "timeout": "✗",
    "crashed": "✗",
    "blocked": "-",
    "not attempted": "·",
    "grader error": "!",
}
NOT_WRITTEN = re.compile(r"(`\w+`) is not written yet\.")
NEEDED = re.compile(r"This needs (`\w+`), which is not written yet\.")
MOST_SENTENCES = 3


@dataclass(frozen=True, slots=True)
class FailedTestGroup:
    """Failed tests with the same outcome and message."""

    outcome: Outcome
    sentences: tuple[str, ...]
    """The first few of the tests' requirements, and how many more there are."""
    happened: str
    """The outcome, and what happened."""
    hint: str
    """The hint; empty if there is none, or if it was shown above or is folded."""
    folded_hint: str = ""
    """A hint that the student must unfold, because an earlier concept should be fixed first."""
    explained: bool = False
    """Whether a cause explains the tests; then the hint is the cause's first one."""

    @property
    def outcome_symbol(self) -> str:
        """Return the outcome as one character."""
        return SIGNS[self.outcome]


@dataclass(frozen=True, slots=True)
class UntriedTestGroup:
    """Tests that could not be tried, for one reason."""

    outcome: Outcome
    line: str
    is_own: bool = False
    """Whether the line holds no text of the student, so that text between backticks can be shown as code."""

    @property
    def outcome_symbol(self) -> str:
        """Return the outcome as one character."""
        return SIGNS[self.outcome]


@dataclass(frozen=True, slots=True)
class UnpassedTestsOfConcept:
    """A concept's tests that did not pass."""

    concept: ReportedConcept
    tried: tuple[FailedTestGroup, ...]
    untried: tuple[UntriedTestGroup, ...]
    above: str = ""
    """A note above this and all later concepts, that another concept should be fixed first; empty without one."""


def list_tests_of_concept(report: ScoreReport, concept: ReportedConcept) -> list[ReportedTest]:
    """Return the tests of one concept that the report shows."""
    return [test for test in report.tests if test.concept == concept.name]


def iterate_unexplained_tests_by_concept(report: ScoreReport) -> Iterator[UnpassedTestsOfConcept]:
    """Yield each concept with lost tests that no cause explains, for a view that shows causes and their tests apart.

    Yield nothing if the submission could not be graded at all.
    """
    known = map_test_ids_to_causes(report)
    yield from _by_concept(
        report,
        [test for test in report.tests if test.id not in known],
        find_concept_name_to_fix_first_or_empty(report),
    )


def iterate_unpassed_tests(report: ScoreReport) -> Iterator[UnpassedTestsOfConcept]:
    """Yield each concept in which a test did not pass, for a list that has no other place for causes.

    Tests that follow from a cause say what to mend first.
    """
    yield from _by_concept(report, redirect_hints_to_first_fix(report).tests, "")


def list_passed_test_sentences(report: ScoreReport) -> list[tuple[str, list[str]]]:
    """Return each concept with what its passed tests hold the submission to; concepts without any are left out."""
    by_concept = (
        (one.name, [test.sentence for test in list_tests_of_concept(report, one) if test.outcome == "passed"])
        for one in report.concepts
    )
    return [(name, sentences) for name, sentences in by_concept if sentences]


def list_concepts_without_shown_failure(report: ScoreReport) -> list[str]:
    """Return the names of concepts that lost points only in tests that the report does not show.

    There are none in the report of a submission that could not be graded.
    """
    if report.status.message:
        return []
    shown = {test.concept for test in report.tests if test.outcome != "passed"}
    return [one.name for one in report.concepts if one.score < one.max_score and one.name not in shown]


def _by_concept(report: ScoreReport, tests: Iterable[ReportedTest], first: str) -> Iterator[UnpassedTestsOfConcept]:
    if report.status.message:
        return
    lost = [test for test in tests if test.outcome != "passed" and not test.exempt]
    known = map_test_ids_to_causes(report)
    above = f"First mend {first}. What fails below may follow from it."
    for concept in report.concepts:
        mine = [test for test in lost if test.concept == concept.name]
        folds = bool(first) and concept.name != first
        tried = tuple(_tried([test for test in mine if test.outcome not in UNTRIED_OUTCOMES], known, folds=folds))
        if mine:
            yield UnpassedTestsOfConcept(concept, tried, tuple(_untried(mine)), above if folds and tried else "")
            above = "" if folds and tried else above


def _tried(
    tests: list[ReportedTest], known: Mapping[str, DisplayedCause], *, folds: bool
) -> Iterator[FailedTestGroup]:
    """Yield the tried tests, grouped by outcome; a hint that was shown above is not repeated."""
    grouped: dict[tuple[str, str, bool], list[ReportedTest]] = {}
    for test in tests:
        grouped.setdefault((test.outcome, test.message, test.id in known), []).append(test)
    given = set()
    for (outcome, message, follows), group in grouped.items():
        sentences = [test.sentence for test in group[:MOST_SENTENCES]]
        if len(group) > MOST_SENTENCES:
            sentences.append(f"and {format_count(len(group[MOST_SENTENCES:]), 'more test')}")
        hint = "" if group[0].hint in given else group[0].hint
        given.add(hint)
        yield FailedTestGroup(
            group[0].outcome,
            tuple(sentences),
            f"{outcome}: {message}",
            "" if folds else hint,
            hint if folds else "",
            follows,
        )


def _untried(lost: list[ReportedTest]) -> Iterator[UntriedTestGroup]:
    """Yield the tests that could not be tried, in a line for each reason."""
    untried = [test for test in lost if test.outcome in UNTRIED_OUTCOMES]
    missing = [match[1] for test in untried if (match := NOT_WRITTEN.fullmatch(test.message))]
    if missing:
        names = ", ".join(dict.fromkeys(missing))
        yield UntriedTestGroup(
            "not attempted", f"not written yet: {names} ({format_test_count(missing)})", is_own=True
        )
    rest = [test for test in untried if not NOT_WRITTEN.fullmatch(test.message)]
    for message in dict.fromkeys(test.message for test in rest):
        same = [test for test in rest if test.message == message]
        needed = NEEDED.fullmatch(message)
        why = f"waits for {needed[1]}, which is not written yet" if needed else f"{same[0].outcome}: {message}"
        yield UntriedTestGroup(same[0].outcome, f"{why} ({format_test_count(same)})", is_own=needed is not None)
