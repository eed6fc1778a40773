"""Choose where ``autograder batch`` grades: here, or on a cluster."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from autograder.cli.output.console import print_line
from autograder.course import Course
from autograder.faults import CallerFault
from autograder.kit_version import advise_to_install_extra
from autograder.workers.grading_tasks import WorkersOpener
from autograder.workers.local_workers import open_local_workers, prefork_workers

R = TypeVar("R")
Name = Literal["local", "dask", "dask-slurm"]


@dataclass(frozen=True, slots=True)
class ExecutorOptions:
    """The options about where to grade."""

    executor_name: Name = "local"
    scheduler_address: str | None = None
    course_path_on_worker: Path | None = None

    def make_worker_opener(
        self, course: Course, worker_count: int | None, folder_shared_with_slurm_jobs: Path
    ) -> WorkersOpener:
        """Return the function that opens the workers.

        Args:
            course: may hold settings for a cluster.
            worker_count: the most submissions at once; no limit when None.
            folder_shared_with_slurm_jobs: a folder that Slurm's jobs see too.

        Raises:
            CallerFault: an option is missing or does not apply, or a package is not installed.
        """
        if self.executor_name != "dask" and self.scheduler_address:
            raise CallerFault("--scheduler requires --executor dask", advice="add --executor dask")
        if self.executor_name == "local":
            if self.course_path_on_worker:
                raise CallerFault("--worker-course requires workers on a cluster", advice="add --executor dask")
            return prefork_local_workers(worker_count)
        return (
            self._make_dask_opener(worker_count)
            if self.executor_name == "dask"
            else self._make_slurm_opener(course, worker_count, folder_shared_with_slurm_jobs)
        )

    def _make_dask_opener(self, workers: int | None) -> WorkersOpener:
        if not self.scheduler_address:
            raise CallerFault(
                "missing option --scheduler", where="--executor dask", advice="add --scheduler tcp://HOST:PORT"
            )
        if workers:
            raise CallerFault("a Dask cluster brings its own workers", where="--workers", advice="leave it out")
        _require_module("distributed", "dask")
        from autograder.workers.cluster.dask_workers import open_dask_workers

        return functools.partial(
            open_dask_workers,
            scheduler_address=self.scheduler_address,
            course_path_on_worker=self.course_path_on_worker,
            show_message=_print_message,
        )

    def _make_slurm_opener(self, course: Course, workers: int | None, out: Path) -> WorkersOpener:
        if course.slurm_settings is None:
            raise CallerFault(
                "missing section cluster.slurm, which says what to ask Slurm for",
                where=str(course.folder / "grading.yml"),
                advice="see docs/scaling.md for an example",
            )
        _require_module("dask_jobqueue", "slurm")
        from autograder.workers.cluster.slurm_workers import SlurmWorkersRequest, open_slurm_workers

        return functools.partial(
            open_slurm_workers,
            workers_request=SlurmWorkersRequest(course.slurm_settings, workers, out),
            course_path_on_worker=self.course_path_on_worker,
            show_message=_print_message,
        )


def prefork_local_workers(worker_count: int | None) -> WorkersOpener:
    """Fork the local workers, before there are threads or an open store, and return the function that opens them.

    Args:
        worker_count: submissions at once; as many as there are processors when None.
    """
    return functools.partial(open_local_workers, worker_starters=prefork_workers(worker_count))


def add_batch_executor_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add the three options on where to grade, handed on as ``executor``."""

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
    @functools.wraps(function)
    def wrapped(
        *arguments: Any, executor: Name, scheduler: str | None, worker_course: Path | None, **keywords: Any
    ) -> R:
        return function(*arguments, executor=ExecutorOptions(executor, scheduler, worker_course), **keywords)

    return wrapped


def _require_module(module: str, extra: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise CallerFault(
            f"the package {module} is not installed",
            where="--executor",
            advice=advise_to_install_extra(extra),
        )


def _print_message(text: str) -> None:
    print_line(text, style="yellow", to_stderr=True)
