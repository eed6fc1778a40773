"""What a hidden test says of itself: its markers, its name and its docstring."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

import pytest

from autograder.course import Assignment, Concept
from autograder.faults import CourseFault
from autograder.grading.results import TestSpec

MARKERS = (
    "concept(name): the concept of grading.yml that the test gives marks for",
    "weight(number): the test's share of its concept's points; 1 without it",
    "needs(*names): names that the submission must have; a missing one blocks the test",
    "about(*names): those of the needed names that the test is about; missing, it was not attempted",
    "hint(text): what to look at when the test fails",
    "kept(why): catches nothing that other tests do not catch, and why it is there all the same",
    "beyond: asks for more than the contract; a right program may fail it",
)


def specs_of(items: Sequence[pytest.Item], assignment: Assignment) -> tuple[TestSpec, ...]:
    """What each test of a suite is.

    Raises:
        CourseFault: a test has no docstring, no weight that is one, or names no concept of ``grading.yml``; or two
            have the same id, or a concept has no test.
    """
    specs = tuple(_spec(item, assignment) for item in items)
    _check(specs, assignment)
    return specs


def names_in(item: pytest.Item, marker: str) -> tuple[str, ...]:
    """The names that all markers of this kind on a test give, in order, each once."""
    found = [name for mark in reversed(list(item.iter_markers(marker))) for name in mark.args]
    return tuple(dict.fromkeys(found))


def needed_by(item: pytest.Item) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that a test is about, and all that it needs, those among them."""
    about = names_in(item, "about")
    return about, tuple(dict.fromkeys((*about, *names_in(item, "needs"))))


def _spec(item: pytest.Item, assignment: Assignment) -> TestSpec:
    concept = _concept(item, assignment)
    about, needs = needed_by(item)
    slug = re.sub(r"[^a-z0-9]+", "-", item.name.removeprefix("test_").lower()).strip("-")
    return TestSpec(
        id=f"{concept.slug}.{slug}",
        concept=concept.name,
        sentence=_sentence(item),
        hint=_words(item, "hint"),
        needs=needs,
        about=about,
        weight=_weight(item),
        kept=_words(item, "kept"),
        beyond=item.get_closest_marker("beyond") is not None,
    )


def _concept(item: pytest.Item, assignment: Assignment) -> Concept:
    mark = item.get_closest_marker("concept")
    name = mark.args[0] if mark and mark.args else ""
    for concept in assignment.concepts:
        if concept.name == name:
            return concept
    known = ", ".join(concept.name for concept in assignment.concepts)
    raise CourseFault(
        f"names no concept of this assignment ({name!r})", where=item.nodeid, advice=f"mark it with one of: {known}"
    )


def _sentence(item: pytest.Item) -> str:
    """The first paragraph of a test's docstring."""
    doc = getattr(getattr(item, "function", None), "__doc__", None) or ""
    sentence = " ".join(doc.strip().split("\n\n")[0].split())
    if not sentence:
        raise CourseFault("has no docstring", where=item.nodeid, advice="write the sentence that a student reads")
    return sentence


def _words(item: pytest.Item, marker: str) -> str:
    mark = item.get_closest_marker(marker)
    return " ".join(str(mark.args[0]).split()) if mark and mark.args else ""


def _weight(item: pytest.Item) -> Fraction:
    mark = item.get_closest_marker("weight")
    if mark is None:
        return Fraction(1)
    value = mark.args[0] if mark.args else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
        raise CourseFault(f"a weight is a number above 0, not {value!r}", where=item.nodeid)
    return Fraction(str(value))


def _check(specs: Sequence[TestSpec], assignment: Assignment) -> None:
    seen: set[str] = set()
    for spec in specs:
        if spec.id in seen:
            raise CourseFault(f"two tests have the id {spec.id}", where=str(assignment.hidden))
        seen.add(spec.id)
    for concept in assignment.concepts:
        if not any(spec.concept == concept.name for spec in specs):
            raise CourseFault(
                f"no hidden test gives marks for {concept.name!r}",
                where=str(assignment.hidden),
                advice="add one, or take the concept out of grading.yml",
            )
