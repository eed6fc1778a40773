"""Group the tests that did not pass for students: by concept, with tests of equal outcome described once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from autograder.grading.results import Outcome
from autograder.reports.causes import (
    UNTRIED_OUTCOMES,
    DisplayedCause,
    find_concept_to_fix_first,
    map_test_ids_to_causes,
    pair_sentences_with_tests,
    redirect_hints_to_first_fix,
)
from autograder.reports.report_model import ReportedConcept, ReportedTest, ScoreReport
from autograder.text import format_count

SIGNS: dict[Outcome, str] = {
    "passed": "✓", "failed": "✗", "error": "✗", "timeout": "✗", "crashed": "✗", "blocked": "-", "not attempted": "·",
    "grader error": "!",
}  # fmt: skip
NOT_WRITTEN = re.compile(r"(`\w+`) is not written yet\.")
NEEDED = re.compile(r"This needs (`\w+`), which is not written yet\.")
MOST_SENTENCES = 3
FOLLOWING = "failed, too"


@dataclass(frozen=True, slots=True)
class FailedTestGroup:
    """Failed tests with the same outcome and message."""

    outcome: Outcome
    sentences_with_tests: tuple[tuple[str, str], ...]
    """The first few of the tests' requirements, each with the id of its first test, and how many more there are."""
    happened: str
    """The outcome, and what happened."""
    hint: str
    """The hint; empty if there is none, or if it was shown above or is folded."""
    folded_hint: str = ""
    """A hint that the student must unfold, because an earlier concept should be fixed first."""
    explained: bool = False
    """Whether a cause explains the tests; then the hint is the cause's first one."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the first few of the tests' requirements, and how many more there are."""
        return tuple(sentence for sentence, _ in self.sentences_with_tests)

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
    cause_by_test_id = map_test_ids_to_causes(report)
    yield from _iterate_concepts(
        report, [test for test in report.tests if test.id not in cause_by_test_id], find_concept_to_fix_first(report)
    )


def iterate_concepts_to_fix(report: ScoreReport) -> Iterator[UnpassedTestsOfConcept]:
    """Yield each concept in which a test did not pass, for a list that has no other place for causes.

    Tests that follow from a cause say what to fix first.
    """
    yield from _iterate_concepts(report, redirect_hints_to_first_fix(report).tests, "")


def list_passed_tests_by_concept(report: ScoreReport) -> list[tuple[str, list[ReportedTest]]]:
    """Return each concept with its passed tests; concepts without any are left out."""
    pairs = (
        (concept.name, [test for test in list_tests_of_concept(report, concept) if test.outcome == "passed"])
        for concept in report.concepts
    )
    return [(name, tests) for name, tests in pairs if tests]


def list_concepts_without_shown_failure(report: ScoreReport) -> list[str]:
    """Return the names of concepts that lost points only in tests that the report does not show.

    There are none in the report of a submission that could not be graded.
    """
    if report.status.message:
        return []
    shown_concepts = {test.concept for test in report.tests if test.outcome != "passed"}
    return [
        concept.name
        for concept in report.concepts
        if concept.score < concept.max_score and concept.name not in shown_concepts
    ]


def _iterate_concepts(
    report: ScoreReport, tests: Iterable[ReportedTest], first_concept: str
) -> Iterator[UnpassedTestsOfConcept]:
    if report.status.message:
        return
    lost_tests = [test for test in tests if test.outcome != "passed" and not test.exempt]
    cause_by_test_id = map_test_ids_to_causes(report)
    note = f"First fix {first_concept}. What fails below may follow from it."
    shown_hints = set[str]()
    for concept in report.concepts:
        concept_tests = [test for test in lost_tests if test.concept == concept.name]
        folds = bool(first_concept) and concept.name != first_concept
        tried_groups = tuple(
            _iterate_tried_groups(
                [test for test in concept_tests if test.outcome not in UNTRIED_OUTCOMES],
                cause_by_test_id,
                shown_hints,
                folds=folds,
            )
        )
        if concept_tests:
            yield UnpassedTestsOfConcept(
                concept,
                tried_groups,
                tuple(_iterate_untried_groups(concept_tests)),
                note if folds and tried_groups else "",
            )
            note = "" if folds and tried_groups else note


def _iterate_tried_groups(
    tests: list[ReportedTest], cause_by_test_id: Mapping[str, DisplayedCause], shown_hints: set[str], *, folds: bool
) -> Iterator[FailedTestGroup]:
    """Yield the tried tests, grouped by outcome; a hint that was shown above, in any concept, is not repeated.

    Tests that follow a plainer one are a group after that one's, without what each of them saw.
    """
    tests_by_result: dict[tuple[str, ...], list[ReportedTest]] = {}
    message_by_id = {test.id: test.message for test in tests}
    for test in tests:
        is_explained = "explained" if test.id in cause_by_test_id else ""
        follows = test.follows if message_by_id.get(test.follows, test.message) != test.message else ""
        key = (follows, "", is_explained) if follows else (test.outcome, test.message, is_explained)
        tests_by_result.setdefault(key, []).append(test)
    for (outcome, message, is_explained), group in tests_by_result.items():
        hint = "" if group[0].hint in shown_hints else group[0].hint
        shown_hints.add(hint)
        follows_plainer = outcome in message_by_id
        yield FailedTestGroup(
            group[0].outcome,
            pair_sentences_with_tests(group, MOST_SENTENCES),
            FOLLOWING if follows_plainer else f"{outcome}: {message}",
            "" if folds else hint,
            hint if folds else "",
            bool(is_explained),
        )


def _iterate_untried_groups(tests: list[ReportedTest]) -> Iterator[UntriedTestGroup]:
    """Yield the tests that could not be tried, in a line for each reason."""
    untried_tests = [test for test in tests if test.outcome in UNTRIED_OUTCOMES]
    missing_names = [match[1] for test in untried_tests if (match := NOT_WRITTEN.fullmatch(test.message))]
    if missing_names:
        names = ", ".join(dict.fromkeys(missing_names))
        yield UntriedTestGroup(
            "not attempted", f"not written yet: {names} ({format_count(len(missing_names), 'test')})", is_own=True
        )
    other_tests = [test for test in untried_tests if not NOT_WRITTEN.fullmatch(test.message)]
    for message in dict.fromkeys(test.message for test in other_tests):
        group = [test for test in other_tests if test.message == message]
        dependency = NEEDED.fullmatch(message)
        reason = (
            f"waits for {dependency[1]}, which is not written yet" if dependency else f"{group[0].outcome}: {message}"
        )
        yield UntriedTestGroup(
            group[0].outcome, f"{reason} ({format_count(len(group), 'test')})", is_own=dependency is not None
        )
