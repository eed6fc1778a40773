"""``autograder batch``: grade a class."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.cli.fault_handling import exit_on_fault
from autograder.cli.options.batch_executor_options import ExecutorName, make_worker_opener
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
@click.option(
    "--executor",
    type=click.Choice(("local", "dask", "dask-slurm")),
    default="local",
    help="Grade on this machine, on a Dask cluster that runs already, or in jobs of a Slurm.",
)
@click.option("--scheduler", help="Address of the Dask scheduler, such as tcp://head:8786.")
@click.option(
    "--worker-course",
    type=click.Path(path_type=Path),
    help="Where the course lies on the workers, if not at the same path as here.",
)
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
    executor: ExecutorName,
    scheduler: str | None,
    worker_course: Path | None,
    course: Path | None,
    tiers: IsolationTierOptions,
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
    open_workers = make_worker_opener(loaded_course, workers, out, executor, scheduler, worker_course)
    from autograder.cli.batch_execution import grade_class  # workers need none of it, so they are forked first

    grade_class(
        chosen_assignment,
        submissions,
        tiers,
        open_workers,
        output_folder=out,
        store_url=store,
        platform_name=platform,
        roster_path=roster,
        submission_times_path=submission_times,
        prints_json_lines=json_lines,
        progress_seconds=progress_every,
        explains=not no_explain,
    )
