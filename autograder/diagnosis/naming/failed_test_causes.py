"""Assign failed tests to the mistakes that explain them."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.diagnosis.diagnosis_definition import DiagnosablePart
from autograder.diagnosis.diagnosis_model import Cause
from autograder.diagnosis.naming.mistake_naming import NamedWrongPartGroup
from autograder.grading import HiddenTestResult


def make_causes_of_failed_tests(
    named_wrong_part_groups: Sequence[NamedWrongPartGroup],
    all_parts: Sequence[DiagnosablePart],
    failed_tests: Sequence[HiddenTestResult],
) -> tuple[Cause, ...]:
    """Return a cause for each group of named mistakes that has failed tests about its parts.

    Failed tests that are about no group's parts are assigned to the first group. A single group always gives a cause.

    Args:
        named_wrong_part_groups: the named mistakes, with the parts that each explains.
        all_parts: all parts of the assignment.
        failed_tests: the failed tests.
    """
    about = {part.name: frozenset(part.tested_names) for part in all_parts}
    whose: list[list[HiddenTestResult]] = [[] for _ in named_wrong_part_groups]
    for result in failed_tests:
        places = [
            place
            for place, one in enumerate(named_wrong_part_groups)
            if any(not about[part].isdisjoint(result.spec.tested_names) for part in one.parts)
        ]
        for place in places or [0] * bool(named_wrong_part_groups):
            whose[place].append(result)
    causes = []
    for one, tests in zip(named_wrong_part_groups, whose, strict=True):
        own = tuple(concept for mistake in one.misconceptions for concept in mistake.concepts)
        concepts = own or tuple(result.spec.concept for result in tests)
        if tests or len(named_wrong_part_groups) == 1:
            causes.append(
                Cause(
                    misconceptions=one.named_mistakes,
                    concepts=tuple(dict.fromkeys(concepts)),
                    tests=tuple(result.spec.id for result in tests),
                )
            )
    return tuple(causes)
