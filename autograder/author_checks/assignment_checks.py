"""Run all checks of an assignment in order, and compare its generated files with the results."""

from __future__ import annotations

import time
from collections.abc import Iterator

from autograder.author_checks import report_card, typical
from autograder.author_checks.catalogue import OpenProgressBar, check_graded_catalogue, grade_catalogue
from autograder.author_checks.comparison import run_comparison_suites_on_misconceptions
from autograder.author_checks.contradictions import check_names_against_repairs
from autograder.author_checks.file_checks import check_assignment_files
from autograder.author_checks.mutation import check_mutation_results, run_suite_on_mutants
from autograder.author_checks.report_card import (
    check_generated_page_section,
    check_observations_are_current,
    check_observations_file,
    check_sampled_observations,
)
from autograder.author_checks.results import WHOLE, CheckResult, ProgramSampler
from autograder.author_checks.solution_checks import check_solution_gets_full_marks, run_basic_checks
from autograder.author_checks.typical import (
    GradedTypicalSubmission,
    check_typical_marks_in_range,
    grade_typical_submissions,
)
from autograder.author_checks.vacuous_passes import check_do_nothing_programs_fail
from autograder.course import Assignment
from autograder.diagnosis.definition import list_diagnosis_module_files, load_diagnosis_or_none
from autograder.grading.hidden_suite import HiddenSuiteSession
from autograder.sandbox import SandboxConfig


def run_checks(
    assignment: Assignment,
    sandbox: SandboxConfig,
    open_progress_bar: OpenProgressBar,
    *,
    quick_checks_only: bool = False,
    update_generated_files: bool = False,
    program_sample: ProgramSampler = WHOLE,
) -> Iterator[CheckResult]:
    """Run the checks of an assignment, and yield each result as soon as it is known.

    Args:
        assignment: the assignment.
        sandbox: where code is run.
        open_progress_bar: opens a progress bar for a stage of the work.
        quick_checks_only: whether to leave out the checks that grade many programs, which take minutes.
        update_generated_files: whether to write the observations, the table of marks and the report card before
            comparing them.
        program_sample: which right and wrong programs and mutants to try; the observations and the report card are
            made only if all of them are tried.

    Raises:
        CourseFault: the suite, the solution or the misconceptions cannot be used at all.
        KitFault: no process can be started.
    """
    files_result = check_assignment_files(assignment)
    yield files_result
    if not files_result.claim_holds:
        return
    solution_result = check_solution_gets_full_marks(assignment, sandbox)
    yield solution_result
    if not solution_result.claim_holds:
        return
    yield from run_basic_checks(assignment, sandbox)
    yield from check_do_nothing_programs_fail(assignment, sandbox)
    if quick_checks_only:
        if list_diagnosis_module_files(assignment):
            yield check_observations_are_current(assignment)
        return
    started = time.perf_counter()
    with open_progress_bar("grading typical submissions") as progress:
        typical_submissions = grade_typical_submissions(assignment, sandbox, progress)
    if typical_submissions:
        yield check_typical_marks_in_range(typical_submissions)
        yield _check_marks_page(assignment, typical_submissions, update=update_generated_files)
    population = grade_catalogue(assignment, sandbox, open_progress_bar, program_sample)
    with HiddenSuiteSession(assignment) as suite:
        specs = suite.test_specs
    has_diagnosis = load_diagnosis_or_none(assignment) is not None
    yield from check_graded_catalogue(
        population, specs, is_whole_catalogue=program_sample.includes_everything, was_diagnosed=has_diagnosis
    )
    if has_diagnosis:
        yield check_names_against_repairs(assignment, sandbox, population, open_progress_bar)
    with open_progress_bar("trying mutants") as progress:
        mutation_results = run_suite_on_mutants(assignment, sandbox, progress, program_sample)
    yield from check_mutation_results(mutation_results)
    if not program_sample.includes_everything:
        yield check_sampled_observations(assignment, population)
        return
    with open_progress_bar("trying other suites") as progress:
        comparisons = run_comparison_suites_on_misconceptions(assignment, sandbox, progress)
    yield check_observations_file(assignment, population, update=update_generated_files)
    measurements = report_card.AssignmentMeasurements(
        assignment, specs, population, mutation_results, comparisons, time.perf_counter() - started
    )
    yield _check_report_card(measurements, update=update_generated_files)


def _check_marks_page(
    assignment: Assignment, typical_submissions: tuple[GradedTypicalSubmission, ...], *, update: bool
) -> CheckResult:
    text = typical.format_marks_page_section(assignment, typical_submissions)
    path = typical.get_marks_page_path(assignment)
    head = typical.HEAD
    return check_generated_page_section("the table of marks", path, head, assignment, text, update=update)


def _check_report_card(measurements: report_card.AssignmentMeasurements, *, update: bool) -> CheckResult:
    assignment = measurements.assignment
    text = report_card.format_report_card_section(measurements)
    path = report_card.get_report_card_path(assignment)
    return check_generated_page_section("the report card", path, report_card.HEAD, assignment, text, update=update)
