"""Turn outcomes into points. Pure, exact, and the same on every machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from autograder.course import Assignment
from autograder.grading.hidden_test_model import (
    OUTCOMES_WITH_FULL_POINTS,
    ConceptScore,
    HiddenTestResult,
    HiddenTestSpec,
)

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
