"""Check a population: right programs keep their marks, wrong ones lose them and are called by name."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.course.misconceptions import Misconception
from autograder.diagnosis import Diagnosis
from autograder.gate.finding import Finding
from autograder.gate.population import Population
from autograder.grading import Graded
from autograder.grading.results import TestResult, TestSpec

FEWEST_NAMED = 0.95
"""Of all misconceptions, those that must be named: by themselves, or by what is seen of them."""


def claims(
    population: Population, specs: tuple[TestSpec, ...], *, whole: bool = True, diagnosed: bool = True
) -> list[Finding]:
    """Return a finding for each thing that must hold.

    Args:
        population: what came of the programs.
        specs: the hidden tests.
        whole: whether it holds all programs; a sample says nothing of shares, nor of tests that catch nothing.
        diagnosed: whether mistakes in programs of this assignment can be named at all.
    """
    one_by_one, pairs = population.catalogue.misconceptions, population.catalogue.pairs
    wrong = {name: (graded, parts_of(name, population)) for name, graded in population.wrong.items()}
    found = [
        Finding(
            f"every one of {len(population.wheats)} right alternatives gets full marks",
            tuple(f"{name} loses {loss}" for name, graded in population.wheats.items() for loss in losses(graded)),
        ),
        Finding(
            f"every one of {len(one_by_one)} misconceptions and {len(pairs)} pairs loses marks where it is wrong",
            tuple(problem for name, (graded, parts) in wrong.items() for problem in _kept(name, parts, graded)),
        ),
        Finding(
            "and nowhere else",
            tuple(problem for name, (graded, parts) in wrong.items() for problem in strayed(name, parts, graded)),
        ),
        Finding("nothing is given a wrong name", tuple(_misnamed(population))),
    ]
    if not whole:
        return found
    return [
        *found,
        _named_claim(population)
        if diagnosed
        else Finding("names are not checked: this assignment has no diagnosis", ()),
        Finding(
            "every hidden test catches what no other does, or is kept for a reason", tuple(_idle(population, specs))
        ),
    ]


def _named_claim(population: Population) -> Finding:
    return Finding(
        f"at least {FEWEST_NAMED:.0%} of the misconceptions are named, by themselves or by what is seen of them",
        tuple(_unnamed(population)),
    )


def parts_of(name: str, population: Population) -> list[Misconception]:
    """Return the misconceptions in a wrong program."""
    by_id = {one.id: one for one in population.catalogue.misconceptions}
    return [by_id[part] for part in name.split("+")]


def losses(graded: Graded) -> list[str]:
    """Return what a right program lost; it may lose what is beyond the contract, and a bonus left out."""
    return [_told(result) for result in graded.results if not _allowed(result, graded)]


def names_of(diagnosis: Diagnosis) -> list[set[str]]:
    """Return the ids of the names of each cause."""
    return [{one.id for one in cause.misconceptions} for cause in diagnosis.causes]


def is_named(parts: list[Misconception], diagnosis: Diagnosis) -> bool:
    """Return whether a wrong program has a name: its own, with what looks the same, or one for what was seen."""
    return diagnosis.verdict == "named" and not is_misnamed(parts, diagnosis)


def is_misnamed(parts: list[Misconception], diagnosis: Diagnosis) -> bool:
    """Return whether a wrong program is called a misconception that it is not.

    A name that says what was seen is not a misconception. Names are compared by title: two misconceptions that share
    a title have the same name.
    """
    titles = {part.title for part in parts}
    return any(
        titles.isdisjoint(one.title for one in cause.misconceptions)
        for cause in diagnosis.causes
        if any(one.kind == "specific" for one in cause.misconceptions)
    )


def is_called_itself(parts: list[Misconception], diagnosis: Diagnosis) -> bool:
    """Return whether each part of a wrong program is called what it is, alone or with what looks the same."""
    causes = [{one.title for one in cause.misconceptions} for cause in diagnosis.causes]
    return len(causes) == len(parts) and all(any(part.title in cause for cause in causes) for part in parts)


def unique_to(population: Population) -> dict[str, list[str]]:
    """Return the misconceptions that only one test catches, by that test's id."""
    found: dict[str, list[str]] = {}
    for name, observed in population.observed.items():
        if len(observed) == 1:
            found.setdefault(next(iter(observed)), []).append(name)
    return found


def _allowed(result: TestResult, graded: Graded) -> bool:
    bonus = {concept.name for concept in graded.concepts if concept.bonus}
    left_out = result.outcome == "not attempted" and result.spec.concept in bonus
    return result.outcome == "passed" or result.spec.beyond or left_out


def _told(result: TestResult) -> str:
    return f"{result.spec.id}: {result.outcome}: {result.message}"


def _kept(name: str, parts: list[Misconception], graded: Graded) -> list[str]:
    lost = {concept.name for concept in graded.concepts if concept.score < concept.max_score}
    kept = [concept for part in parts for concept in part.concepts if concept not in lost]
    return [f"{name} loses nothing in {concept}" for concept in kept]


def strayed(name: str, parts: list[Misconception], graded: Graded) -> list[str]:
    """Return what a wrong program lost in concepts that are not wrong in it, and that it may not touch."""
    allowed = {concept for part in parts for concept in (*part.concepts, *part.may_touch)}
    astray = (r for r in graded.results if r.outcome != "passed" and r.spec.concept not in allowed)
    return [f"{name} loses {_told(result)}" for result in astray]


def _unnamed(population: Population) -> Iterator[str]:
    ids = [one.id for one in population.catalogue.misconceptions]
    missed = [n for n in ids if not is_named(parts_of(n, population), population.diagnosed[n].diagnosis)]
    if len(missed) > (1 - FEWEST_NAMED) * len(ids):
        for name in missed:
            diagnosis = population.diagnosed[name].diagnosis
            yield f"{name} is {diagnosis.verdict}: {diagnosis.reason or names_of(diagnosis)}"


def _misnamed(population: Population) -> Iterator[str]:
    for name in population.wheats:
        diagnosis = population.diagnosed[name].diagnosis
        if diagnosis.verdict != "none":
            yield f"{name} is right, and a diagnosis is made: {diagnosis.reason or names_of(diagnosis)}"
    for name in population.wrong:
        diagnosis = population.diagnosed[name].diagnosis
        if is_misnamed(parts_of(name, population), diagnosis):
            yield f"{name} is called {names_of(diagnosis)}"


def _idle(population: Population, specs: tuple[TestSpec, ...]) -> Iterator[str]:
    unique = unique_to(population)
    for spec in specs:
        if spec.id not in unique and not spec.kept and population.observed:
            yield f"{spec.id} catches nothing alone: take it out, or mark it with kept(why)"
        elif spec.id in unique and spec.kept:
            yield f"{spec.id} is marked as kept, and alone catches {unique[spec.id][0]}: take the mark off"
