"""Check everything that an assignment promises, in order; compare generated files, or write them anew."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.course import Assignment
from autograder.diagnosis.observations import observations_text, read_observations
from autograder.diagnosis.observations import path_of as observations_path
from autograder.diagnosis.subject import subject_of
from autograder.faults import CallerFault
from autograder.gate import card, marks
from autograder.gate.basics import check_basics
from autograder.gate.claims import claims
from autograder.gate.comparison import compare
from autograder.gate.finding import Finding
from autograder.gate.marks import mark_claim, try_typical
from autograder.gate.mutants import mutation_claims, try_mutants
from autograder.gate.population import Phase, Population, try_population
from autograder.gate.sample import WHOLE, Sample
from autograder.gate.vacuous import check_vacuous
from autograder.grading.suite import Suite
from autograder.reports.write import write_whole
from autograder.sandbox import Sandbox

UPDATE = "run `autograder check --update`, and look at what changes"


def check(
    assignment: Assignment,
    sandbox: Sandbox,
    phase: Phase,
    *,
    quick: bool = False,
    update: bool = False,
    sample: Sample = WHOLE,
) -> Iterator[Finding]:
    """Look at what an assignment promises, and say what was found as soon as it is known.

    Args:
        assignment: the assignment.
        sandbox: where code is run.
        phase: opens a progress bar for a stage of the work.
        quick: leave out the programs by the dozen, which take minutes.
        update: write the observations, the table of marks and the report card, instead of comparing them.
        sample: which of those programs to try; no report card is made unless all of them are tried.

    Raises:
        CourseFault: the suite, the solution or the misconceptions cannot be used at all.
        KitFault: no process can be started.
    """
    yield from check_basics(assignment, sandbox)
    yield from check_vacuous(assignment, sandbox)
    if quick:
        return
    seconds: dict[str, float] = {}
    with _timed(seconds, "typical submissions"), phase("grading typical submissions") as progress:
        typical = try_typical(assignment, sandbox, progress)
    if typical:
        yield mark_claim(typical)
        text, path = marks.section(assignment, typical), marks.path_of(assignment)
        yield _page("the table of marks is up to date", path, marks.HEAD, assignment, text, update=update)
    with _timed(seconds, "right and wrong programs, graded and diagnosed"):
        population = try_population(assignment, sandbox, phase, sample)
    with Suite(assignment) as suite:
        specs = suite.specs
    diagnosed = subject_of(assignment) is not None
    yield from claims(population, specs, whole=sample.whole, diagnosed=diagnosed)
    with _timed(seconds, "mutants"), phase("trying mutants") as progress:
        mutation = try_mutants(assignment, sandbox, progress, sample)
    yield from mutation_claims(mutation)
    if not sample.whole:
        yield _seen_again(assignment, population)
        return
    with _timed(seconds, "other suites"), phase("trying other suites") as progress:
        comparisons = compare(assignment, sandbox, progress)
    yield _observations(assignment, population, update=update)
    measured = card.Measured(assignment, specs, population, mutation, comparisons, seconds)
    text, path = card.section(measured), card.path_of(assignment)
    yield _page("the report card is up to date", path, card.HEAD, assignment, text, update=update)


def _seen_again(assignment: Assignment, population: Population) -> Finding:
    """Compare what a sample of misconceptions looks like with what was written down of them."""
    kept = read_observations(assignment)
    claim = f"{len(population.known)} misconceptions look as they did when it was written down"
    if kept is None:
        return Finding(claim, (f"{observations_path(assignment).name} is out of date: {UPDATE}",))
    return Finding(
        claim, tuple(f"{name} looks otherwise" for name, one in population.known.items() if kept.get(name) != one)
    )


def _observations(assignment: Assignment, population: Population, *, update: bool) -> Finding:
    claim = "what each misconception looks like is up to date"
    path, text = observations_path(assignment), observations_text(assignment, population.known)
    if not population.known:
        return Finding(claim, ())
    if update:
        write_whole(path, text)
    current = path.is_file() and path.read_bytes() == text
    return Finding(claim, () if current else (f"{path.name} is out of date: {UPDATE}",))


def _page(claim: str, path: Path, head: str, assignment: Assignment, text: str, *, update: bool) -> Finding:
    """Compare an assignment's part of a generated page; write it, if asked."""
    try:
        kept = card.sections_of(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        kept = {}
    except OSError as error:
        raise CallerFault(f"cannot be read: {error.strerror}", where=str(path)) from error
    if update:
        kept[assignment.name] = text
        write_whole(path, card.page_of(kept, head).encode())
    current = card.without_times(kept.get(assignment.name, "")) == card.without_times(text)
    return Finding(claim, () if current else (f"docs/{path.name} is out of date: {UPDATE}",))


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - started
