"""Pass tasks to workers and yield their results; retry a task if its worker ended."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain

from autograder.faults import Fault, KitFault
from autograder.interruption import defer_signals, raise_if_interrupted
from autograder.workers.grading_executor import GradingExecutor
from autograder.workers.grading_tasks import GradingTask, GradingTaskResult
from autograder.workers.grading_worker import grade_task
from autograder.workers.restarting_worker_process import CallTimedOut

log = logging.getLogger("autograder.worker")

MOST_KILLS = 3
"""How many workers may end while grading one submission; the last try runs alone. When memory is short, the kernel
may kill another process than the one that uses it."""
MOST_IN_A_ROW = 3
"""After so many submissions given up in a row, the machine counts as the cause."""
IDLE_SECONDS = 0.25
GIVEN_UP = f"a worker process ended {MOST_KILLS} times while grading this submission, the last time alone"

TIMED_OUT = (
    "grading it did not end, not even alone ({}). The submission's own limits should have ended it, so this is the "
    "kit's fault, not the student's"
)


def run_tasks(
    tasks: Iterator[GradingTask],
    open_workers: Callable[[], AbstractContextManager[GradingExecutor]],
    on_idle: Callable[[], None] = lambda: None,
) -> Iterator[GradingTaskResult]:
    """Yield results as they arrive; retry tasks that were lost with their worker.

    A provisional result has ``will_be_retried`` set: the submission is graded once more after all others, alone. The
    second result counts, even if it is provisional, too.

    Args:
        tasks: taken as workers become free; tasks with ``runs_last_and_alone`` wait until all others are done.
        open_workers: starts workers; not called when there is no task.
        on_idle: called periodically while no result arrives.

    Raises:
        KitFault: workers end for several submissions in a row.
        KeyboardInterrupt: a signal asked the process to end.
    """
    first_task = next(tasks, None)
    if first_task is None:
        return
    with open_workers() as workers:
        queue = _TaskQueue(chain([first_task], tasks))
        while True:
            raise_if_interrupted()
            while len(queue.pending) < max(1, workers.get_concurrency()) and (entry := queue.next()):
                with defer_signals():
                    queue.pending[workers.executor.submit(grade_task, entry[0])] = entry
            if not queue.pending:
                return
            with defer_signals():
                finished_futures, _ = wait(queue.pending, timeout=IDLE_SECONDS, return_when=FIRST_COMPLETED)
            if not finished_futures:
                on_idle()
            yield from filter(None, map(queue.finish_or_requeue, finished_futures))


class _TaskQueue:
    """Queue of tasks, with the number of workers that ended while grading each.

    Attributes:
        pending: the running tasks by future, each with the number of workers that it ended before.
    """

    def __init__(self, tasks: Iterator[GradingTask]) -> None:
        self.pending: dict[Future[GradingTaskResult], tuple[GradingTask, int]] = {}
        self._tasks = tasks
        self._lost_tasks: deque[tuple[GradingTask, int]] = deque()
        self._last_tasks: deque[GradingTask] = deque()
        self._gave_up_count = 0

    def next(self) -> tuple[GradingTask, int] | None:
        """Return the next task, lost ones first; None if there is none, or if a running task must end first.

        A task that was lost twice runs alone. A task with ``runs_last_and_alone`` runs alone, after all others.
        """
        if any(_is_alone(*entry) for entry in self.pending.values()):
            return None
        if self._lost_tasks:
            lost_entry = max(self._lost_tasks, key=lambda entry: entry[1])
            if _is_alone(*lost_entry) and self.pending:
                return None
            self._lost_tasks.remove(lost_entry)
            return lost_entry
        while task := next(self._tasks, None):
            if not task.runs_last_and_alone:
                return task, 0
            self._last_tasks.append(task)
        if self._last_tasks:
            return None if self.pending else (self._last_tasks.popleft(), 0)
        return None

    def finish_or_requeue(self, future: Future[GradingTaskResult]) -> GradingTaskResult | None:
        """Return the result of a task; None if its worker ended and the task is queued again.

        An error that nobody foresaw is the kit's, and a failure of that submission alone.

        Raises:
            Fault: the task raised it: no submission can be graded.
            KitFault: workers ended for several submissions in a row.
        """
        task, kills = self.pending.pop(future)
        error = future.exception()
        if not isinstance(error, BrokenExecutor):
            self._gave_up_count = 0
            if isinstance(error, Exception) and not isinstance(error, Fault):
                log.error("%s: internal error", task.name, exc_info=error)
                return GradingTaskResult(task.name, kit_failure=f"{type(error).__name__}: {error}")
            return self._requeue_if_provisional(task, future.result())
        if isinstance(error, CallTimedOut):
            if kills == MOST_KILLS - 1:  # not evidence against the machine: it ran alone, and others may end in time
                return GradingTaskResult(task.name, kit_failure=TIMED_OUT.format(error))
            kills = MOST_KILLS - 2  # once more, alone
        if kills + 1 == MOST_KILLS:
            return self._make_gave_up_result(task)
        self._lost_tasks.append((task, kills + 1))
        return None

    def _requeue_if_provisional(self, task: GradingTask, result: GradingTaskResult) -> GradingTaskResult:
        """Return the result of a task; if it is provisional, queue the task once more, to run last and alone."""
        if task.runs_last_and_alone or not result.is_provisional:
            return result
        self._last_tasks.append(replace(task, runs_last_and_alone=True))
        return replace(result, will_be_retried=True)

    def _make_gave_up_result(self, task: GradingTask) -> GradingTaskResult:
        """Return the result of a task that ended too many workers.

        Raises:
            KitFault: the tasks before it did, too, so no submission is the cause.
        """
        self._gave_up_count += 1
        if self._gave_up_count == MOST_IN_A_ROW:
            raise KitFault(
                "worker processes keep ending, whatever they grade",
                advice="check the memory of this machine, then run the same command again: what is done stays done",
            )
        return GradingTaskResult(task.name, kit_failure=GIVEN_UP)


def _is_alone(task: GradingTask, kills: int) -> bool:
    """Return whether a task must run alone."""
    return task.runs_last_and_alone or kills == MOST_KILLS - 1
