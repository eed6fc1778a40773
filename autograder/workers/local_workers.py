"""Open the worker processes of this machine for a batch."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from autograder.course import Assignment
from autograder.sandbox import Sandbox
from autograder.workers.grading_tasks import WorkerPool
from autograder.workers.grading_worker import initialize_worker
from autograder.workers.process_executor import ProcessExecutor
from autograder.workers.worker_launch import fork_worker
from autograder.workers.worker_supervisor import WorkerSupervisor

TASKS_QUEUED_PER_WORKER = 1
"""Tasks handed out per worker beyond the one it is at: the next is there before the last result is written."""


def count_available_processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_lazy_worker_executor(assignment: Assignment, sandbox: Sandbox, worker_count: int) -> ProcessExecutor:
    """Prepare worker processes that grade; each starts when there is work for it.

    Where there are enough processors, each worker keeps to one, and so do its student processes: a worker and its
    student processes only ever wait for each other, and waking another processor takes longer than their messages do.

    Args:
        assignment: the assignment that is graded.
        sandbox: how submissions are shut in.
        worker_count: how many workers.
    """
    places: list[int | None] = [None] * worker_count
    if hasattr(os, "sched_setaffinity") and worker_count <= count_available_processors():
        places = [*sorted(os.sched_getaffinity(0))[:worker_count]]
    openings = [partial(initialize_worker, assignment, sandbox, place) for place in places]
    return ProcessExecutor([WorkerSupervisor(fork_worker, opening) for opening in openings])


@contextmanager
def open_local_workers(
    assignment: Assignment, sandbox: Sandbox, worker_count: int | None = None
) -> Iterator[WorkerPool]:
    """Start ``worker_count`` processes on this machine, or as many as there are processors.

    Stop them with the block.
    """
    worker_count = worker_count or count_available_processors()
    executor = make_lazy_worker_executor(assignment, sandbox, worker_count)
    try:
        yield WorkerPool(executor, lambda: worker_count * (1 + TASKS_QUEUED_PER_WORKER))
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
