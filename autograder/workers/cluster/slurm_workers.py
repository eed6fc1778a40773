"""Get workers from a Slurm cluster for the duration of a batch."""

from __future__ import annotations

import math
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import distributed
from dask_jobqueue.slurm import SLURMCluster

from autograder.course import Assignment
from autograder.course.model import SlurmSettings
from autograder.faults import CallerFault
from autograder.files import make_output_folder
from autograder.sandbox import SandboxConfig
from autograder.workers.cluster.dask_workers import ShowMessage, open_workers_of_dask_client
from autograder.workers.grading_tasks import GradingExecutor

RENEW_SECONDS = 30.0
"""Seconds between checks for ended jobs, which are requested again."""
PROLOGUE = ("export PYTHONSAFEPATH=1",)
"""Keeps Python from importing modules of the current folder, where the batch was started and submissions may be."""


@dataclass(frozen=True, slots=True)
class SlurmWorkersRequest:
    """The jobs to request from Slurm."""

    settings: SlurmSettings
    """The resources of each job."""
    max_concurrent_submissions: int | None
    """How many submissions at once are enough; as many as the jobs can grade when None."""
    shared_folder: Path
    """A folder that the jobs see too, for the certificate."""

    @property
    def job_count(self) -> int:
        """Return how many jobs to ask for."""
        jobs, cores = self.settings.jobs, self.settings.cores
        return (
            min(jobs, math.ceil(self.max_concurrent_submissions / cores)) if self.max_concurrent_submissions else jobs
        )


@contextmanager
def open_slurm_workers(
    assignment: Assignment,
    sandbox: SandboxConfig,
    *,
    workers_request: SlurmWorkersRequest,
    course_path_on_worker: Path | None,
    show_message: ShowMessage,
) -> Iterator[GradingExecutor]:
    """Ask Slurm for jobs, and end them at the end of the ``with``.

    The scheduler runs in this process. Its connections to the jobs use TLS with a certificate made for this batch,
    which both ends require, because other users of a shared machine can reach its port.

    Args:
        assignment: the assignment that is graded.
        sandbox: its tier is the one that workers must offer.
        workers_request: the jobs.
        course_path_on_worker: where the course lies on the workers; at the same path as here when None.
        show_message: receives messages for the caller.

    Raises:
        CallerFault: Slurm refuses the jobs, or all workers are refused.
    """
    make_output_folder(workers_request.shared_folder)
    with TemporaryDirectory(prefix=".slurm-", dir=workers_request.shared_folder.resolve()) as shared_folder:
        try:
            cluster = SLURMCluster(
                **_make_job_options(workers_request.settings, shared_folder),
                security=_make_tls_security(Path(shared_folder)),
                n_workers=0,
            )
        except (OSError, ValueError, ImportError, RuntimeError) as error:
            raise CallerFault(
                f"cannot create a Dask cluster: {error}", "cluster.slurm", "correct grading.yml"
            ) from error
        with cluster, distributed.Client(cluster, set_as_default=False, name="autograder") as client:
            _ask_slurm_to_validate_job(cluster, Path(shared_folder))
            cluster.scale(jobs=workers_request.job_count)
            with (
                _renew_ended_jobs(cluster, workers_request.job_count),
                open_workers_of_dask_client(
                    client, assignment, sandbox, course_path_on_worker, show_message
                ) as workers,
            ):
                yield workers


def _make_tls_security(folder: Path) -> distributed.Security:
    """Set up encryption with a certificate of our own, in files that no other user may read."""
    security = distributed.Security.temporary()
    files = {}
    for name in ("ca_file", "client_cert", "client_key"):
        path = folder / name
        path.touch(mode=0o600)
        path.write_text(getattr(security, f"tls_{name}"), encoding="ascii")
        files[name.removeprefix("client_")] = str(path)
    role_files = {
        f"tls_{role}_{part}": files[part] for role in ("client", "scheduler", "worker") for part in ("cert", "key")
    }
    return distributed.Security(require_encryption=True, tls_ca_file=files["ca_file"], **role_files)


def _make_job_options(slurm: SlurmSettings, shared_folder: str) -> dict[str, Any]:
    options = {
        "queue": slurm.queue,
        "account": slurm.account,
        "interface": slurm.interface,
        "local_directory": slurm.local_directory,
        "log_directory": slurm.log_directory or shared_folder,
    }
    return {
        **{name: value for name, value in options.items() if value is not None},
        "cores": slurm.cores,
        "memory": slurm.memory,
        "walltime": slurm.walltime,
        "processes": 1,
        "scheduler_options": {
            "dashboard": False,
            "dashboard_address": "127.0.0.1:0",
        },  # those pages know no encryption
        "worker_extra_args": ["--no-dashboard"],
        "job_extra_directives": list(slurm.job_extra_directives),
        "job_script_prologue": [*PROLOGUE, *slurm.job_script_prologue],
    }


def _ask_slurm_to_validate_job(cluster: SLURMCluster, folder: Path) -> None:
    """Ask Slurm to validate a job without running it; its answer to the real request does not reach this process."""
    script = folder / "job.sh"
    script.write_text(cluster.job_script(), encoding="utf-8")
    try:
        result = subprocess.run(["sbatch", "--test-only", script], capture_output=True, text=True, check=False)
    except OSError as error:
        raise CallerFault(
            "this machine has no Slurm: sbatch is not installed",
            where="--executor dask-slurm",
            advice="run it on a login node of the cluster, or leave the option out",
        ) from error
    if result.returncode:
        *_, last_line = result.stderr.splitlines() or [f"exit code {result.returncode}"]
        raise CallerFault(f"Slurm rejects the job: {last_line}", where="cluster.slurm", advice="correct grading.yml")


@contextmanager
def _renew_ended_jobs(cluster: SLURMCluster, jobs: int) -> Iterator[None]:
    """Request ended jobs again, in a thread, until the block exits."""
    stop_event = threading.Event()

    def renew() -> None:
        while not stop_event.wait(RENEW_SECONDS):
            cluster.scale(jobs=jobs)

    thread = threading.Thread(target=renew, name="slurm jobs", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop_event.set()
        thread.join()
