"""Open the worker processes of this machine, and say when one counts as stuck."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from autograder.course import Assignment, Limits
from autograder.sandbox import SandboxConfig
from autograder.workers.grading_tasks import GradingExecutor
from autograder.workers.grading_worker import initialize_worker
from autograder.workers.worker_processes import (
    PreforkedFirstWorkerStarter,
    RestartingWorkerProcess,
    StartWorker,
    WorkerProcessExecutor,
)

SPARE_SECONDS = 60
LIMITS_TOGETHER = 5
"""How many times all time limits of a submission fit in: its tests run twice at most, and a diagnosis follows."""
BUSY_MACHINE_FACTOR = 10
"""How many times as long a worker may take on this machine, which may be busy with other work or be suspended."""


def compute_seconds_until_stuck(limits: Limits) -> float:
    """Return the seconds after which a grading process of a cluster counts as stuck."""
    return SPARE_SECONDS + LIMITS_TOGETHER * (limits.submission_seconds + limits.import_seconds)


TASKS_QUEUED_PER_WORKER = 1
"""Tasks queued per worker beyond its current one, so that a worker need not wait while results are written."""


def count_available_processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def prefork_workers(worker_count: int | None) -> list[PreforkedFirstWorkerStarter]:
    """Fork worker processes, at most one per processor, before this process has threads; they wait for work.

    Args:
        worker_count: how many workers; as many as there are processors when None.

    Returns:
        A starter for each worker. The caller must close them.
    """
    processors = count_available_processors()
    return [PreforkedFirstWorkerStarter(forks_now=index < processors) for index in range(worker_count or processors)]


def make_grading_process_executor(
    assignment: Assignment, sandbox: SandboxConfig, worker_starters: Sequence[StartWorker]
) -> WorkerProcessExecutor:
    """Prepare worker processes that grade; each is initialized when it gets its first task.

    If there is a worker for every processor, each is pinned to one, together with its student processes: they only
    ever wait for each other, and waking another processor takes longer than passing their messages. Fewer workers are
    not pinned: another batch might pin its own to the same processors while others idle.

    Args:
        assignment: the assignment that is graded.
        sandbox: the sandbox of submissions.
        worker_starters: one for each worker.
    """
    pinned_processors: list[int | None] = [None] * len(worker_starters)
    if hasattr(os, "sched_setaffinity") and len(pinned_processors) == count_available_processors():
        pinned_processors = [*sorted(os.sched_getaffinity(0))[: len(pinned_processors)]]
    seconds = BUSY_MACHINE_FACTOR * compute_seconds_until_stuck(assignment.limits)
    return WorkerProcessExecutor(
        [
            RestartingWorkerProcess(starter, partial(initialize_worker, assignment, sandbox, processor), seconds)
            for starter, processor in zip(worker_starters, pinned_processors, strict=True)
        ]
    )


@contextmanager
def open_local_workers(
    assignment: Assignment,
    sandbox: SandboxConfig,
    worker_count: int | None = None,
    *,
    worker_starters: Sequence[PreforkedFirstWorkerStarter] = (),
) -> Iterator[GradingExecutor]:
    """Start processes on this machine; only one if submissions must not run at the same time.

    Args:
        assignment: the assignment that is graded.
        sandbox: the sandbox of submissions.
        worker_count: how many; as many as there are processors when None.
        worker_starters: the result of ``prefork_workers``, in place of ``worker_count``; closed at the
            end. If empty, workers are forked now.

    Yields:
        The processes, which end with the block.
    """
    max_workers = None if sandbox.lets_processes_overlap else 1
    starters = worker_starters or prefork_workers(max_workers or worker_count)
    executor = make_grading_process_executor(assignment, sandbox, starters[:max_workers])
    try:
        yield GradingExecutor(executor, lambda: len(starters[:max_workers]) * (1 + TASKS_QUEUED_PER_WORKER))
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
        for starter in starters:
            starter.close()
