"""Describe hidden tests and their results, choose the one that counts, and turn outcomes into points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from autograder.bridge.student_exceptions import WALL, is_time_limit
from autograder.course import Assignment

Outcome = Literal["passed", "failed", "error", "timeout", "crashed", "blocked", "not attempted", "grader error"]

OUTCOMES_WITH_FULL_POINTS: tuple[Outcome, ...] = ("passed", "grader error")
"""A grader error costs the student nothing."""


@dataclass(frozen=True, slots=True)
class HiddenTestSpec:
    """One hidden test, as its author described it."""

    __test__ = False

    id: str
    """Concept and name, such as ``accumulation.both-uses-count``; stable, and independent of files."""
    concept: str
    sentence: str
    """The first paragraph of its docstring, which students read."""
    hint: str
    required_names: tuple[str, ...]
    """Names that the submission must have for the test to mean anything."""
    tested_names: tuple[str, ...]
    """The required names that the test is about; the others are prerequisites."""
    weight: Fraction
    reason_redundant_ok: str = ""
    """Why the test is kept although other tests catch everything that it catches; else empty."""
    reason_vacuous: str = ""
    """Why the test is kept although a program that does nothing passes it; else empty."""
    asks_beyond_contract: bool = False
    """Whether it goes beyond the contract. A right program may fail it, so failing proves no misconception."""


@dataclass(frozen=True, slots=True)
class HiddenTestResult:
    """The result of one test on one submission."""

    __test__ = False

    spec: HiddenTestSpec
    outcome: Outcome
    message: str = ""
    """The explanation for the student."""
    stop_cause: str = ""
    """Why the process stopped (``cpu``, ``memory``, ``exit`` ...); empty if it did not stop."""
    seconds: float = 0.0
    observed_behavior: str = ""
    """The program's behavior, without source locations: two programs with the same idea give the same text."""
    blocking_name: str = ""
    """What the test saw fail before it could ask its own question; empty unless it was ``blocked_by`` that name."""
    own_error: str = ""
    """What the author of the test must fix, if the test ended by a mistake in its own lines; else empty."""


@dataclass(frozen=True, slots=True)
class ConceptScore:
    """The points of one concept."""

    name: str
    score: Fraction
    max_score: Fraction
    bonus: bool


LOST_OUTCOMES = ("failed", "error", "timeout", "crashed")
STOPPED_OUTCOMES = ("timeout", "crashed")
ONE_ORDER_HINT = "The order of a set is not defined, and in one of two orders this breaks"


def choose_result_after_appeal(first: HiddenTestResult, appeal: HiddenTestResult) -> HiddenTestResult:
    """Return the result that counts of a test that met a limit, and was tried again with more time.

    Where all the time of the submission was used up, the first result says more: which line was reached.
    """
    return first if appeal.stop_cause == "submission" and first.stop_cause != WALL else appeal


def is_same_behavior(one: HiddenTestResult, other: HiddenTestResult) -> bool:
    """Return whether a test saw the same of a program in two processes; a limit on time says nothing of that."""
    if is_time_limit(one.stop_cause) or is_time_limit(other.stop_cause):
        return True
    return (one.outcome, one.stop_cause, one.observed_behavior) == (
        other.outcome,
        other.stop_cause,
        other.observed_behavior,
    )


def combine_set_order_results(
    result_in_usual_order: HiddenTestResult, result_in_opposite_order: HiddenTestResult
) -> HiddenTestResult:
    """Combine the results of a test with sets in the usual order and in the opposite one.

    Both orders are legal, so a right program passes with both.

    Returns:
        The result that counts, with the seconds of both, and with a hint in its message if only one order lost.
        A stop says nothing about an order.
    """
    lost = [result for result in (result_in_usual_order, result_in_opposite_order) if result.outcome in LOST_OUTCOMES]
    counts = lost[0] if lost else result_in_usual_order
    seconds = result_in_usual_order.seconds + result_in_opposite_order.seconds
    depends_on_order = len(lost) == 1 and counts.outcome not in STOPPED_OUTCOMES
    message = f"{ONE_ORDER_HINT}: {counts.message}" if depends_on_order else counts.message
    return replace(counts, message=message, seconds=seconds)


CENT = Fraction(1, 100)


def apportion_points(specs: Sequence[HiddenTestSpec], assignment: Assignment) -> dict[str, Fraction]:
    """Share each concept's points among its tests by weight, in hundredths that add up exactly.

    Hundredths that are left over go to the tests with the largest remainders, earlier tests first (the method
    of largest remainders, also known as Hamilton's).
    """
    points: dict[str, Fraction] = {}
    for concept in assignment.concepts:
        tests = [spec for spec in specs if spec.concept == concept.name]
        total = sum((spec.weight for spec in tests), Fraction(0))
        if not tests:
            continue
        exact_shares = [Fraction(str(concept.points)) * spec.weight / total for spec in tests]
        whole_cents = [share // CENT for share in exact_shares]
        cents_left = int(Fraction(str(concept.points)) // CENT) - sum(whole_cents)
        order = sorted(range(len(tests)), key=lambda index: (whole_cents[index] - exact_shares[index] / CENT, index))
        for index in order[:cents_left]:
            whole_cents[index] += 1
        points.update((spec.id, cents * CENT) for spec, cents in zip(tests, whole_cents, strict=True))
    return points


def earns_full_points(result: HiddenTestResult) -> bool:
    """Return whether a test gets its points; a fault of the grader never costs any."""
    return result.outcome in OUTCOMES_WITH_FULL_POINTS


def compute_concept_scores(
    results: Sequence[HiddenTestResult], max_points_by_test: dict[str, Fraction], assignment: Assignment
) -> tuple[ConceptScore, ...]:
    """Return the points of each concept, in the order of ``grading.yml``."""
    scores = []
    for concept in assignment.concepts:
        concept_results = [result for result in results if result.spec.concept == concept.name]
        scores.append(
            ConceptScore(
                concept.name,
                _sum_points(
                    max_points_by_test[result.spec.id] for result in concept_results if earns_full_points(result)
                ),
                _sum_points(max_points_by_test[result.spec.id] for result in concept_results),
                concept.bonus,
            )
        )
    return tuple(scores)


def _sum_points(points: Iterable[Fraction]) -> Fraction:
    """Return the sum of points in hundredths; adding the fractions themselves takes ten times as long."""
    return sum(share.numerator * (CENT.denominator // share.denominator) for share in points) * CENT
