"""Check everything that an assignment promises, in order; compare generated files, or write them anew."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.author_checks import report_card, typical_marks
from autograder.author_checks.basic_checks import check_basics, check_solution
from autograder.author_checks.check_result import CheckResult
from autograder.author_checks.file_checks import check_files
from autograder.author_checks.lookalikes import describe_lookalikes, find_lookalikes
from autograder.author_checks.mutant_checks import check_mutation_results, run_mutants
from autograder.author_checks.population_checks import check_population
from autograder.author_checks.program_population import Phase, ProgramPopulation, grade_population
from autograder.author_checks.program_sample import WHOLE, ProgramSample
from autograder.author_checks.suite_comparison import compare_suites
from autograder.author_checks.typical_marks import check_typical_marks, grade_typical_submissions
from autograder.author_checks.vacuous_passes import check_vacuous_passes
from autograder.course import Assignment
from autograder.diagnosis.load_diagnosis import load_diagnosis
from autograder.diagnosis.observations import observations_path as observations_path
from autograder.diagnosis.observations import read_observations, serialize_observations
from autograder.faults import CourseWarning, make_file_fault
from autograder.grading.hidden_suite import HiddenSuite
from autograder.reports.report_files import write_file_atomically
from autograder.sandbox import Sandbox

UPDATE = "run `autograder check --update`, and look at what changes"


def check_assignment(
    assignment: Assignment,
    sandbox: Sandbox,
    phase: Phase,
    *,
    quick: bool = False,
    update: bool = False,
    sample: ProgramSample = WHOLE,
) -> Iterator[CheckResult]:
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
    files = check_files(assignment)
    yield files
    if not files.holds:
        return
    solution = check_solution(assignment, sandbox)
    yield solution
    if not solution.holds:
        return
    yield from check_basics(assignment, sandbox)
    yield from check_vacuous_passes(assignment, sandbox)
    if quick:
        return
    seconds: dict[str, float] = {}
    with _timed(seconds, "typical submissions"), phase("grading typical submissions") as progress:
        typical = grade_typical_submissions(assignment, sandbox, progress)
    if typical:
        yield check_typical_marks(typical)
        text, path = (
            typical_marks.format_marks_section(assignment, typical),
            typical_marks.marks_table_path(assignment),
        )
        yield _page("the table of marks is up to date", path, typical_marks.HEAD, assignment, text, update=update)
    with _timed(seconds, "right and wrong programs, graded and diagnosed"):
        population = grade_population(assignment, sandbox, phase, sample)
    with HiddenSuite(assignment) as suite:
        specs = suite.specs
    diagnosed = load_diagnosis(assignment) is not None
    if diagnosed and sample.includes_everything:
        _warn_of_lookalikes(assignment, population)
    yield from check_population(population, specs, whole=sample.includes_everything, diagnosed=diagnosed)
    with _timed(seconds, "mutants"), phase("trying mutants") as progress:
        mutation = run_mutants(assignment, sandbox, progress, sample)
    yield from check_mutation_results(mutation)
    if not sample.includes_everything:
        yield _seen_again(assignment, population)
        return
    with _timed(seconds, "other suites"), phase("trying other suites") as progress:
        comparisons = compare_suites(assignment, sandbox, progress)
    yield _observations(assignment, population, update=update)
    measured = report_card.AssignmentMeasurements(assignment, specs, population, mutation, comparisons, seconds)
    text, path = report_card.format_card_section(measured), report_card.report_card_path(assignment)
    yield _page("the report card is up to date", path, report_card.HEAD, assignment, text, update=update)


def _warn_of_lookalikes(assignment: Assignment, population: ProgramPopulation) -> None:
    """Warn of names that are lost where what is seen has a name; without one, a claim does not hold."""
    for group in find_lookalikes(population):
        if all(population.diagnosed[name].diagnosis.verdict == "named" for name in group):
            warnings.warn(f"{assignment.name}: {describe_lookalikes(group)}.", CourseWarning, stacklevel=3)


def _seen_again(assignment: Assignment, population: ProgramPopulation) -> CheckResult:
    """Compare what a sample of misconceptions looks like with what was written down of them."""
    kept = read_observations(assignment)
    claim = f"{len(population.known)} misconceptions look as they did when it was written down"
    if kept is None:
        return CheckResult(claim, (f"{observations_path(assignment).name} is out of date: {UPDATE}",))
    return CheckResult(
        claim, tuple(f"{name} looks otherwise" for name, one in population.known.items() if kept.get(name) != one)
    )


def _observations(assignment: Assignment, population: ProgramPopulation, *, update: bool) -> CheckResult:
    claim = "what each misconception looks like is up to date"
    path, text = observations_path(assignment), serialize_observations(assignment, population.known)
    if not population.known:
        return CheckResult(claim, ())
    if update:
        write_file_atomically(path, text)
    current = path.is_file() and path.read_bytes() == text
    return CheckResult(claim, () if current else (f"{path.name} is out of date: {UPDATE}",))


def _page(claim: str, path: Path, head: str, assignment: Assignment, text: str, *, update: bool) -> CheckResult:
    """Compare an assignment's part of a generated page; write it, if asked."""
    try:
        kept = report_card.split_card_sections(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        kept = {}
    except OSError as error:
        raise make_file_fault(error, path) from error
    if update:
        kept[assignment.name] = text
        write_file_atomically(path, report_card.format_card_page(kept, head).encode())
    current = report_card.remove_timings(kept.get(assignment.name, "")) == report_card.remove_timings(text)
    return CheckResult(claim, () if current else (f"docs/{path.name} is out of date: {UPDATE}",))


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - started
