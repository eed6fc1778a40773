"""``autograder batch``: grade a class, here or on a cluster."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import Literal

import click

from autograder.cli.class_inputs import add_submission_times_option, roster_option
from autograder.cli.options import (
    CourseOption,
    IsolationTierOptions,
    add_isolation_tier_options,
    course_option,
    get_assignment,
    no_explain_option,
    out_option,
    require_nonempty_path,
    store_option,
)
from autograder.cli.terminal import print_line
from autograder.course import Course
from autograder.faults import CallerFault
from autograder.kit_version import advise_to_install_extra
from autograder.workers.grading_tasks import WorkersOpener
from autograder.workers.local_workers import open_local_workers, prefork_workers

ExecutorName = Literal["local", "dask", "dask-slurm"]


def make_worker_opener(
    course: Course,
    worker_count: int | None,
    folder_shared_with_slurm_jobs: Path,
    executor_name: ExecutorName = "local",
    scheduler_address: str | None = None,
    course_path_on_worker: Path | None = None,
) -> WorkersOpener:
    """Return the function that opens the workers.

    Args:
        course: may hold settings for a cluster.
        worker_count: the most submissions at once; no limit when None.
        folder_shared_with_slurm_jobs: a folder that Slurm's jobs see too.
        executor_name: what grades.
        scheduler_address: where the Dask scheduler listens.
        course_path_on_worker: where a cluster's workers find the course; the same path as here when None.

    Raises:
        CallerFault: an option is missing or does not apply, or a package is not installed.
    """
    if executor_name != "dask" and scheduler_address:
        raise CallerFault("--scheduler requires --executor dask", advice="add --executor dask")
    if executor_name == "local":
        if course_path_on_worker:
            raise CallerFault("--worker-course requires workers on a cluster", advice="add --executor dask")
        return prefork_local_workers(worker_count)
    if executor_name == "dask":
        if not scheduler_address:
            raise CallerFault(
                "missing option --scheduler", where="--executor dask", advice="add --scheduler tcp://HOST:PORT"
            )
        if worker_count:
            raise CallerFault("a Dask cluster brings its own workers", where="--workers", advice="leave it out")
        _require_module("distributed", "dask")
        from autograder.workers.cluster.dask_workers import open_dask_workers

        open_workers = functools.partial(open_dask_workers, scheduler_address=scheduler_address)
    else:
        if course.slurm_settings is None:
            raise CallerFault(
                "missing section cluster.slurm, which says what to ask Slurm for",
                where=str(course.folder / "grading.yml"),
                advice="see docs/scaling.md for an example",
            )
        _require_module("dask_jobqueue", "slurm")
        from autograder.workers.cluster.slurm_workers import SlurmWorkersRequest, open_slurm_workers

        request = SlurmWorkersRequest(course.slurm_settings, worker_count, folder_shared_with_slurm_jobs)
        open_workers = functools.partial(open_slurm_workers, workers_request=request)
    return functools.partial(
        open_workers,
        course_path_on_worker=course_path_on_worker,
        show_message=functools.partial(print_line, style="yellow", to_stderr=True),
    )


def prefork_local_workers(worker_count: int | None) -> WorkersOpener:
    """Fork the local workers, before there are threads or an open store, and return the function that opens them.

    Args:
        worker_count: submissions at once; as many as there are processors when None.
    """
    return functools.partial(open_local_workers, worker_starters=prefork_workers(worker_count))


def _require_module(module: str, extra: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise CallerFault(
            f"the package {module} is not installed", where="--executor", advice=advise_to_install_extra(extra)
        )


@click.command()
@click.argument("assignment")
@click.argument("submissions", type=click.Path(), callback=require_nonempty_path)
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
    course: CourseOption,
    tiers: IsolationTierOptions,
) -> None:
    """Grade SUBMISSIONS, a platform's download as it is, or a folder or zip with one file or sub-folder a student.

    Writes OUT/reports/<submission>.json, OUT/gradebook.csv and, for the staff, OUT/raw/. What they are made of is
    kept in OUT/results.sqlite: run again, it grades only what is new or changed.

    When all marks are written, it looks for the smallest change that makes each wrong submission right, and adds it
    to the report. That may be stopped at any time; the next run goes on.
    """
    loaded_course = course.load(submissions)
    get_assignment(loaded_course, assignment)
    if out.resolve().is_relative_to(submissions.resolve()):
        raise CallerFault(
            "the results folder lies among the submissions, and one of them could pass for a report",
            where=str(out),
            advice="name another folder with --out",
        )
    open_workers = make_worker_opener(loaded_course, workers, out, executor, scheduler, worker_course)
    from autograder.batch.batch_location import BatchLocation  # workers need none of these, so they are forked first
    from autograder.cli.batch_execution import grade_class

    grade_class(
        course.load_assignment(assignment, submissions, BatchLocation(out, store)),
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
