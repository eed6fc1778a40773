"""Run the autograder once on Gradescope: ``python -m autograder.cli.gradescope_run``.

A score is written only if the submission was graded. Otherwise Gradescope says that the autograder failed, and no
student loses a mark.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

import click

from autograder.cli.grade import grade_and_report
from autograder.cli.shared_options import handle_errors, make_console, open_course
from autograder.course import Assignment
from autograder.faults import CallerFault, Fault, KitFault
from autograder.grading import Grader
from autograder.lateness import with_lateness
from autograder.platforms.common.points import BONUS
from autograder.platforms.gradescope.results_json import format_results_json
from autograder.platforms.gradescope.submission_metadata import (
    SubmissionMetadata,
    compute_submission_lateness,
    read_metadata,
)
from autograder.reports import ScoreReport, terminal
from autograder.reports.report_files import write_file_atomically
from autograder.safe_text import clean_text
from autograder.sandbox import Sandbox, choose_sandbox
from autograder.staff_files import readers_set_to

HOME = Path("/autograder")
FILE = click.Path(path_type=Path)


@click.command("gradescope-run")
@click.option("--course", type=FILE, default=HOME / "source" / "course", help="The course in the autograder zip.")
@click.option("--submission", type=FILE, default=HOME / "submission", help="What the student handed in.")
@click.option(
    "--metadata", type=FILE, default=HOME / "submission_metadata.json", help="What the platform says of it."
)
@click.option("--out", type=FILE, default=HOME / "results" / "results.json", help="Where the platform reads results.")
@click.option("--bonus", type=click.Choice(tuple(BONUS)), default="capped", help="What the bonus adds to the score.")
@click.option("--trial", is_flag=True, help="Try the suite on the model solution, and write nothing.")
@handle_errors
def main(course: Path, submission: Path, metadata: Path, out: Path, bonus: str, trial: bool) -> None:
    """Grade one submission where Gradescope put it, and write results.json."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if not trial:
        out.unlink(missing_ok=True)
    try:
        assignment = _only_one(course)
        if trial:
            _try(assignment)
            return
        report = _graded(assignment, submission, read_metadata(metadata))
        with readers_set_to("everybody"):  # the platform may read it as another user
            write_file_atomically(out, format_results_json(report, bonus))
        terminal.print_report(report, make_console())
    except Fault:
        raise
    except Exception as error:
        traceback.print_exc()
        raise KitFault(
            f"failed unexpectedly: {type(error).__name__}: {clean_text(str(error), 200)}",
            advice='no score was written; "Rerun Autograder" when this is mended',
        ) from error


def _only_one(course: Path) -> Assignment:
    assignments = open_course(course).assignments
    if len(assignments) != 1:
        raise CallerFault(
            "has more than one assignment", where=str(course), advice="make the zip with gradescope-zip"
        )
    return assignments[0]


def _sandbox(assignment: Assignment) -> Sandbox:
    return choose_sandbox(assignment.weakest_tier, packages=assignment.packages)


def _try(assignment: Assignment) -> None:
    """Grade the model solution.

    Raises:
        Fault: this machine cannot grade; the message says why.
    """
    with Grader(assignment, _sandbox(assignment)) as grader:
        total = len(grader.specs)
        if grader.faulty:
            raise KitFault(
                f"the model solution fails {len(grader.faulty)} of {total} tests here: {sorted(grader.faulty)[0]}",
                advice="run `autograder check` on your own machine, and make the zip again",
            )
    click.echo(f"{assignment.name}: the model solution passes all {total} tests here")


def _graded(assignment: Assignment, submission: Path, metadata: SubmissionMetadata) -> ScoreReport:
    lateness = compute_submission_lateness(metadata, assignment.due)
    if not submission.is_dir() or submission.is_symlink():
        raise KitFault("is no folder", where=str(submission))
    with Grader(assignment, _sandbox(assignment)) as grader:
        try:
            _, report = grade_and_report(grader, submission, metadata.submission_name)
        except KitFault:  # once more: a full process table empties again
            _, report = grade_and_report(grader, submission, metadata.submission_name)
    return with_lateness(report, lateness)


if __name__ == "__main__":
    main()
