"""``autograder init``: make a course."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.cli.terminal import print_line
from autograder.starter import MINIMAL_ASSIGNMENT, write_and_load_starter_course
from autograder.text import join_with_and


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--minimal", is_flag=True, help=f"Only one small assignment, {MINIMAL_ASSIGNMENT}.")
def command(folder: Path, minimal: bool) -> None:
    """Make a course in DIR, ready to grade with and to change.

    DIR must be empty, or not exist. It gets hidden tests and solutions: it is for the staff alone.
    """
    course = write_and_load_starter_course(folder, minimal=minimal)
    print_line(f"{folder}: a course with {join_with_and([assignment.name for assignment in course.assignments])}")
    print_line("  it holds hidden tests and solutions, so it is for the staff alone; README.md says how to go on")
