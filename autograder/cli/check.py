"""``autograder check``: check assignments for their author."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from autograder.cli.common import (
    EXIT_FAILED,
    TierWish,
    console,
    course_option,
    find_assignment,
    open_course,
    open_sandbox,
    tier_options,
    told,
)
from autograder.cli.progress import bar
from autograder.faults import CallerFault
from autograder.gate import Finding, Sample, check
from autograder.staff_files import let_read

MOST_PROBLEMS = 10


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
@tier_options
@told
def command(
    assignment: str | None,
    quick: bool,
    update: bool,
    sample: int,
    seed: int,
    course: Path | None,
    wish: TierWish,
) -> None:
    """Prove that ASSIGNMENT, or every one of the course, holds together.

    The solution gets full marks, and so does every right alternative beside it; the stub gets none; every
    misconception and every mutant loses marks, and is called by its name. Exit code 1 when something does not hold.
    """
    if quick and update:
        raise CallerFault("--quick and --update do not go together", advice="what is generated takes the whole run")
    drawn = Sample(sample, seed)
    if update and not drawn.whole:
        raise CallerFault("--sample and --update do not go together", advice="what is generated takes the whole run")
    opened = open_course(course)
    let_read("everybody")  # what is generated belongs to the course, as its tests do
    chosen = [find_assignment(opened, assignment)] if assignment else list(opened.assignments)
    failed = 0
    for one in chosen:
        console().print(one.name, style="bold")
        sandbox = open_sandbox(one, wish)
        for finding in check(one, sandbox, bar, quick=quick, update=update, sample=drawn):
            failed += not finding.holds
            _tell(finding)
    if failed:
        sys.exit(EXIT_FAILED)


def _tell(finding: Finding) -> None:
    show = console().print
    show(f"  {'✓' if finding.holds else '✗'} {finding.claim}", style="green" if finding.holds else "red")
    for problem in finding.problems[:MOST_PROBLEMS]:
        show(f"      {problem}")
    if len(finding.problems) > MOST_PROBLEMS:
        show(f"      and {len(finding.problems) - MOST_PROBLEMS} more")
