"""Open workers of a cluster for a batch: the counterpart of ``open_local_workers``."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import dask
import distributed

from autograder.course import Assignment
from autograder.faults import CallerFault
from autograder.sandbox import SandboxConfig
from autograder.workers.cluster.batch_worker_admission import BatchWorkerAdmission, ShowMessage
from autograder.workers.cluster.cluster_executor import ClusterExecutor
from autograder.workers.cluster.worker_requirements import get_worker_requirements
from autograder.workers.grading_executor import GradingExecutor
from autograder.workers.worker_timeout import compute_seconds_until_stuck

TASKS_QUEUED_PER_SLOT = 2
"""Tasks sent per thread beyond its current one, so that a worker need not wait for its next submission."""
CONNECT_SECONDS = 10


@contextmanager
def open_dask_workers(
    assignment: Assignment,
    sandbox: SandboxConfig,
    *,
    scheduler_address: str,
    course_path_on_worker: Path | None,
    show_message: ShowMessage,
) -> Iterator[GradingExecutor]:
    """Open the workers of a scheduler that runs already.

    Args:
        assignment: the assignment that is graded.
        sandbox: its tier is the one that workers must offer.
        scheduler_address: the scheduler's address.
        course_path_on_worker: where the course lies on the workers; at the same path as here when None.
        show_message: receives messages for the caller.

    Raises:
        CallerFault: no scheduler answers, or all workers are refused.
    """
    try:
        client = distributed.Client(
            scheduler_address, timeout=CONNECT_SECONDS, set_as_default=False, name="autograder"
        )
    except (OSError, ValueError) as error:
        raise CallerFault(
            "no Dask scheduler answers at this address",
            where=scheduler_address,
            advice="start one, or correct --scheduler",
        ) from error
    with (
        client,
        open_workers_of_dask_client(client, assignment, sandbox, course_path_on_worker, show_message) as workers,
    ):
        yield workers


@contextmanager
def open_workers_of_dask_client(
    client: distributed.Client,
    assignment: Assignment,
    sandbox: SandboxConfig,
    course_path_on_worker: Path | None,
    show_message: ShowMessage,
) -> Iterator[GradingExecutor]:
    """Prepare every worker of a cluster, now and later, to grade an assignment. See ``open_dask_workers``."""
    name = f"autograder-{uuid.uuid4().hex[:12]}"
    requirements = get_worker_requirements(assignment, sandbox, course_path_on_worker)
    executor = ClusterExecutor(client, name, assignment.limits.submission_mb * 2**20)
    admission = BatchWorkerAdmission(
        client,
        name,
        requirements,
        compute_seconds_until_stuck(assignment.limits),
        show_message,
        executor.resubmit_unfinished,
    )
    with dask.config.set(
        {"distributed.admin.large-graph-warning-threshold": "1 GB"}
    ):  # a large notebook is no mistake
        try:
            admission.wait_for_admitted_worker()
            with admission.discover_in_background():
                yield GradingExecutor(
                    executor, lambda: max(1, admission.count_grading_slots() * (1 + TASKS_QUEUED_PER_SLOT))
                )
        finally:
            executor.shutdown(cancel_futures=True)
            if client.status == "running":  # otherwise the scheduler and its workers are gone
                with suppress(OSError):
                    admission.remove_batch_plugin()
