"""Run the autograder once on Gradescope: ``python -m autograder.cli.gradescope_run``.

A score is written only if the submission was graded. Otherwise Gradescope says that the autograder failed, and no
student loses a mark.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

import click

from autograder.cli.grade import grade_with_report
from autograder.cli.options import CourseOption
from autograder.cli.terminal import exit_on_fault, make_console_without_markup
from autograder.course import Assignment
from autograder.faults import CallerFault, Fault, KitFault
from autograder.files import (
    is_written_through,
    override_output_file_readers,
    resolve_output_file,
    write_file_atomically,
)
from autograder.grading import Grader
from autograder.lateness import apply_lateness
from autograder.platforms.common.export_points import BONUS_RULES
from autograder.platforms.gradescope.results_json import (
    GradescopeSubmissionMetadata,
    compute_submission_lateness_or_none,
    encode_results_json,
    read_gradescope_metadata,
)
from autograder.reports import ScoreReport, terminal_report
from autograder.sandbox import SandboxConfig, choose_strongest_sandbox
from autograder.text import escape_for_display, format_count

HOME = Path("/autograder")
MOST_TRIED = 300
"""How many changes are tried for each mistake at most: Gradescope's own time limit would cost the marks."""
FILE = click.Path(path_type=Path)


@click.command("gradescope-run")
@click.option("--course", type=FILE, default=HOME / "source" / "course", help="The course in the autograder zip.")
@click.option("--submission", type=FILE, default=HOME / "submission", help="What the student handed in.")
@click.option(
    "--metadata", type=FILE, default=HOME / "submission_metadata.json", help="What the platform says of it."
)
@click.option("--out", type=FILE, default=HOME / "results" / "results.json", help="Where the platform reads results.")
@click.option(
    "--bonus", type=click.Choice(tuple(BONUS_RULES)), default="capped", help="What the bonus adds to the score."
)
@click.option(
    "--trial",
    "only_tries_model_solution",
    is_flag=True,
    help="Try the suite on the reference solution, and write nothing.",
)
@exit_on_fault
def main(
    course: Path, submission: Path, metadata: Path, out: Path, bonus: str, only_tries_model_solution: bool
) -> None:
    """Grade one submission where Gradescope put it, and write results.json."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if not only_tries_model_solution and not is_written_through(out):
        resolve_output_file(out).unlink(missing_ok=True)
    try:
        assignment = _get_only_assignment(course)
        if only_tries_model_solution:
            _grade_model_solution(assignment)
            return
        report = _grade_submission(assignment, submission, read_gradescope_metadata(metadata))
        with override_output_file_readers("everybody"):  # the platform may read it as another user
            write_file_atomically(out, encode_results_json(report, bonus))
        terminal_report.print_report(report, make_console_without_markup())
    except Fault:
        raise
    except Exception as error:
        traceback.print_exc()
        raise KitFault(
            f"the grader failed unexpectedly: {type(error).__name__}: {escape_for_display(str(error), 200)}",
            advice='use "Rerun Autograder" when this is fixed; no score was written',
        ) from error


def _get_only_assignment(course: Path) -> Assignment:
    assignments = CourseOption(course).load().assignments
    if len(assignments) != 1:
        raise CallerFault(
            "the course has more than one assignment", where=str(course), advice="make the zip with gradescope-zip"
        )
    return assignments[0]


def _choose_sandbox(assignment: Assignment) -> SandboxConfig:
    return choose_strongest_sandbox(assignment.weakest_tier, package_names=assignment.packages)


def _grade_model_solution(assignment: Assignment) -> None:
    """Grade the reference solution.

    Raises:
        Fault: this machine cannot grade; the message says why.
    """
    with Grader(assignment, _choose_sandbox(assignment)) as grader:
        total = len(grader.test_specs)
        if grader.faulty_test_ids:
            raise KitFault(
                f"the reference solution fails {len(grader.faulty_test_ids)} of {format_count(total, 'test')} here: "
                f"{sorted(grader.faulty_test_ids)[0]}",
                advice="run `autograder check` on your own machine, and make the zip again",
            )
    click.echo(f"{assignment.name}: the reference solution passes all {total} tests here")


def _grade_submission(
    assignment: Assignment, submission: Path, metadata: GradescopeSubmissionMetadata
) -> ScoreReport:
    lateness = compute_submission_lateness_or_none(metadata, assignment.deadline_rules)
    if not submission.is_dir() or submission.is_symlink():
        raise KitFault("the submission is not a folder", where=str(submission))
    name, most_tried = metadata.submission_name_from_id, min(MOST_TRIED, assignment.feedback.repair_candidates)
    with Grader(assignment, _choose_sandbox(assignment)) as grader:
        try:
            _, report = grade_with_report(grader, submission, name, most_tried=most_tried)
        except KitFault:  # once more: a full process table empties again
            _, report = grade_with_report(grader, submission, name, most_tried=most_tried)
    return apply_lateness(report, lateness)


if __name__ == "__main__":
    main()
