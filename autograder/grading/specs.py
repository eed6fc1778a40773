"""Read the description of a hidden test from its markers, its name and its docstring."""

from __future__ import annotations

import difflib
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from autograder.course import Assignment
from autograder.faults import CourseFault, CourseWarning, list_course_faults, raise_course_faults_if_any
from autograder.grading.results import HiddenTestSpec
from autograder.text import choose_by_count

if TYPE_CHECKING:
    from autograder.course import AcceptedGradientConventions
    from autograder.grading.submission_under_test import SubmissionUnderTest


TARGET_KEY: pytest.StashKey[SubmissionUnderTest] = pytest.StashKey()
CONVENTIONS_KEY: pytest.StashKey[AcceptedGradientConventions] = pytest.StashKey()
"""Set by a grader before its session is configured."""
TIER_KEY = pytest.StashKey[str]()
TEST_KEY = pytest.StashKey[pytest.Item]()
NEEDED_NAMES_KEY: pytest.StashKey[tuple[tuple[str, ...], tuple[str, ...]]] = pytest.StashKey()
"""In a test's stash: the names that the test is about, and all names that it needs."""


MARKER_HELP = (
    "concept(name): the concept of grading.yml that the test gives marks for",
    "weight(number): the test's share of its concept's points; 1 without it",
    "needs(*names): names that the submission must have; a missing one blocks the test",
    "subject(*names): those of the needed names that the test is about; missing, it was not attempted",
    "hint(text): what to look at when the test fails",
    "redundant_ok(why): catches nothing that other tests do not catch, and why it is there all the same",
    "vacuous(why): a program that does nothing passes it, and why it is there all the same",
    "beyond_contract: asks for more than the contract; a right program may fail it",
)
MARKER_NAMES = tuple(line.partition(":")[0].partition("(")[0] for line in MARKER_HELP)


def select_tests_of_listed_concepts(items: Sequence[pytest.Item], assignment: Assignment) -> list[pytest.Item]:
    """Return the tests whose concept ``grading.yml`` lists; warn about each concept that it does not list.

    A course may be older than the suite: a concept that is new there gives no points until the course says how many.

    Raises:
        CourseFault: a test names no concept at all, or a concept of ``grading.yml`` has no test.
    """
    names = {concept.name for concept in assignment.concepts}
    tests: dict[str, list[pytest.Item]] = {}
    faults = []
    for item in items:
        try:
            tests.setdefault(_concept_name(item, assignment), []).append(item)
        except CourseFault as fault:
            faults.append(fault)
    unlisted = {name: len(found) for name, found in tests.items() if name not in names}
    faults += [
        CourseFault(
            f"no hidden test gives marks for {name!r}",
            where=str(assignment.hidden_suite_folder),
            advice="add one, or take the concept out of grading.yml" + _suggest_concepts(name, unlisted),
        )
        for name in sorted(names - tests.keys())
    ]
    if faults:
        faults += _find_spec_faults([item for name in tests.keys() & names for item in tests[name]], assignment)
    raise_course_faults_if_any(faults)
    for name, count in unlisted.items():
        guess = "".join(f" (did you mean {close!r}?)" for close in difflib.get_close_matches(name, names, 1))
        left_out = choose_by_count(count, "hidden test is", "hidden tests are")
        warnings.warn(
            f"grading.yml lists no concept {name!r}{guess}; its {count} {left_out} left out "
            "(add it under `concepts`, with points)",
            CourseWarning,
            stacklevel=2,
        )
    return [item for item in items if _concept_name(item, assignment) in names]


def _find_spec_faults(items: Sequence[pytest.Item], assignment: Assignment) -> tuple[CourseFault, ...]:
    try:
        read_test_specs(items, assignment)
    except CourseFault as fault:
        return list_course_faults(fault)
    return ()


def _suggest_concepts(name: str, unlisted: dict[str, int]) -> str:
    """Suggest the concept named by tests that may be a misspelt ``name``; return an empty text without one."""
    close = difflib.get_close_matches(name, unlisted, 1)
    return f"; tests are marked with {close[0]!r}" if close else ""


def read_test_specs(items: Sequence[pytest.Item], assignment: Assignment) -> tuple[HiddenTestSpec, ...]:
    """Return the description of each test of a suite.

    Args:
        items: tests whose concepts ``grading.yml`` lists.
        assignment: the assignment.

    Raises:
        CourseFault: a test has no docstring or a malformed weight, or two tests have the same id.
    """
    specs, faults = [], []
    for item in items:
        try:
            specs.append(_spec(item, assignment))
        except CourseFault as fault:
            faults.append(fault)
    faults += [
        CourseFault(f"two tests have the id {id_}", where=str(assignment.hidden_suite_folder), advice="rename one")
        for id_, count in Counter(spec.id for spec in specs).items()
        if count > 1
    ]
    raise_course_faults_if_any(faults)
    return tuple(specs)


def _read_names_in_markers(item: pytest.Item, marker_name: str) -> tuple[str, ...]:
    """Return the names in all markers of this kind on a test, in order, each once."""
    found = [name for mark in reversed(list(item.iter_markers(marker_name))) for name in mark.args]
    return tuple(dict.fromkeys(found))


def read_tested_and_required_names(item: pytest.Item) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names that a test is about, and all names that it needs, which include the former."""
    tested = _read_names_in_markers(item, "subject")
    return tested, tuple(dict.fromkeys((*tested, *_read_names_in_markers(item, "needs"))))


def _spec(item: pytest.Item, assignment: Assignment) -> HiddenTestSpec:
    name = _concept_name(item, assignment)
    concept = next(one for one in assignment.concepts if one.name == name)
    tested, needs = read_tested_and_required_names(item)
    slug = re.sub(r"[^a-z0-9]+", "-", item.name.removeprefix("test_").lower()).strip("-")
    return HiddenTestSpec(
        id=f"{concept.test_id_prefix}.{slug}",
        concept=concept.name,
        sentence=_sentence(item),
        hint=_read_marker_text(item, "hint"),
        required_names=needs,
        tested_names=tested,
        weight=_weight(item),
        reason_redundant_ok=_read_marker_text(item, "redundant_ok"),
        reason_vacuous=_read_marker_text(item, "vacuous"),
        asks_beyond_contract=item.get_closest_marker("beyond_contract") is not None,
    )


def _concept_name(item: pytest.Item, assignment: Assignment) -> str:
    mark = item.get_closest_marker("concept")
    if mark and mark.args and isinstance(mark.args[0], str):
        return mark.args[0]
    known = ", ".join(concept.name for concept in assignment.concepts)
    raise CourseFault(
        f"the test {item.name} names no concept",
        where=_describe_test_location(item),
        advice=f"mark it with one of: {known}",
    )


def _describe_test_location(item: pytest.Item) -> str:
    """Return where a test stands: ``.../hidden/test_1_neuron.py:12: test_the_bias``."""
    return f"{item.path}:{(item.location[1] or 0) + 1}: {item.name}"


def _sentence(item: pytest.Item) -> str:
    """Return the first paragraph of a test's docstring, on one line."""
    doc = getattr(getattr(item, "function", None), "__doc__", None) or ""
    sentence = " ".join(doc.strip().split("\n\n")[0].split())
    if not sentence:
        raise CourseFault(
            f"the test {item.name} has no docstring",
            where=_describe_test_location(item),
            advice="write the sentence that a student reads",
        )
    return sentence


def _read_marker_text(item: pytest.Item, marker: str) -> str:
    mark = item.get_closest_marker(marker)
    return " ".join(str(mark.args[0]).split()) if mark and mark.args else ""


def _weight(item: pytest.Item) -> Fraction:
    mark = item.get_closest_marker("weight")
    if mark is None:
        return Fraction(1)
    value = mark.args[0] if mark.args else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
        raise CourseFault(f"a weight must be a number above 0, not {value!r}", where=_describe_test_location(item))
    return Fraction(str(value))
