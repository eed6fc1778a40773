"""What is sent together and known beforehand changes no word of any report."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.course import Assignment
from autograder.course.misconceptions import (
    Misconception,
    load_solution_styles,
    try_apply_style_and_mistakes,
)
from autograder.grading import GradedSubmission, Grader
from autograder.sandbox import SandboxConfig
from tests.catalogues import load_catalogue_once

SEED = 20261122
PARTS = 10
SUBMISSION_SECONDS = 20


@pytest.fixture(scope="module")
def patiently(engine: Assignment) -> Assignment:
    """The engine's assignment with more time for a submission: asking one by one takes longer."""
    return replace(engine, limits=msgspec.structs.replace(engine.limits, submission_seconds=SUBMISSION_SECONDS))


@pytest.fixture(scope="module")
def patient_grader(patiently: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    """A grader as it is."""
    with Grader(patiently, sandbox) as opened:
        yield opened


@pytest.fixture(scope="module")
def slowly(patiently: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    """A grader each of whose tests asks for itself."""
    with Grader(patiently, sandbox, prefetches_answers=False) as opened:
        yield opened


def facts_without_times(graded: GradedSubmission) -> dict[str, Any]:
    """Everything that is said of a submission, but how long it took."""
    tests = {
        one.spec.id: (one.outcome, one.message, one.stop_cause, one.observed_behavior, one.spec.hint)
        for one in graded.test_results
    }
    return {"status": graded.status, "notes": graded.notes, "concepts": graded.concept_scores} | tests


@pytest.fixture(scope="module")
def in_processes(patiently: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    """One that also uses a fresh process wherever another one runs code anew."""
    with Grader(patiently, sandbox, prefetches_answers=False, fresh_process_per_test=True) as opened:
        yield opened


def differing(fast: Grader, slow: Grader, programs: Mapping[str, str]) -> dict[str, Any]:
    """What one grader says of a program and the other does not, by the name of the program."""
    both = {
        name: [
            facts_without_times(grader.grade_submission(make_submission_from_source(name, source)))
            for grader in (fast, slow)
        ]
        for name, source in programs.items()
    }
    return {
        name: {what: (one[what], other[what]) for what in one if one[what] != other[what]}
        for name, (one, other) in both.items()
        if one != other
    }


def catalogue_in_styles(engine: Assignment, count: int) -> dict[str, str]:
    """So many misconceptions, chosen by chance, each in one style, chosen by chance."""
    chance = random.Random(SEED)
    every = list(load_catalogue_once(engine).misconceptions)
    chance.shuffle(every)
    return dict(_made(engine, chance, [(one,) for one in every], count))


def several_at_once(engine: Assignment, count: int) -> dict[str, str]:
    """So many engines with one to three mistakes, in one style each."""
    chance = random.Random(SEED + 1)
    every = load_catalogue_once(engine).misconceptions
    return dict(_made(engine, chance, (chance.sample(every, chance.randint(1, 3)) for _ in iter(int, 1)), count))


def _made(engine: Assignment, chance: random.Random, chosen: Any, count: int) -> Iterator[tuple[str, str]]:
    solution, styles = engine.solution_file.read_text(encoding="utf-8"), load_solution_styles(engine)
    made = 0
    mistakes: list[Misconception]
    for mistakes in chosen:
        style = chance.choice(styles)
        source = try_apply_style_and_mistakes(style, solution, mistakes)
        if source is not None:
            made += 1
            yield f"{made}: {style.id} " + " + ".join(one.id for one in mistakes), source
        if made == count:
            return


def one_part(programs: Mapping[str, str], part: int) -> dict[str, str]:
    """Every so many-th of them, so that several processes can share the work."""
    return {name: programs[name] for name in [*programs][part::PARTS]}


@pytest.mark.thorough
def test_what_a_test_has_to_find_out_first_changes_no_word(
    patient_grader: Grader, slowly: Grader, engine: Assignment
) -> None:
    """What it does to find it out gives numbers to objects, and a set of this engine is in the order of these."""
    mistakes = "order-of-a-set + zero-grad-sets-none + first-contribution-wins"
    programs = {name: one for name, one in several_at_once(engine, 50).items() if name.endswith(mistakes)}
    assert len(programs) == 1
    assert differing(patient_grader, slowly, programs) == {}


@pytest.mark.thorough
def test_what_was_learnt_from_one_engine_changes_no_word_about_it_the_second_time(
    patient_grader: Grader, engine: Assignment
) -> None:
    programs = catalogue_in_styles(engine, 2)
    first = {
        name: facts_without_times(patient_grader.grade_submission(make_submission_from_source(name, one)))
        for name, one in programs.items()
    }
    again = {
        name: facts_without_times(patient_grader.grade_submission(make_submission_from_source(name, one)))
        for name, one in programs.items()
    }
    assert again == first


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(PARTS))
def test_the_whole_catalogue_is_told_the_same(
    patient_grader: Grader, in_processes: Grader, engine: Assignment, part: int
) -> None:
    assert differing(patient_grader, in_processes, one_part(catalogue_in_styles(engine, sys.maxsize), part)) == {}


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(PARTS))
def test_many_engines_with_several_mistakes_are_told_the_same(
    patient_grader: Grader, slowly: Grader, engine: Assignment, part: int
) -> None:
    assert differing(patient_grader, slowly, one_part(several_at_once(engine, 150), part)) == {}
