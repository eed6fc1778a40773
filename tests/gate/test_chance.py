"""Verdicts are the same on every run: whatever the hash seed, and in whatever order the tests come.

All students' processes have one hash seed: what is set outside does not reach them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.course import Assignment
from autograder.course.misconceptions import apply_misconceptions
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from tests.catalogues import load_catalogue_once

RUNS = 20


@pytest.fixture(scope="module")
def shuffled(engine: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    with Grader(engine, sandbox) as opened:
        yield opened


def shuffle(grader: Grader, seed: int) -> None:
    """Put the hidden tests into another order."""
    suite = grader.suite_runner.suite
    tests = list(zip(suite._tests, suite.test_specs, strict=True))
    random.Random(seed).shuffle(tests)
    suite._tests, suite.test_specs = [test for test, _ in tests], tuple(spec for _, spec in tests)


def outcomes(grader: Grader, source: str) -> dict[str, str]:
    graded = grader.grade_submission(make_submission_from_source("one", source))
    return {result.spec.id: f"{result.outcome} {result.observed_behavior}" for result in graded.test_results}


@pytest.mark.thorough
@pytest.mark.parametrize("program", ["wheats/prev_set", "order-as-a-default-argument", "visited-on-the-class"])
def test_the_verdict_is_the_same_in_twenty_runs(shuffled: Grader, engine: Assignment, program: str) -> None:
    if program.startswith("wheats/"):
        source = (engine.solution_file.parent / f"{program}.py").read_text(encoding="utf-8")
    else:
        one = next(one for one in load_catalogue_once(engine).misconceptions if one.id == program)
        source = apply_misconceptions(engine.solution_file.read_text(encoding="utf-8"), one)
    first = outcomes(shuffled, source)
    for seed in range(RUNS):
        shuffle(shuffled, seed)
        assert outcomes(shuffled, source) == first
