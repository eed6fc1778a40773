"""Pass tasks to workers and yield their results; this alone decides what is tried again.

A task whose worker ended is tried three times: when memory is short, the kernel may kill another process than the one
that uses it. What timed out or failed for another reason is tried twice: a full process table may have room again.
The last try runs alone.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain

from autograder.faults import Fault, KitFault, defer_signals, raise_if_interrupted
from autograder.workers.grading_tasks import GradingExecutor, GradingTask, GradingTaskResult
from autograder.workers.grading_worker import grade_task
from autograder.workers.worker_processes import CallTimedOut

log = logging.getLogger("autograder.worker")

MOST_TRIES = 3
MOST_IN_A_ROW = 3
"""After so many submissions given up in a row, the machine counts as the cause."""
IDLE_SECONDS = 0.25
GIVEN_UP = f"a worker process ended {MOST_TRIES} times while grading this submission, the last time alone"

TIMED_OUT = (
    "grading it did not end, not even alone ({}). The submission's own limits should have ended it, so this is the "
    "kit's fault, not the student's"
)


def run_tasks(
    tasks: Iterator[GradingTask],
    open_workers: Callable[[], AbstractContextManager[GradingExecutor]],
    on_idle: Callable[[], None] = lambda: None,
) -> Iterator[GradingTaskResult]:
    """Yield results as they arrive; try again what failed.

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
    """Queue of tasks, with the number of tries that each has had.

    Attributes:
        pending: the running tasks by future, each with the number of its failed tries.
    """

    def __init__(self, tasks: Iterator[GradingTask]) -> None:
        self.pending: dict[Future[GradingTaskResult], tuple[GradingTask, int]] = {}
        self._tasks = tasks
        self._failed_tasks: deque[tuple[GradingTask, int]] = deque()
        self._last_tasks: deque[GradingTask] = deque()
        self._gave_up_count = 0

    def next(self) -> tuple[GradingTask, int] | None:
        """Return the next task, failed ones first; None if there is none, or if a running task must end first.

        The last try of a task runs alone. A task with ``runs_last_and_alone`` runs alone, after all others.
        """
        if any(_is_alone(*entry) for entry in self.pending.values()):
            return None
        if self._failed_tasks:
            failed_entry = max(self._failed_tasks, key=lambda entry: entry[1])
            if _is_alone(*failed_entry) and self.pending:
                return None
            self._failed_tasks.remove(failed_entry)
            return failed_entry
        while task := next(self._tasks, None):
            if not task.runs_last_and_alone:
                return task, 0
            self._last_tasks.append(task)
        if self._last_tasks:
            return None if self.pending else (self._last_tasks.popleft(), 0)
        return None

    def finish_or_requeue(self, future: Future[GradingTaskResult]) -> GradingTaskResult | None:
        """Return the result of a task; None if it failed and is queued again.

        An error that nobody foresaw is the kit's, and a failure of that submission alone.

        Raises:
            Fault: the task raised it: no submission can be graded.
            KitFault: workers ended for several submissions in a row.
        """
        task, failed_tries = self.pending.pop(future)
        error = future.exception()
        has_worker_ended = isinstance(error, BrokenExecutor) and not isinstance(error, CallTimedOut)
        if has_worker_ended:
            result = GradingTaskResult(task.name, kit_failure=GIVEN_UP)
        elif isinstance(error, CallTimedOut):
            result = GradingTaskResult(task.name, kit_failure=TIMED_OUT.format(error))
        elif isinstance(error, Exception) and not isinstance(error, Fault):
            log.error("%s: internal error", task.name, exc_info=error)
            return GradingTaskResult(task.name, kit_failure=f"{type(error).__name__}: {error}")
        else:
            result = future.result()
        if result.kit_failure:
            failed_tries = failed_tries + 1 if has_worker_ended else max(failed_tries + 1, MOST_TRIES - 1)
            if failed_tries < MOST_TRIES:
                self._failed_tasks.append((task, failed_tries))
                return None
        self._count_lost_in_a_row(has_worker_ended)
        return self._requeue_if_provisional(task, result)

    def _count_lost_in_a_row(self, has_worker_ended: bool) -> None:
        """Count the submissions that were given up because their workers ended.

        Raises:
            KitFault: the tasks before did so, too, so no submission is the cause.
        """
        self._gave_up_count = self._gave_up_count + 1 if has_worker_ended else 0
        if self._gave_up_count == MOST_IN_A_ROW:
            raise KitFault(
                "worker processes keep ending, whatever they grade",
                advice="check the memory of this machine, then run the same command again: what is done stays done",
            )

    def _requeue_if_provisional(self, task: GradingTask, result: GradingTaskResult) -> GradingTaskResult:
        """Return the result of a task; if it is provisional, queue the task once more, to run last and alone."""
        if task.runs_last_and_alone or not result.is_provisional:
            return result
        self._last_tasks.append(replace(task, runs_last_and_alone=True))
        return replace(result, will_be_retried=True)


def _is_alone(task: GradingTask, failed_tries: int) -> bool:
    """Return whether a task must run alone."""
    return task.runs_last_and_alone or failed_tries == MOST_TRIES - 1
