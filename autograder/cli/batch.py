"""``autograder batch``: grade a class."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.cli.fault_handling import exit_on_fault
from autograder.cli.options.batch_executor_options import ExecutorOptions, add_batch_executor_options
from autograder.cli.options.isolation_tier_options import IsolationTierOptions, add_isolation_tier_options
from autograder.cli.options.roster_option import roster_option
from autograder.cli.options.shared_options import (
    course_option,
    get_assignment,
    load_course_and_set_output_permissions,
    no_explain_option,
    out_option,
    require_nonempty_submissions_path,
    store_option,
)
from autograder.cli.options.submission_times_option import add_submission_times_option
from autograder.faults import CallerFault


@click.command()
@click.argument("assignment")
@click.argument("submissions", type=click.Path(), callback=require_nonempty_submissions_path)
@out_option
@store_option
@click.option(
    "--from",
    "platform",
    default="",
    metavar="PLATFORM",
    help="Where SUBMISSIONS were downloaded (moodle, canvas, gradescope, ...); by default it is found out. "
    "`folder` for a plain folder or zip.",
)
@roster_option
@click.option("--workers", type=click.IntRange(1, 512), help="Processes at once; by default one per processor.")
@add_submission_times_option
@click.option("--json-lines", is_flag=True, help="Print one JSON object for each submission, and nothing else.")
@click.option(
    "--progress-every",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    metavar="SECONDS",
    help="Seconds between two lines on progress, where there is no terminal; 10 by default.",
)
@no_explain_option
@add_batch_executor_options
@course_option
@add_isolation_tier_options
@exit_on_fault
def command(  # noqa: PLR0913 - a parameter for each option
    assignment: str,
    submissions: Path,
    out: Path,
    store: str,
    platform: str,
    roster: Path | None,
    workers: int | None,
    submission_times: Path | None,
    json_lines: bool,
    progress_every: float,
    no_explain: bool,
    course: Path | None,
    tiers: IsolationTierOptions,
    executor: ExecutorOptions,
) -> None:
    """Grade SUBMISSIONS, a platform's download as it is, or a folder or zip with one file or sub-folder a student.

    Writes OUT/reports/<submission>.json, OUT/gradebook.csv and, for the staff, OUT/raw/. What they are made of is
    kept in OUT/results.sqlite: run again, it grades only what is new or changed.

    When all marks are written, it looks for the smallest change that makes each wrong submission right, and adds it
    to the report. That may be stopped at any time; the next run goes on.
    """
    loaded_course = load_course_and_set_output_permissions(course, submissions)
    chosen_assignment = get_assignment(loaded_course, assignment)
    if out.resolve().is_relative_to(submissions.resolve()):
        raise CallerFault(
            "the results folder lies among the submissions, and one of them could pass for a report",
            where=str(out),
            advice="name another folder with --out",
        )
    open_workers = executor.make_worker_opener(loaded_course, workers, out)
    from autograder.cli.batch_execution import (  # workers need none of it, so they are forked first
        BatchIOOptions,
        grade_class_and_exit_on_failure,
    )

    options = BatchIOOptions(
        submissions, out, store, platform, roster, submission_times, json_lines, progress_every, not no_explain
    )
    grade_class_and_exit_on_failure(options, chosen_assignment, tiers, open_workers)
