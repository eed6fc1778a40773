"""Open workers of a cluster for a batch: the counterpart of ``open_local_workers``."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import dask
import distributed

from autograder.batch.cluster.cluster_executor import ClusterExecutor
from autograder.batch.cluster.worker_requirements import make_worker_requirements
from autograder.batch.cluster.worker_tracker import Tell, WorkerTracker
from autograder.batch.tasks import WorkerPool
from autograder.course import Assignment, Limits
from autograder.faults import CallerFault
from autograder.sandbox import Sandbox

AHEAD = 2
"""Tasks handed out per thread beyond the one it is at: the next submission is there before the last result is."""
CONNECT_SECONDS = 10


@contextmanager
def open_dask_workers(
    assignment: Assignment, sandbox: Sandbox, *, scheduler: str, course: Path | None, notify: Tell
) -> Iterator[WorkerPool]:
    """Open the workers of a scheduler that runs already.

    Args:
        assignment: the assignment that is graded.
        sandbox: its tier is the one that workers must offer.
        scheduler: the scheduler's address.
        course: where the course lies on the workers; at the same path as here when None.
        notify: told of what the caller should know meanwhile.

    Raises:
        CallerFault: no scheduler answers, or no worker may grade.
    """
    try:
        client = distributed.Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False, name="autograder")
    except (OSError, ValueError) as error:
        raise CallerFault(
            "no Dask scheduler answers there", where=scheduler, advice="start one, or correct --scheduler"
        ) from error
    with client, prepare_cluster_workers(client, assignment, sandbox, course, notify) as workers:
        yield workers


@contextmanager
def prepare_cluster_workers(
    client: distributed.Client, assignment: Assignment, sandbox: Sandbox, course: Path | None, notify: Tell
) -> Iterator[WorkerPool]:
    """Prepare every worker of a cluster, now and later, to grade an assignment. See ``open_dask_workers``."""
    name = f"autograder-{uuid.uuid4().hex[:12]}"
    standard = make_worker_requirements(assignment, sandbox, course)
    executor = ClusterExecutor(client, name, assignment.limits.submission_mb * 2**20)
    staff = WorkerTracker(
        client, name, standard, seconds_until_stuck(assignment.limits), notify, executor.resubmit_unfinished
    )
    with dask.config.set(
        {"distributed.admin.large-graph-warning-threshold": "1 GB"}
    ):  # a large notebook is no mistake
        try:
            staff.wait_for_usable_worker()
            with staff.discover_in_background():
                yield WorkerPool(executor, lambda: max(1, staff.count_grading_slots() * (1 + AHEAD)))
        finally:
            executor.shutdown(cancel_futures=True)
            if client.status == "running":  # else the scheduler is gone, and its workers with it
                with suppress(OSError):
                    staff.release_workers()


def seconds_until_stuck(limits: Limits) -> float:
    """Return after how many seconds a grading process counts as stuck: many times what it may wait for in all."""
    return 60 + 5 * (limits.submission_seconds + limits.import_seconds)
