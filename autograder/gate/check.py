"""Everything that an assignment promises, looked at in order; what is generated is compared, or written anew."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from autograder.course import Assignment
from autograder.diagnosis.observations import observations_text
from autograder.diagnosis.observations import path_of as observations_path
from autograder.faults import CallerFault
from autograder.gate import card
from autograder.gate.basics import check_basics
from autograder.gate.claims import claims
from autograder.gate.comparison import compare
from autograder.gate.finding import Finding
from autograder.gate.mutants import mutation_claims, try_mutants
from autograder.gate.population import Phase, Population, try_population
from autograder.grading.suite import Suite
from autograder.reports.write import write_whole
from autograder.sandbox import Sandbox

UPDATE = "run `autograder check --update`, and look at what changes"


def check(
    assignment: Assignment, sandbox: Sandbox, phase: Phase, *, quick: bool = False, update: bool = False
) -> Iterator[Finding]:
    """Look at what an assignment promises, and say what was found as soon as it is known.

    Args:
        assignment: which.
        sandbox: where code is run.
        phase: opens a progress bar for a stage of the work.
        quick: leave out the programs by the dozen, which take minutes.
        update: write the observations and the report card, instead of comparing them.

    Raises:
        CourseFault: the suite, the solution or the misconceptions cannot be used at all.
        KitFault: no process can be started.
    """
    yield from check_basics(assignment, sandbox)
    if quick:
        return
    seconds: dict[str, float] = {}
    with _timed(seconds, "right and wrong programs, graded and diagnosed"):
        population = try_population(assignment, sandbox, phase)
    with Suite(assignment) as suite:
        specs = suite.specs
    yield from claims(population, specs)
    with _timed(seconds, "mutants"), phase("trying mutants") as progress:
        mutation = try_mutants(assignment, sandbox, progress)
    yield from mutation_claims(mutation)
    with _timed(seconds, "other suites"), phase("trying other suites") as progress:
        comparisons = compare(assignment, sandbox, progress)
    yield _observations(assignment, population, update=update)
    measured = card.Measured(assignment, specs, population, mutation, comparisons, seconds)
    yield _card(assignment, card.section(measured), update=update)


def _observations(assignment: Assignment, population: Population, *, update: bool) -> Finding:
    claim = "what each misconception looks like is up to date"
    path, text = observations_path(assignment), observations_text(assignment, population.known)
    if not population.known:
        return Finding(claim, ())
    if update:
        write_whole(path, text)
    current = path.is_file() and path.read_bytes() == text
    return Finding(claim, () if current else (f"{path.name} is out of date: {UPDATE}",))


def _card(assignment: Assignment, text: str, *, update: bool) -> Finding:
    claim = "the report card is up to date"
    path = card.path_of(assignment)
    try:
        kept = card.sections_of(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        kept = {}
    except OSError as error:
        raise CallerFault(f"cannot be read: {error.strerror}", where=str(path)) from error
    if update:
        kept[assignment.name] = text
        write_whole(path, card.page_of(kept).encode())
    current = card.without_times(kept.get(assignment.name, "")) == card.without_times(text)
    return Finding(claim, () if current else (f"docs/{path.name} is out of date: {UPDATE}",))


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - started
