"""Hold an executor of grading tasks, and the number of tasks that it takes at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GradingExecutor:
    """An executor whose workers are ready to grade, and how many tasks to hand it at once.

    The function that opened it closes it.

    Local processes and a cluster have this interface in common: ``run_tasks`` submits
    ``grade_task`` and a task to the executor, and waits for the future.
    """

    executor: Executor
    get_concurrency: Callable[[], int]
    """How many tasks should be handed out at this moment; a cluster may grow."""
