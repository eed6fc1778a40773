"""``autograder template``: write the folders that students get."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from autograder.cli.options import CourseOption, course_option
from autograder.cli.terminal import print_line
from autograder.course import Assignment
from autograder.faults import CallerFault
from autograder.template import synchronize_template_folder, write_browser_site, write_otter_master_files


@click.command()
@click.argument("assignment", required=False)
@click.option("--assignment", "named", metavar="NAME", help="ASSIGNMENT, named by an option as in other commands.")
@click.option(
    "--otter",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write a master notebook for `otter assign` to DIR/ASSIGNMENT instead; it holds the solution.",
)
@click.option(
    "--browser",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write a static site to OUT instead, where students work in their browser with nothing to install.",
)
@click.option(
    "--jobs",
    is_flag=True,
    help="Add jobs for GitHub and GitLab that hand in at each push; a course with `server:` in grading.yml has them.",
)
@course_option
def command(
    assignment: str | None,
    named: str | None,
    otter: Path | None,
    browser: Path | None,
    jobs: bool,
    course: CourseOption,
) -> None:
    """Write student_template/ for ASSIGNMENT, or for every one of the course."""
    assignment = assignment or named
    if browser is not None:
        _write_browser_site(course.load_assignments(assignment), browser)
        return
    for chosen_assignment in course.load_assignments(assignment):
        if otter is None:
            changed_names = synchronize_template_folder(chosen_assignment, with_jobs=jobs)
            print_line(f"{chosen_assignment.template_folder}: {_describe_changes(chosen_assignment, changed_names)}")
        elif not assignment and not chosen_assignment.notebook_script_path.exists():
            print_line(
                f"{chosen_assignment.name}: left out, since it has no {chosen_assignment.notebook_script_path.name}"
            )
        else:
            write_otter_master_files(chosen_assignment, otter / chosen_assignment.name)
            print_line(f"{otter / chosen_assignment.name}: now run `otter assign value.ipynb dist` there")


def _write_browser_site(assignments: Sequence[Assignment], output_folder: Path) -> None:
    with_notebook = [one for one in assignments if one.notebook_script_path.exists()]
    if not with_notebook:
        where = str(assignments[0].notebook_script_path)
        raise CallerFault("students work in a notebook there, and there is none", where, "write it")
    for name in (one.name for one in assignments if one not in with_notebook):
        print_line(f"{name}: left out, since it has no notebook.py")
    write_browser_site(with_notebook, output_folder)
    print_line(f"{output_folder}: put it on any web server, or `autograder serve --browser {output_folder}`")


def _describe_changes(assignment: Assignment, touched_names: list[str]) -> str:
    """Say which files were written and which removed: ``wrote value.py; removed old.py``."""
    written_names = [name for name in touched_names if (assignment.template_folder / name).exists()]
    removed_names = [name for name in touched_names if name not in written_names]
    parts = [
        f"{verb} {', '.join(names)}"
        for verb, names in (("wrote", written_names), ("removed", removed_names))
        if names
    ]
    return "; ".join(parts) or "up to date"
