"""``autograder check``: check assignments for their author."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import click

from autograder.author_checks import CheckResult, ProgramSampling, check_assignment
from autograder.cli.progress import show_progress_bar
from autograder.cli.shared_options import (
    EXIT_FAILED,
    TierOptions,
    add_tier_options,
    choose_and_announce_sandbox,
    course_option,
    exit_on_fault,
    get_assignment,
    make_console,
    open_course,
)
from autograder.faults import CallerFault, CourseFault, list_course_faults
from autograder.staff_files import set_staff_file_readers

MOST_PROBLEMS = 40


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
@click.option("--seed", type=int, default=0, help="Says which programs are in the sample; 0 by default.")
@course_option
@add_tier_options
@exit_on_fault
def command(
    assignment: str | None,
    quick: bool,
    update: bool,
    sample: int,
    seed: int,
    course: Path | None,
    tiers: TierOptions,
) -> None:
    """Prove that ASSIGNMENT, or every one of the course, holds together.

    The solution gets full marks, and so does every right alternative beside it; the stub gets none; every
    misconception and every mutant loses marks, and is called by its name. Exit code 1 when something does not hold.
    """
    if quick and update:
        raise CallerFault("--quick and --update do not go together", advice="what is generated takes the whole run")
    drawn = ProgramSampling(sample, seed)
    if update and not drawn.includes_everything:
        raise CallerFault("--sample and --update do not go together", advice="what is generated takes the whole run")
    opened = open_course(course)
    set_staff_file_readers("everybody")  # what is generated belongs to the course, as its tests do
    chosen = [get_assignment(opened, assignment)] if assignment else list(opened.assignments)
    failed = 0
    for one in chosen:
        make_console().print(one.name, style="bold")
        sandbox = choose_and_announce_sandbox(one, tiers)
        try:
            findings = check_assignment(
                one,
                sandbox,
                show_progress_bar,
                quick_checks_only=quick,
                update_generated_files=update,
                program_sample=drawn,
            )
            for finding in findings:
                failed += not finding.claim_holds
                _print_check_result(finding)
        except CourseFault as fault:
            failed += 1
            _print_check_result(CheckResult("all of it can be checked", tuple(map(str, list_course_faults(fault)))))
    if failed:
        sys.exit(EXIT_FAILED)


def _print_check_result(finding: CheckResult) -> None:
    show = make_console().print
    show(f"  {'✓' if finding.claim_holds else '✗'} {finding.claim}", style="green" if finding.claim_holds else "red")
    for problem in finding.problems[:MOST_PROBLEMS]:
        show(textwrap.indent(problem, "      "))
    if len(finding.problems) > MOST_PROBLEMS:
        show(f"      and {len(finding.problems) - MOST_PROBLEMS} more")
    if finding.to_paste:
        show(finding.to_paste, soft_wrap=True)
