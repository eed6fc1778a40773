"""``autograder repair``: show the smallest change that makes a submission right, or apply it."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from autograder.cli.grade import require_submission
from autograder.cli.options import CourseOption, IsolationTierOptions, add_isolation_tier_options, course_option
from autograder.cli.terminal import print_line
from autograder.faults import CallerFault
from autograder.files import is_standard_output, is_written_through, write_file_atomically
from autograder.grading import GradedSubmission, Grader
from autograder.grading.results import OUTCOMES_WITH_FULL_POINTS
from autograder.repair.application import apply_edits
from autograder.repair.model import Repair, format_unified_diff
from autograder.repair.search import find_repair_of_graded
from autograder.repair.words import tell_mistakes
from autograder.reports.terminal_report import iterate_rich_diff
from autograder.reports.wording import add_full_stop
from autograder.submissions.submission_files import read_single_submitted_file
from autograder.text import format_count


@click.command()
@click.argument("assignment")
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the change as JSON, as in the report.")
@click.option("--diff", "as_diff", is_flag=True, help="Print the change as a unified diff.")
@click.option(
    "--apply",
    "applied",
    type=click.Path(path_type=Path),
    help="Write the student's file with the change to this file; all other lines stay as they are.",
)
@course_option
@add_isolation_tier_options
def command(  # noqa: PLR0913 - a parameter for each option
    assignment: str,
    submission: Path,
    as_json: bool,
    as_diff: bool,
    applied: Path | None,
    course: CourseOption,
    tiers: IsolationTierOptions,
) -> None:
    """Show the smallest change that makes SUBMISSION (a .py, a notebook, a folder or a zip) right.

    It is a change of the student's own lines, tried against the whole hidden suite: for the staff alone. With
    /dev/stdout as the file of --apply, what is said goes to standard error.
    """
    if as_json and as_diff:
        raise click.UsageError("--json and --diff are two ways to print one change: choose one")
    chosen_assignment = course.load_assignment(assignment, submission)
    require_submission(submission)
    if applied is not None:
        _require_other_file(submission, applied)
    sandbox = tiers.choose_sandbox(chosen_assignment)
    with Grader(chosen_assignment, sandbox) as grader:
        graded = grader.grade(submission)
        repair = find_repair_of_graded(grader, graded)
    to_stderr = applied is not None and is_standard_output(applied)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(repair), indent=2), err=to_stderr)
    elif as_diff:
        click.echo(format_unified_diff(repair.edits), nl=False, err=to_stderr)
    else:
        _print_repair(repair, graded, to_stderr=to_stderr)
    if applied is not None and repair.edits:
        file = read_single_submitted_file(submission, chosen_assignment.limits.submission_mb * 2**20)
        write_file_atomically(applied, apply_edits(file, repair.edits))
    elif applied is not None:
        print_line(f"{applied} is not written: there is nothing to change", to_stderr=True)


def _print_repair(repair: Repair, graded: GradedSubmission, *, to_stderr: bool) -> None:
    untold = (*OUTCOMES_WITH_FULL_POINTS, "not attempted")
    failed_tests = [result.spec.id for result in graded.test_results if result.outcome not in untold]
    if not repair.edits:
        print_line(_explain_lack_of_repair(repair, graded, failed_tests), to_stderr=to_stderr)
    for mistake in tell_mistakes(repair, failed_tests):
        print_line(add_full_stop(mistake.title), style="bold", to_stderr=to_stderr)
        for diff in mistake.diffs:
            for line in iterate_rich_diff(diff):
                print_line(line, to_stderr=to_stderr)
        print_line(mistake.summary, to_stderr=to_stderr)
    if repair.edits and not repair.proven:
        print_line("This is not proven: the whole suite has not graded it.", style="yellow", to_stderr=to_stderr)


def _explain_lack_of_repair(repair: Repair, graded: GradedSubmission, failed_tests: list[str]) -> str:
    if graded.message:
        return f"it could not be graded: {graded.message}"
    if not failed_tests:
        return "there is nothing to change: no test failed"
    return f"no small change makes it right ({format_count(repair.tried, 'change')} tried)"


def _require_other_file(submission: Path, applied: Path) -> None:
    """Check that the change can be applied, and not to the submission itself.

    Raises:
        CallerFault: the submission is no single file, or would be overwritten.
    """
    if not submission.is_file() or submission.suffix.lower() == ".zip":
        raise CallerFault(
            "a change can be applied to a single file only",
            where=str(submission),
            advice="name the student's .py or notebook",
        )
    if not is_written_through(applied) and applied.exists() and applied.samefile(submission):
        raise CallerFault(
            "this file is the submission itself", where=str(applied), advice="write the result to another file"
        )
