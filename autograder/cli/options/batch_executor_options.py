"""Choose where ``autograder batch`` grades: here, or on a cluster."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import Literal

from autograder.cli.output.console import print_line
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
            f"the package {module} is not installed",
            where="--executor",
            advice=advise_to_install_extra(extra),
        )
