"""Workers from a university's Slurm, for as long as a batch takes."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import distributed
from dask_jobqueue.slurm import SLURMCluster

from autograder.batch.cluster.staff import Tell
from autograder.batch.cluster.workers import staffed
from autograder.batch.work import Workers
from autograder.course import Assignment
from autograder.course.cluster import Slurm
from autograder.faults import CallerFault
from autograder.sandbox import Sandbox

RENEW_SECONDS = 30.0
"""How often jobs that ended are asked for again."""
PROLOGUE = ("export PYTHONSAFEPATH=1",)
"""A job starts where the batch was started, perhaps among submissions: no module is looked for there."""


@contextmanager
def slurm_workers(
    assignment: Assignment,
    sandbox: Sandbox,
    *,
    slurm: Slurm,
    most: int | None,
    scratch: Path,
    course: Path | None,
    tell: Tell,
) -> Iterator[Workers]:
    """Ask Slurm for jobs, and end them at the end of the ``with``.

    The scheduler is in this process. All that is said between it and the jobs is encrypted, with a certificate that
    both ends ask for, made for this batch: on a shared machine anybody may reach its port.

    Args:
        assignment: what is graded.
        sandbox: its tier is the one that workers must offer.
        slurm: what each job asks for.
        most: submissions at once that are enough; all that the jobs can do when None.
        scratch: a folder that the jobs see too, for the certificate.
        course: where the course lies on the workers; at the same path as here when None.
        tell: told of what the caller should know meanwhile.

    Raises:
        CallerFault: Slurm refuses, or no worker may grade.
    """
    jobs = min(slurm.jobs, math.ceil(most / slurm.cores)) if most else slurm.jobs
    with TemporaryDirectory(prefix=".slurm-", dir=scratch) as shared:
        try:
            cluster = SLURMCluster(
                **_options(slurm), security=True, shared_temp_directory=str(Path(shared).resolve()), n_workers=0
            )
        except (OSError, ValueError, ImportError, RuntimeError) as error:
            raise CallerFault(f"no Dask cluster can be made: {error}", where="cluster.slurm") from error
        with cluster, distributed.Client(cluster, set_as_default=False, name="autograder") as client:
            _ask(cluster, jobs)
            with _renewed(cluster, jobs), staffed(client, assignment, sandbox, course, tell) as workers:
                yield workers


def _options(slurm: Slurm) -> dict[str, Any]:
    given = {
        "queue": slurm.queue,
        "account": slurm.account,
        "interface": slurm.interface,
        "local_directory": slurm.local_directory,
        "log_directory": slurm.log_directory,
    }
    return {
        **{name: value for name, value in given.items() if value is not None},
        "cores": slurm.cores,
        "memory": slurm.memory,
        "walltime": slurm.walltime,
        "processes": 1,
        "job_extra_directives": list(slurm.job_extra_directives),
        "job_script_prologue": [*PROLOGUE, *slurm.job_script_prologue],
    }


def _ask(cluster: SLURMCluster, jobs: int) -> None:
    try:
        cluster.scale(jobs=jobs)
        cluster.sync(cluster._correct_state)
    except (OSError, RuntimeError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise CallerFault(
            f"Slurm takes no job: {lines[-1] if lines else error}", where="cluster.slurm", advice="try sbatch by hand"
        ) from error


@contextmanager
def _renewed(cluster: SLURMCluster, jobs: int) -> Iterator[None]:
    """Ask again for jobs that Slurm ended, in a thread, for as long as this is open."""
    over = threading.Event()

    def renew() -> None:
        while not over.wait(RENEW_SECONDS):
            cluster.scale(jobs=jobs)

    thread = threading.Thread(target=renew, name="slurm jobs", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
