"""Assign failed tests to the mistakes that explain them."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.diagnosis.diagnosis_definition import DiagnosablePart
from autograder.diagnosis.diagnosis_model import Cause
from autograder.diagnosis.naming.mistake_naming import NamedWrongPartGroup
from autograder.diagnosis.part_experiment_log import STOP_FINDINGS
from autograder.grading import HiddenTestResult

STOPPED = ("timeout", "crashed")
"""Outcomes of tests in which the process was stopped."""


def make_causes_of_failed_tests(
    named_wrong_part_groups: Sequence[NamedWrongPartGroup],
    all_parts: Sequence[DiagnosablePart],
    failed_tests: Sequence[HiddenTestResult],
) -> tuple[Cause, ...]:
    """Return a cause for each group of named mistakes that has failed tests about its parts.

    A failed test that is about no group's parts is assigned to those whose parts it needs, if there are any. A single
    group always gives a cause, with three exceptions. What was seen of a part, without a proven name, is none where
    all failed tests about it need something else that failed and was seen to be wrong nowhere: it may follow from
    that. What was seen of something optional is none where something required failed. And that an experiment was
    stopped is none where no test was.

    Args:
        named_wrong_part_groups: the named mistakes, with the parts that each explains.
        all_parts: all parts of the assignment.
        failed_tests: the failed tests.
    """
    about = {part.name: frozenset(part.tested_names) for part in all_parts}
    names = [frozenset[str]().union(*(about[part] for part in one.parts)) for one in named_wrong_part_groups]
    whose: list[list[HiddenTestResult]] = [[] for _ in named_wrong_part_groups]
    for result in failed_tests:
        for wanted in (result.spec.tested_names, result.spec.required_names):
            if places := [place for place, own in enumerate(names) if not own.isdisjoint(wanted)]:
                break
        for place in places:
            whose[place].append(result)
    silent = {
        name
        for result in failed_tests
        if not any(own.intersection(result.spec.tested_names) for own in names)
        for name in result.spec.tested_names
    }
    required_names = {name for part in all_parts if part.is_required for name in part.tested_names}
    causes = []
    for one, own_names, tests in zip(named_wrong_part_groups, names, whose, strict=True):
        direct = [result.spec for result in tests if own_names.issuperset(result.spec.tested_names)]
        direct = [spec for spec in direct if spec.tested_names]
        is_optional = not any(part.name in one.parts and part.is_required for part in all_parts)
        if not one.misconceptions and (
            (direct and all(silent.intersection(spec.required_names) for spec in direct))
            or (is_optional and silent.intersection(required_names))
        ):
            continue
        tells_of_stop = any(mistake.id in STOP_FINDINGS.values() for mistake in one.named_mistakes)
        if tells_of_stop and not any(result.outcome in STOPPED for result in tests):
            continue
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
