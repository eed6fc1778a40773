"""Choose where ``autograder batch`` grades: here, or on a cluster."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from autograder.batch.launch import get_ready
from autograder.batch.local_workers import open_local_workers
from autograder.batch.tasks import OpenWorkers
from autograder.cli.shared_options import make_console
from autograder.course import Course
from autograder.faults import CallerFault

R = TypeVar("R")
Name = Literal["local", "dask", "dask-slurm"]


@dataclass(frozen=True, slots=True)
class ExecutorOptions:
    """What the command line says about where to grade."""

    name: Name = "local"
    scheduler: str | None = None
    worker_course: Path | None = None

    def make_worker_opener(self, course: Course, workers: int | None, out: Path) -> OpenWorkers:
        """Return the function that opens the workers.

        Args:
            course: may say how to ask for machines.
            workers: submissions at once, if the caller wants no more.
            out: a folder that Slurm's jobs see too.

        Raises:
            CallerFault: an option is missing, or has no meaning here, or a package is not installed.
        """
        if self.name != "dask" and self.scheduler:
            raise CallerFault("is the address of a Dask scheduler", where="--scheduler", advice="add --executor dask")
        if self.name == "local":
            if self.worker_course:
                raise CallerFault("is for workers elsewhere", where="--worker-course", advice="add --executor dask")
            return on_this_machine(workers)
        return self._dask(workers) if self.name == "dask" else self._slurm(course, workers, out)

    def _dask(self, workers: int | None) -> OpenWorkers:
        if not self.scheduler:
            raise CallerFault("needs --scheduler tcp://HOST:PORT", where="--executor dask")
        if workers:
            raise CallerFault("the cluster has the workers it has", where="--workers", advice="leave it out")
        _require("distributed", "dask")
        from autograder.batch.cluster.dask_workers import open_dask_workers

        return functools.partial(open_dask_workers, scheduler=self.scheduler, course=self.worker_course, notify=_tell)

    def _slurm(self, course: Course, workers: int | None, out: Path) -> OpenWorkers:
        if course.slurm is None:
            raise CallerFault(
                "has no section cluster.slurm, which says what to ask Slurm for",
                where=str(course.root / "grading.yml"),
                advice="docs/scaling.md has an example",
            )
        _require("dask_jobqueue", "slurm")
        from autograder.batch.cluster.slurm_workers import SlurmJobs, open_slurm_workers

        return functools.partial(
            open_slurm_workers, wanted=SlurmJobs(course.slurm, workers, out), course=self.worker_course, notify=_tell
        )


def on_this_machine(workers: int | None) -> OpenWorkers:
    """Return the function that opens workers here, and begin to get ready for that.

    Args:
        workers: submissions at once; as many as there are processors when None.
    """
    get_ready()
    return functools.partial(open_local_workers, count=workers)


def add_executor_options(function: Callable[..., R]) -> Callable[..., R]:
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
        *arguments: Any, executor: Name, scheduler: str | None, worker_course: Path | None, **named: Any
    ) -> R:
        return function(*arguments, executor=ExecutorOptions(executor, scheduler, worker_course), **named)

    return wrapped


def _require(module: str, extra: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise CallerFault(
            f"{module} is not installed", where="--executor", advice=f"pip install 'autograd-exercise-kit[{extra}]'"
        )


def _tell(text: str) -> None:
    make_console(stderr=True).print(text, style="yellow")
