"""``autograder template``: write the folders that students get."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.cli.fault_handling import exit_on_fault
from autograder.cli.options.shared_options import (
    course_option,
    get_assignment,
    load_course_and_set_output_permissions,
)
from autograder.cli.output.console import print_line
from autograder.course import Assignment
from autograder.template import synchronize_template_folder, write_otter_master_files


@click.command()
@click.argument("assignment", required=False)
@click.option(
    "--otter",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write a master notebook for `otter assign` to DIR/ASSIGNMENT instead; it holds the solution.",
)
@course_option
@exit_on_fault
def command(assignment: str | None, otter: Path | None, course: Path | None) -> None:
    """Write student_template/ for ASSIGNMENT, or for every one of the course."""
    opened = load_course_and_set_output_permissions(course)
    chosen = [get_assignment(opened, assignment)] if assignment else list(opened.assignments)
    for one in chosen:
        if otter is None:
            touched = synchronize_template_folder(one)
            print_line(f"{one.template_folder}: {_describe_changes(one, touched)}")
        elif not assignment and not one.notebook_script_path.exists():
            print_line(f"{one.name}: left out, since it has no {one.notebook_script_path.name}")
        else:
            write_otter_master_files(one, otter / one.name)
            print_line(f"{otter / one.name}: now run `otter assign value.ipynb dist` there")


def _describe_changes(assignment: Assignment, touched_names: list[str]) -> str:
    """Say which files were written and which removed: ``wrote value.py; removed old.py``."""
    written = [name for name in touched_names if (assignment.template_folder / name).exists()]
    removed = [name for name in touched_names if name not in written]
    parts = [f"{verb} {', '.join(names)}" for verb, names in (("wrote", written), ("removed", removed)) if names]
    return "; ".join(parts) or "up to date"
