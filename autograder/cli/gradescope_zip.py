"""``autograder gradescope-zip``: pack an assignment as an autograder for Gradescope."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.cli.options import CourseOption, course_option
from autograder.cli.terminal import print_line
from autograder.course import Assignment
from autograder.course.misconceptions import load_misconception_catalogue
from autograder.diagnosis.naming import get_usable_observations_hash
from autograder.faults import CallerFault, CourseFault
from autograder.files import is_standard_output, write_file_atomically
from autograder.grading import Grader
from autograder.grading.hidden_suite import HiddenSuiteSession
from autograder.platforms.common.export_points import BONUS_RULES
from autograder.platforms.gradescope.autograder_zip import list_course_requirements, make_autograder_zip
from autograder.reports.wording import format_points
from autograder.sandbox import choose_strongest_sandbox
from autograder.text import format_count

MOST_MB, MOST_SECONDS = 600, 480
"""Memory and time that Gradescope's smallest container leaves for a submission."""


@click.command("gradescope-zip")
@click.argument("assignment")
@click.option("--out", type=click.Path(path_type=Path), help="The zip; ASSIGNMENT-gradescope.zip when left out.")
@click.option(
    "--bonus", default="capped", type=click.Choice(tuple(BONUS_RULES)), help="What the bonus adds to the score."
)
@course_option
def command(assignment: str, out: Path | None, bonus: str, course: CourseOption) -> None:
    """Pack ASSIGNMENT as a zip for "Configure Autograder" on Gradescope.

    The zip holds the hidden tests and the reference solution: it is for the staff alone.
    """
    chosen_assignment = course.load_assignment(assignment)
    _require_suite_that_works(chosen_assignment)
    path = out or Path(f"{chosen_assignment.name}-gradescope.zip")
    zip_content = make_autograder_zip(chosen_assignment, bonus_rule=bonus)
    write_file_atomically(path, zip_content)
    size, to_stderr = f"{len(zip_content) / 2**20:.1f} MB", is_standard_output(path)
    print_line(f"{path}: {size}; it holds the hidden tests, so it is for the staff alone", to_stderr=to_stderr)
    points = format_points(chosen_assignment.max_score)
    print_line(f"  autograder points on Gradescope: {points}", to_stderr=to_stderr)
    for line in _list_notes(chosen_assignment):
        print_line(line, style="yellow", to_stderr=True)


def _require_suite_that_works(assignment: Assignment) -> None:
    """Collect the hidden suite and try it on the reference solution, as the platform will.

    The solution may run in any sandbox, because its author is trusted. Without the packages that it may import, it is
    not tried: they need not be installed where the zip is made.

    Raises:
        CourseFault: the suite cannot be collected, or the solution does not pass it.
    """
    HiddenSuiteSession(assignment).close()
    try:
        sandbox = choose_strongest_sandbox("process", package_names=assignment.packages)
    except CallerFault:
        return
    with Grader(assignment, sandbox) as grader:
        faulty, total = sorted(grader.faulty_test_ids), len(grader.test_specs)
    if faulty:
        raise CourseFault(
            f"the solution fails {len(faulty)} of {format_count(total, 'hidden test')}, such as {faulty[0]}",
            where=str(assignment.solution_file),
            advice="run `autograder check`, which says what is wrong",
        )


def _list_notes(assignment: Assignment) -> list[str]:
    notes = [
        f"{package}: the tests or the diagnosis import it, so it is installed there; students' code cannot import it"
        for package in list_course_requirements(assignment)
    ]
    if assignment.feedback.hidden_tests in ("after_due_date", "after_published"):
        notes.append(
            f"hidden_tests: {assignment.feedback.hidden_tests}: until then Gradescope shows no total of its own; "
            "the text above the tests says the points at once"
        )
    if assignment.feedback.results != "visible":
        notes.append(
            f"results: {assignment.feedback.results}: that is for the web alone; hide grades in Gradescope's settings"
        )
    limits = assignment.limits
    if limits.memory_mb > MOST_MB:
        notes.append(
            f"memory_mb: {limits.memory_mb}: Gradescope's default is 768 MB for all; ask for more memory there"
        )
    if limits.submission_seconds > MOST_SECONDS:
        notes.append(
            f"submission_seconds: {limits.submission_seconds:g}: Gradescope ends a run after 10 minutes, unless the "
            "assignment's settings say longer"
        )
    if load_misconception_catalogue(assignment).misconceptions and not get_usable_observations_hash(assignment):
        notes.append("mistakes will have no names: observations.json is out of date; `autograder check --update`")
    return notes
