"""``autograder check``: check assignments for their author."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator

import click

from autograder.author_checks import CheckResult, ProgramSampler, run_checks
from autograder.author_checks.report_card import (
    PassedAssignmentCheck,
    cache_passed_check,
    find_passed_check,
    try_compute_check_cache_key,
)
from autograder.cli.options import CourseOption, IsolationTierOptions, add_isolation_tier_options, course_option
from autograder.cli.progress import show_progress_bar
from autograder.cli.terminal import EXIT_FAILED, print_line
from autograder.course import Assignment
from autograder.course.deadline_rules import format_time_for_people
from autograder.faults import CallerFault, CourseFault, list_course_faults
from autograder.files import set_readers_of_new_output_files
from autograder.sandbox import SandboxConfig

MOST_PROBLEMS = 40
"""How many problems of a claim are printed, and how many lines to paste, without ``--all``."""


@click.command()
@click.argument("assignment", required=False)
@click.option("--quick", is_flag=True, help="Leave out the programs by the dozen, which take minutes.")
@click.option("--update", is_flag=True, help="Write what is generated (observations, report card) anew.")
@click.option(
    "--sample",
    type=click.IntRange(1, 100),
    default=100,
    metavar="PERCENT",
    help="Try this share of those programs, as on another Python than the one that everything is tried on.",
)
@click.option("--no-cache", is_flag=True, help="Prove also what was proven before and has not changed since.")
@click.option(
    "--all", "print_all", is_flag=True, help=f"Print every problem, beyond the first {MOST_PROBLEMS} of a claim."
)
@click.option("--seed", type=int, default=0, help="Says which programs are in the sample; 0 by default.")
@course_option
@add_isolation_tier_options
def command(  # noqa: PLR0913 - a parameter for each option
    assignment: str | None,
    quick: bool,
    update: bool,
    sample: int,
    no_cache: bool,
    print_all: bool,
    seed: int,
    course: CourseOption,
    tiers: IsolationTierOptions,
) -> None:
    """Prove that ASSIGNMENT, or every one of the course, holds together.

    The solution gets full marks, and so does every right alternative beside it; the stub gets none; every
    misconception and every mutant loses marks, and is called by its name. Exit code 1 when something does not hold.
    """
    if quick and update:
        raise CallerFault(
            "--quick and --update cannot be combined", advice="leave out --quick: only a whole run generates files"
        )
    sampler = ProgramSampler(sample, seed)
    if update and not sampler.includes_everything:
        raise CallerFault(
            "--sample and --update cannot be combined", advice="leave out --sample: only a whole run generates files"
        )
    assignments = course.load_assignments(assignment)
    set_readers_of_new_output_files("everybody")  # generated files belong to the course, like its tests
    extent = "quick" if quick else "whole" if sampler.includes_everything else f"sample {sample} {seed}"
    failure_count = 0
    for checked_assignment in assignments:
        print_line(checked_assignment.name, style="bold")
        sandbox = tiers.choose_sandbox(checked_assignment)
        key = try_compute_check_cache_key(checked_assignment, sandbox, extent)
        passed_check = None if key is None or no_cache or update else find_passed_check(key)
        if passed_check is not None:
            _print_check_result(CheckResult(_describe_passed_check(passed_check), ()))
            continue
        results = []
        for result in _iterate_check_results(
            checked_assignment, sandbox, quick=quick, update=update, sampler=sampler
        ):
            results.append(result)
            _print_check_result(result, None if print_all else MOST_PROBLEMS)
        failure_count += sum(not result.claim_holds for result in results)
        is_proven = all(result.claim_holds for result in results)
        if is_proven and key is not None and try_compute_check_cache_key(checked_assignment, sandbox, extent) == key:
            cache_passed_check(key, len(results))
    if failure_count:
        sys.exit(EXIT_FAILED)


def _iterate_check_results(
    assignment: Assignment, sandbox: SandboxConfig, *, quick: bool, update: bool, sampler: ProgramSampler
) -> Iterator[CheckResult]:
    """Yield each check's result as soon as it is known; a check that cannot run counts as failed."""
    try:
        yield from run_checks(
            assignment,
            sandbox,
            show_progress_bar,
            quick_checks_only=quick,
            update_generated_files=update,
            program_sample=sampler,
        )
    except CourseFault as fault:
        yield CheckResult("all of it can be checked", tuple(map(str, list_course_faults(fault))))


def _describe_passed_check(passed_check: PassedAssignmentCheck) -> str:
    time = format_time_for_people(passed_check.proven_at)
    return (
        f"nothing has changed since all of it was proven, {time} ({passed_check.claim_count} claims; see --no-cache)"
    )


def _print_check_result(check_result: CheckResult, limit: int | None = MOST_PROBLEMS) -> None:
    print_line(
        f"  {'✓' if check_result.claim_holds else '✗'} {check_result.claim}",
        style="green" if check_result.claim_holds else "red",
    )
    for problem in check_result.problems[:limit]:
        print_line(textwrap.indent(problem, "      "))
    if limit is not None and len(check_result.problems) > limit:
        print_line(f"      and {len(check_result.problems) - limit} more (--all prints them)")
    lines = check_result.to_paste.splitlines()
    for line in lines[:limit]:
        print_line(line, soft_wrap=True)
    if limit is not None and len(lines) > limit:
        print_line(f"# and {len(lines) - limit} more lines (--all prints them)")
