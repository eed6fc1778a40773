"""Send submissions to a Dask cluster and take results back, as an executor."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import distributed
from distributed.scheduler import KilledWorker

from autograder.faults import KitFault
from autograder.submissions import UngradableSubmission
from autograder.submissions.submission_reading import read_raw_submission
from autograder.workers.cluster.dask_plugin import run_task_on_this_dask_worker
from autograder.workers.grading_tasks import GradingTask, GradingTaskResult


@dataclass(slots=True)
class _SentTask:
    """A task that was sent to the cluster."""

    function: Callable[..., Any]
    task: GradingTask
    future: Future[GradingTaskResult]
    remote_future: distributed.Future[GradingTaskResult] | None = None


class ClusterExecutor(Executor):
    """Sends each task with the submission's files, so that workers need no access to the submissions' folder."""

    def __init__(self, client: distributed.Client, batch_name: str, max_submission_bytes: int) -> None:
        """Prepare to send tasks; send none yet.

        Args:
            client: the client of the cluster.
            batch_name: the batch's name, and also the name of the resource that its workers offer.
            max_submission_bytes: how many bytes one submission may have.
        """
        self._client = client
        self._name = batch_name
        self._limit = max_submission_bytes
        self._numbers = itertools.count()
        self._sent: dict[int, _SentTask] = {}
        self._lock = threading.RLock()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Call ``function``, one of the kit's, with a task on some worker.

        Returns:
            A future of a ``GradingTaskResult``, whose ``kit_failure`` is set if the task ended its processes or
            workers. The future fails with ``KitFault`` if the cluster is gone.
        """
        (task,) = arguments
        sent = _SentTask(function, self._attach_files(task), Future())
        sent.future.set_running_or_notify_cancel()
        self._send(sent)
        return sent.future

    def resubmit_unfinished(self) -> None:
        """Send every unfinished task again. Call this when all workers left and others joined.

        Dask does not do that by itself. If a task waits for a resource that no worker offers, Dask does not look at
        it again when a worker begins to offer the resource.
        """
        with self._lock:
            waiting = list(self._sent.values())
            self._sent.clear()
            for sent in waiting:
                before = sent.remote_future
                self._send(sent)
                self._client.cancel([before], force=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancel the unfinished tasks."""
        with self._lock:
            waiting = [sent.remote_future for sent in self._sent.values()]
            self._sent.clear()
        self._client.cancel(waiting, force=True)

    def _send(self, sent: _SentTask) -> None:
        with self._lock:
            number = next(self._numbers)
            self._sent[number] = sent
            sent.remote_future = self._client.submit(
                run_task_on_this_dask_worker,
                self._name,
                sent.function,
                sent.task,
                key=f"{self._name}-{number}",
                resources={self._name: 1},
                pure=False,
            )
        sent.remote_future.add_done_callback(lambda remote: self._copy_finished_outcome(number, remote))

    def _copy_finished_outcome(self, number: int, remote: distributed.Future[GradingTaskResult]) -> None:
        with self._lock:
            sent = self._sent.pop(number, None)
        if sent is not None:  # otherwise it was sent again, or cancelled
            _copy_outcome(remote, sent.future, sent.task.name)

    def _attach_files(self, task: GradingTask) -> GradingTask:
        elsewhere = Path(task.path.name)
        if task.problem:
            return replace(task, path=elsewhere)
        try:
            return replace(task, path=elsewhere, raw_submission=read_raw_submission(task.path, self._limit))
        except UngradableSubmission as error:
            return replace(task, path=elsewhere, raw_submission=error)


def _copy_outcome(
    remote: distributed.Future[GradingTaskResult], future: Future[GradingTaskResult], name: str
) -> None:
    """Copy the outcome of a task on the cluster to the local future."""
    try:
        if remote.status == "finished":
            future.set_result(remote.result())
        elif remote.status == "error":
            future.set_result(GradingTaskResult(name, kit_failure=_describe_error(remote.exception())))
        else:
            raise KitFault("the cluster dropped the task")
    except Exception as error:
        fault = KitFault(f"the cluster failed: {error}", advice="run the same command again: what is done stays done")
        fault.__cause__ = error
        future.set_exception(fault)


def _describe_error(error: BaseException | None) -> str:
    if isinstance(error, KilledWorker):
        return f"{error.allowed_failures + 1} workers ended while they graded this submission"
    return str(error)
