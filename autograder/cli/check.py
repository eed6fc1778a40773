"""``autograder check``: the author's gate."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

import click

from autograder.cli.common import (
    EXIT_FAILED,
    console,
    course_option,
    find_assignment,
    open_course,
    open_sandbox,
    tier_options,
    told,
)
from autograder.cli.progress import bar
from autograder.gate import check

MOST_PROBLEMS = 10


@click.command()
@click.argument("assignment", required=False)
@click.option("--population", is_flag=True, help="Grade every wheat and misconception too; takes minutes.")
@course_option
@tier_options
@told
def command(
    assignment: str | None, population: bool, course: Path | None, tier: str | None, accept_tier: str | None
) -> None:
    """Prove that ASSIGNMENT, or every one of the course, holds together.

    Exit code 1 when something does not.
    """
    opened = open_course(course)
    chosen = [find_assignment(opened, assignment)] if assignment else list(opened.assignments)
    show = console().print
    failed = 0
    for one in chosen:
        show(one.name, style="bold")
        sandbox = open_sandbox(one.weakest_tier, tier, accept_tier)
        with bar(f"grading {one.name}") if population else nullcontext() as progress:
            findings = check(one, sandbox, progress)
        for finding in findings:
            show(
                f"  {'✓' if finding.holds else '✗'} {finding.claim}",
                style="green" if finding.holds else "red",
            )
            failed += not finding.holds
            for problem in finding.problems[:MOST_PROBLEMS]:
                show(f"      {problem}")
            if len(finding.problems) > MOST_PROBLEMS:
                show(f"      and {len(finding.problems) - MOST_PROBLEMS} more")
    if failed:
        sys.exit(EXIT_FAILED)
