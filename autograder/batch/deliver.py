"""Deliver tasks to workers and results back, whatever becomes of the workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain

from autograder.batch.local import AHEAD
from autograder.batch.work import Done, Task, Workers
from autograder.batch.worker import grade_task
from autograder.faults import KitFault

MOST_KILLS = 3
"""Workers that may end over one submission: once among others, once beside few, once alone with it."""
MOST_IN_A_ROW = 3
"""Submissions that may be given up one after the other; then it is the machine, and none of them."""
IDLE_SECONDS = 0.25
GIVEN_UP = f"a worker process ended {MOST_KILLS} times while this was graded, the last time with nothing else at work"


def delivered(
    tasks: Iterator[Task],
    open_workers: Callable[[], AbstractContextManager[Workers]],
    idle: Callable[[], None] = lambda: None,
) -> Iterator[Done]:
    """Yield results as they come. When workers end, start others, and grade once more what was lost.

    A provisional result ``comes_again``: the same submission is graded once more when all others are graded, one at a
    time with nothing else at work. The result of that counts, provisional or not.

    Args:
        tasks: taken as workers ask for them; those that are ``last`` wait until there are no others.
        open_workers: starts workers; not called when there is no task.
        idle: called now and then while nothing comes.

    Raises:
        KitFault: workers end whatever they are given.
    """
    first = next(tasks, None)
    if first is None:
        return
    delivery = _Delivery(chain([first], tasks), idle)
    while delivery.goes_on:
        try:
            with open_workers() as workers:
                yield from delivery.through(workers)
        except BrokenExecutor:
            yield from delivery.lose()


class _Delivery:
    """Tasks, and how many workers ended while they were at each."""

    def __init__(self, tasks: Iterator[Task], idle: Callable[[], None]) -> None:
        self._tasks, self._idle = tasks, idle
        self._lost: deque[tuple[Task, int]] = deque()
        self._last: deque[Task] = deque()
        self._pending: dict[Future[Done], tuple[Task, int]] = {}
        self._given_up = 0
        self.goes_on = True

    def through(self, workers: Workers) -> Iterator[Done]:
        """Hand out tasks and yield their results until there are no more.

        Raises:
            BrokenExecutor: a worker ended.
        """
        while True:
            self._hand_out(workers)
            if not self._pending:
                self.goes_on = False
                return
            finished, _ = wait(self._pending, timeout=IDLE_SECONDS, return_when=FIRST_COMPLETED)
            if not finished:
                self._idle()
            broken = [future for future in finished if isinstance(future.exception(), BrokenExecutor)]
            for future in finished.difference(broken):
                task, _ = self._pending.pop(future)
                self._given_up = 0
                yield self._settled(task, future.result())
            if broken:
                broken[0].result()

    def lose(self) -> Iterator[Done]:
        """Put tasks that were under way back into the line; give up those that have ended too many workers.

        Raises:
            KitFault: workers end whatever they are given, so no submission is the cause.
        """
        for task, kills in self._pending.values():
            if kills + 1 < MOST_KILLS:
                self._lost.append((task, kills + 1))
                continue
            self._given_up += 1
            if self._given_up == MOST_IN_A_ROW:
                raise KitFault(
                    "worker processes end, whatever they are given",
                    advice="is there enough memory? run the same command again: what is done stays done",
                )
            yield Done(task.name, failure=GIVEN_UP)
        self._pending.clear()
        self._lost = deque(sorted(self._lost, key=lambda lost: -lost[1]))

    def _settled(self, task: Task, done: Done) -> Done:
        """Return the result of a task; if it is provisional, put the task to the end of the line, once."""
        if task.last or not done.provisional:
            return done
        self._last.append(replace(task, last=True))
        return replace(done, comes_again=True)

    def _hand_out(self, workers: Workers) -> None:
        """Hand out as many tasks as should be under way: fewer after one was lost once, single ones after two losses.

        A task that is ``last`` is handed out alone as well, when nothing else is left.
        """
        kills = max((kills for _, kills in (*self._lost, *self._pending.values())), default=0)
        at_once = max(1, workers.at_once())
        most = (at_once, max(1, at_once // (1 + AHEAD)), 1)[kills]
        while self._lost and len(self._pending) < most:
            self._submit(workers, *self._lost.popleft())
        if kills < MOST_KILLS - 1:
            while len(self._pending) < most and (task := next(self._tasks, None)):
                if task.last:
                    self._last.append(task)
                else:
                    self._submit(workers, task, 0)
        if self._last and not self._pending:
            self._submit(workers, self._last.popleft(), 0)

    def _submit(self, workers: Workers, task: Task, kills: int) -> None:
        try:
            future = workers.executor.submit(grade_task, task)
        except BrokenExecutor as error:
            future = Future()
            future.set_exception(error)
        self._pending[future] = (task, kills)
