"""Submissions to a Dask cluster, results back, as an executor."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import distributed
from distributed.scheduler import KilledWorker

from autograder.batch.cluster.plugin import grade_remotely
from autograder.batch.work import Done, Task
from autograder.faults import KitFault
from autograder.submissions import Unreadable
from autograder.submissions.read import collect


class ClusterExecutor(Executor):
    """Sends each task with the files it is about: no worker has to see the folder of submissions."""

    def __init__(self, client: distributed.Client, name: str, limit: int) -> None:
        """Nothing is sent yet.

        Args:
            client: of the cluster.
            name: the batch's, which is also that of the resource that its workers offer.
            limit: bytes that one submission may have.
        """
        self._client = client
        self._name = name
        self._limit = limit
        self._numbers = itertools.count()
        self._remote: dict[int, distributed.Future[Done]] = {}

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Have ``work`` done on a task, somewhere; it is a function of the kit's.

        Returns:
            A future of a ``Done``: a failure where workers died of it.
        """
        (task,) = arguments
        number = next(self._numbers)
        remote = self._client.submit(
            grade_remotely,
            self._name,
            work,
            self._with_files(task),
            key=f"{self._name}-{number}",
            resources={self._name: 1},
            pure=False,
        )
        future: Future[Done] = Future()
        future.set_running_or_notify_cancel()
        self._remote[number] = remote

        def finished(remote: distributed.Future[Done]) -> None:
            self._remote.pop(number, None)
            _hand_on(remote, future, task.name)

        remote.add_done_callback(finished)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Give up what is not done."""
        self._client.cancel(list(self._remote.values()), force=True)

    def _with_files(self, task: Task) -> Task:
        elsewhere = Path(task.path.name)
        if task.problem:
            return replace(task, path=elsewhere)
        try:
            return replace(task, path=elsewhere, collected=collect(task.path, self._limit))
        except Unreadable as error:
            return replace(task, path=elsewhere, collected=error)


def _hand_on(remote: distributed.Future[Done], future: Future[Done], name: str) -> None:
    """What came of a task on the cluster, to who waits for it here."""
    try:
        if remote.status == "finished":
            future.set_result(remote.result())
        elif remote.status == "error":
            future.set_result(Done(name, failure=_told(remote.exception())))
        else:
            raise KitFault("the cluster gave the task up")
    except Exception as error:
        fault = KitFault(
            f"the cluster is gone: {error}", advice="run the same command again: what is done stays done"
        )
        fault.__cause__ = error
        future.set_exception(fault)


def _told(error: BaseException | None) -> str:
    if isinstance(error, KilledWorker):
        return f"{error.allowed_failures + 1} workers ended while they graded it"
    return str(error)
