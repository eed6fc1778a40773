"""The tests that did not pass, gathered as a student reads them: per concept, what ended alike told once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.grading.results import Outcome
from autograder.reports.model import ConceptPart, ScoreReport, TestPart
from autograder.reports.words import counted_tests

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
UNTRIED = ("blocked", "not attempted")
NOT_WRITTEN = re.compile(r"(`\w+`) is not written yet\.")
MOST_SENTENCES = 3


@dataclass(frozen=True, slots=True)
class Tried:
    """Tests that ended alike."""

    outcome: Outcome
    sentences: tuple[str, ...]
    """What they hold the submission to: the first few, and how many more there are."""
    happened: str
    """The outcome, and what happened."""
    hint: str
    """Empty where there is none, or where it was just given."""

    @property
    def sign(self) -> str:
        """The outcome as one character."""
        return SIGNS[self.outcome]


@dataclass(frozen=True, slots=True)
class Untried:
    """Tests that could not be tried, for one reason."""

    outcome: Outcome
    line: str
    is_own: bool = False
    """Whether nothing in the line is a student's, so that what stands between backticks is code."""

    @property
    def sign(self) -> str:
        """The outcome as one character."""
        return SIGNS[self.outcome]


@dataclass(frozen=True, slots=True)
class Lost:
    """A concept's tests that did not pass."""

    concept: ConceptPart
    tried: tuple[Tried, ...]
    untried: tuple[Untried, ...]


def tests_of(report: ScoreReport, concept: ConceptPart) -> list[TestPart]:
    """The tests of one concept that the report shows."""
    return [test for test in report.tests if test.concept == concept.name]


def lost_of(report: ScoreReport) -> Iterator[Lost]:
    """Each concept in which a test did not pass; none where the submission could not be graded at all."""
    if report.status.message:
        return
    for concept in report.concepts:
        lost = [test for test in tests_of(report, concept) if test.outcome != "passed"]
        if lost:
            yield Lost(concept, tuple(_tried(lost)), tuple(_untried(lost)))


def unshown(report: ScoreReport) -> list[str]:
    """Concepts that lost points in tests which the report does not show."""
    if report.status.message:
        return []
    shown = {test.concept for test in report.tests if test.outcome != "passed"}
    return [one.name for one in report.concepts if one.score < one.max_score and one.name not in shown]


def _tried(lost: list[TestPart]) -> Iterator[Tried]:
    """What was tried one by one; a hint that was just given is not given again."""
    grouped: dict[tuple[str, str], list[TestPart]] = {}
    for test in lost:
        if test.outcome not in UNTRIED:
            grouped.setdefault((test.outcome, test.message), []).append(test)
    given = ""
    for (outcome, message), tests in grouped.items():
        sentences = [test.sentence for test in tests[:MOST_SENTENCES]]
        if len(tests) > MOST_SENTENCES:
            sentences.append(f"and {len(tests) - MOST_SENTENCES} more tests")
        hint = tests[0].hint
        yield Tried(tests[0].outcome, tuple(sentences), f"{outcome}: {message}", "" if hint == given else hint)
        given = hint


def _untried(lost: list[TestPart]) -> Iterator[Untried]:
    """What could not be tried, in a line for each reason."""
    untried = [test for test in lost if test.outcome in UNTRIED]
    missing = [match[1] for test in untried if (match := NOT_WRITTEN.fullmatch(test.message))]
    if missing:
        names = ", ".join(dict.fromkeys(missing))
        yield Untried("not attempted", f"not written yet: {names} ({counted_tests(missing)})", is_own=True)
    rest = [test for test in untried if not NOT_WRITTEN.fullmatch(test.message)]
    for message in dict.fromkeys(test.message for test in rest):
        same = [test for test in rest if test.message == message]
        yield Untried(same[0].outcome, f"{same[0].outcome}: {message} ({counted_tests(same)})")
