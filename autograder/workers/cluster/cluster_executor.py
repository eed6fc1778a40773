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
from autograder.submissions.raw_submission import read_raw_submission
from autograder.workers.cluster.dask_plugin import run_task_in_grading_process
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
        self._batch_name = batch_name
        self._max_submission_bytes = max_submission_bytes
        self._numbers = itertools.count()
        self._sent_tasks: dict[int, _SentTask] = {}
        self._lock = threading.RLock()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Call ``function``, one of the kit's, with a task on some worker.

        Returns:
            A future of a ``GradingTaskResult``, whose ``kit_failure`` is set if the task ended workers. It fails with
            ``WorkerEnded`` if the task ended its process, and with ``KitFault`` if the cluster is gone.
        """
        (task,) = arguments
        sent_task = _SentTask(function, self._attach_files(task), Future())
        sent_task.future.set_running_or_notify_cancel()
        self._send_task(sent_task)
        return sent_task.future

    def resubmit_unfinished(self) -> None:
        """Send every unfinished task again. Call this when all workers left and others joined.

        Dask does not do that by itself. If a task waits for a resource that no worker offers, Dask does not look at
        it again when a worker begins to offer the resource.
        """
        with self._lock:
            sent_tasks = list(self._sent_tasks.values())
            self._sent_tasks.clear()
            for sent_task in sent_tasks:
                old_future = sent_task.remote_future
                self._send_task(sent_task)
                self._client.cancel([old_future], force=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancel the unfinished tasks."""
        with self._lock:
            remote_futures = [sent_task.remote_future for sent_task in self._sent_tasks.values()]
            self._sent_tasks.clear()
        self._client.cancel(remote_futures, force=True)

    def _send_task(self, sent_task: _SentTask) -> None:
        with self._lock:
            number = next(self._numbers)
            self._sent_tasks[number] = sent_task
            sent_task.remote_future = self._client.submit(
                run_task_in_grading_process,
                self._batch_name,
                sent_task.function,
                sent_task.task,
                key=f"{self._batch_name}-{number}",
                resources={self._batch_name: 1},
                pure=False,
            )
        sent_task.remote_future.add_done_callback(
            lambda remote_future: self._copy_finished_outcome(number, remote_future)
        )

    def _copy_finished_outcome(self, number: int, remote_future: distributed.Future[GradingTaskResult]) -> None:
        with self._lock:
            sent_task = self._sent_tasks.pop(number, None)
        if sent_task is not None:  # otherwise it was sent again, or cancelled
            _copy_outcome(remote_future, sent_task.future, sent_task.task.name)

    def _attach_files(self, task: GradingTask) -> GradingTask:
        relative_path = Path(task.path.name)
        if task.problem:
            return replace(task, path=relative_path)
        try:
            return replace(
                task, path=relative_path, raw_submission=read_raw_submission(task.path, self._max_submission_bytes)
            )
        except UngradableSubmission as error:
            return replace(task, path=relative_path, raw_submission=error)


def _copy_outcome(
    remote_future: distributed.Future[GradingTaskResult], future: Future[GradingTaskResult], name: str
) -> None:
    """Copy the outcome of a task on the cluster to the local future."""
    try:
        error = remote_future.exception() if remote_future.status == "error" else None
        if isinstance(error, KilledWorker):
            failure = f"{error.allowed_failures + 1} workers ended while they graded this submission"
            future.set_result(GradingTaskResult(name, kit_failure=failure))
        elif error is not None:
            future.set_exception(error)
        elif remote_future.status == "finished":
            future.set_result(remote_future.result())
        else:
            raise KitFault("the cluster dropped the task")
    except Exception as error:
        fault = KitFault(f"the cluster failed: {error}", advice="run the same command again: what is done stays done")
        fault.__cause__ = error
        future.set_exception(fault)
