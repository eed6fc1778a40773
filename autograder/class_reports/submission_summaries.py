"""Sum up the report of a submission in the values that tables of a class show, so that thousands fit in memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from autograder.grading.results import OUTCOMES_WITH_FULL_POINTS
from autograder.reports import ScoreReport


class SummarizedTest(NamedTuple):
    """A test of a suite, whatever came of it."""

    id: str
    sentence: str
    concept: str


class SummarizedConcept(NamedTuple):
    """A concept, whatever was reached in it."""

    name: str
    bonus: bool
    max_score: float


@dataclass(frozen=True, slots=True)
class SubmissionSummary:
    """The result of one submission in a few values, with lateness and decisions applied."""

    outcome: str
    is_provisional: bool
    has_grader_error: bool
    is_wrong_with_fresh_numbers: bool
    is_decided: bool
    """Whether a person decided something about it."""
    score: float
    """Before lateness."""
    points: float
    """Those that count in the end, without the bonus."""
    bonus: float
    max_score: float
    is_late: bool
    percent_off: float
    mistakes: tuple[str, ...]
    """Titles of the mistakes that are named."""
    is_wrong_without_name: bool
    concepts: tuple[float, ...]
    """The points of each concept, in the order of the assignment."""
    concepts_of_suite: tuple[SummarizedConcept, ...]
    tests: tuple[SummarizedTest, ...]
    failed: tuple[str, ...]
    """The ids of the tests without full points."""
    version: str
    """That of the assignment and of the kit."""
    graded_at: str

    @property
    def total(self) -> float:
        """Return the points that count with the bonus."""
        return self.points + self.bonus


def summarize_report(report: ScoreReport) -> SubmissionSummary:
    """Return a report in a few values; what reports of one suite have in common is one object in all of them."""
    titles = (
        " or ".join(dict.fromkeys(one.title for one in cause.misconceptions)) for cause in report.diagnosis.causes
    )
    tests = _share_tests(tuple(SummarizedTest(test.id, test.sentence, test.concept) for test in report.tests))
    return SubmissionSummary(
        outcome=report.status.outcome,
        is_provisional=report.status.provisional,
        has_grader_error=bool(report.grader_error_count),
        is_wrong_with_fresh_numbers=bool(report.fresh_look),
        is_decided=bool(report.decided),
        score=report.score,
        points=report.final.score,
        bonus=report.final.bonus,
        max_score=report.max_score,
        is_late=bool(report.lateness and report.lateness.seconds_late),
        percent_off=report.lateness.percent_off if report.lateness else 0.0,
        mistakes=tuple(dict.fromkeys(titles)),
        is_wrong_without_name=report.diagnosis.verdict == "unknown",
        concepts=tuple(concept.score for concept in report.concepts),
        concepts_of_suite=_share_concepts(
            tuple(SummarizedConcept(one.name, one.bonus, one.max_score) for one in report.concepts)
        ),
        tests=tests,
        failed=tuple(
            shared.id
            for shared, test in zip(tests, report.tests, strict=True)
            if test.outcome not in OUTCOMES_WITH_FULL_POINTS
        ),
        version=format_version(report.assignment.version, report.kit_version),
        graded_at=report.timing.graded_at,
    )


def format_version(assignment_version: str, kit_version: str) -> str:
    """Return the version of a result for people."""
    return f"{assignment_version}, kit {kit_version}"


@lru_cache(maxsize=100)
def _share_tests(tests: tuple[SummarizedTest, ...]) -> tuple[SummarizedTest, ...]:
    return tests


@lru_cache(maxsize=100)
def _share_concepts(concepts: tuple[SummarizedConcept, ...]) -> tuple[SummarizedConcept, ...]:
    return concepts
