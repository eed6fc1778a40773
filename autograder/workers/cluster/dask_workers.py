"""Open workers of a Dask cluster for a batch, admit those that match this machine, and send them submissions."""

from __future__ import annotations

import itertools
import math
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dask
import distributed
from distributed.scheduler import KilledWorker

from autograder.course import Assignment
from autograder.faults import CallerFault, KitFault
from autograder.sandbox import SandboxConfig
from autograder.submissions import UngradableSubmission
from autograder.submissions.submission_files import read_raw_submission
from autograder.workers.cluster.dask_plugin import (
    WorkerRequirements,
    get_worker_requirements,
    remove_plugin_from_dask_worker,
    run_task_in_grading_process,
    start_plugin_and_poll_refusal_reason,
)
from autograder.workers.grading_tasks import GradingExecutor, GradingTask, GradingTaskResult
from autograder.workers.local_workers import compute_seconds_until_stuck

SECONDS_BETWEEN_LOOKS = 1.0
FIRST_LOOK_SECONDS = 0.2
TELL_SECONDS = 5.0
"""Seconds without a worker after which the caller gets a message."""

ShowMessage = Callable[[str], None]


class BatchWorkerAdmission:
    """Finds the workers that a batch may use, refuses those that do not meet its requirements, and counts slots.

    Attributes:
        slots_by_worker: for each present, admitted worker, how many submissions it grades at once.
        refused_workers: for each refused worker, the reason.
    """

    def __init__(
        self,
        client: distributed.Client,
        batch_name: str,
        requirements: WorkerRequirements,
        seconds_until_stuck: float,
        show_message: ShowMessage,
        on_workers_replaced: Callable[[], object],
    ) -> None:
        """Prepare to discover workers; contact none yet.

        Args:
            client: the client of the cluster.
            batch_name: the batch's name.
            requirements: what workers must have in common with this machine.
            seconds_until_stuck: seconds after which a submission's grading is given up.
            show_message: receives messages for the caller.
            on_workers_replaced: called when all earlier workers are gone and others have joined.
        """
        self.slots_by_worker: dict[str, int] = {}
        self.refused_workers: dict[str, str] = {}
        self._client = client
        self._batch_name = batch_name
        self._plugin_arguments = (requirements, seconds_until_stuck)
        self._show_message = show_message
        self._on_workers_replaced = on_workers_replaced
        self._last_workers: set[str] = set()
        self._stop_event = threading.Event()

    def count_grading_slots(self) -> int:
        """Return how many submissions the admitted workers grade at once."""
        return sum(self.slots_by_worker.values())

    def _discover_and_prepare_workers(self) -> None:
        """Find the present workers, prepare new ones, and report refused ones."""
        thread_counts = self._client.nthreads()
        new_workers = [
            worker
            for worker in thread_counts
            if worker not in self.slots_by_worker and worker not in self.refused_workers
        ]
        verdicts = self._ask_for_refusals(new_workers) if new_workers else {}
        for worker, verdict in verdicts.items():
            if verdict:
                self.refused_workers[worker] = verdict
                self._show_message(f"worker {worker} was rejected: {verdict}")
        admitted_workers = {worker for worker, verdict in verdicts.items() if verdict == ""}
        self.slots_by_worker = {
            worker: count
            for worker, count in thread_counts.items()
            if worker in self.slots_by_worker or worker in admitted_workers
        }
        if self.slots_by_worker:
            old_workers, self._last_workers = self._last_workers, {*self.slots_by_worker}
            if old_workers and not old_workers & self._last_workers:
                self._on_workers_replaced()

    def _ask_for_refusals(self, workers: list[str]) -> dict[str, str | None]:
        """Return the verdict of each worker; None while it has none."""
        answers = self._client.run(
            start_plugin_and_poll_refusal_reason,
            self._batch_name,
            *self._plugin_arguments,
            workers=workers,
            on_error="return",
        )
        verdicts: dict[str, str | None] = {}
        for worker, answer in answers.items():
            if isinstance(answer, OSError):
                continue  # it has left, or is still starting
            verdicts[worker] = (
                f"the worker cannot load the kit: {answer}" if isinstance(answer, Exception) else answer
            )
        return verdicts

    def remove_batch_plugin(self) -> None:
        """Remove the batch's plugin from all workers, at the end of the batch."""
        self._client.run(remove_plugin_from_dask_worker, self._batch_name, on_error="ignore")

    def wait_for_admitted_worker(self) -> None:
        """Wait until a worker is admitted.

        Raises:
            CallerFault: workers are present, and all of them are refused.
        """
        next_message_at = time.monotonic() + TELL_SECONDS
        while True:
            self._discover_and_prepare_workers()
            present_workers = set(self._client.nthreads())
            if self.slots_by_worker:
                return
            if present_workers and present_workers <= {*self.refused_workers}:
                worker, reason = next(iter(self.refused_workers.items()))
                raise CallerFault(
                    f"every worker was rejected: {reason}",
                    where=f"worker {worker}",
                    advice="start workers that match this machine",
                )
            if time.monotonic() > next_message_at:
                next_message_at = math.inf
                self._show_message("waiting for a worker")
            time.sleep(FIRST_LOOK_SECONDS)

    @contextmanager
    def discover_in_background(self) -> Iterator[None]:
        """Discover workers in a thread until the block exits."""
        thread = threading.Thread(target=self._watch_workers, name="worker-admission", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop_event.set()
            thread.join()

    def _watch_workers(self) -> None:
        last_seen_at, last_message = time.monotonic(), ""
        while not self._stop_event.wait(SECONDS_BETWEEN_LOOKS):
            try:
                self._discover_and_prepare_workers()
            except OSError:  # the scheduler is busy or gone; the running tasks report that
                continue
            except Exception as error:
                if str(error) != last_message:
                    last_message = str(error)
                    self._show_message(f"new workers cannot be admitted: {last_message}")
                continue
            if self.slots_by_worker:
                last_seen_at = time.monotonic()
            elif time.monotonic() - last_seen_at > TELL_SECONDS:
                last_seen_at = math.inf
                self._show_message("no worker is left: waiting for one")


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


TASKS_QUEUED_PER_SLOT = 2
"""Tasks sent per thread beyond its current one, so that a worker need not wait for its next submission."""
CONNECT_SECONDS = 10


@contextmanager
def open_dask_workers(
    assignment: Assignment,
    sandbox: SandboxConfig,
    *,
    scheduler_address: str,
    course_path_on_worker: Path | None,
    show_message: ShowMessage,
) -> Iterator[GradingExecutor]:
    """Open the workers of a scheduler that runs already.

    Args:
        assignment: the assignment that is graded.
        sandbox: its tier is the one that workers must offer.
        scheduler_address: the scheduler's address.
        course_path_on_worker: where the course lies on the workers; at the same path as here when None.
        show_message: receives messages for the caller.

    Raises:
        CallerFault: no scheduler answers, or all workers are refused.
    """
    try:
        client = distributed.Client(
            scheduler_address, timeout=CONNECT_SECONDS, set_as_default=False, name="autograder"
        )
    except (OSError, ValueError) as error:
        raise CallerFault(
            "no Dask scheduler answers at this address",
            where=scheduler_address,
            advice="start one, or correct --scheduler",
        ) from error
    with (
        client,
        open_workers_of_dask_client(client, assignment, sandbox, course_path_on_worker, show_message) as workers,
    ):
        yield workers


@contextmanager
def open_workers_of_dask_client(
    client: distributed.Client,
    assignment: Assignment,
    sandbox: SandboxConfig,
    course_path_on_worker: Path | None,
    show_message: ShowMessage,
) -> Iterator[GradingExecutor]:
    """Prepare every worker of a cluster, now and later, to grade an assignment. See ``open_dask_workers``."""
    name = f"autograder-{uuid.uuid4().hex[:12]}"
    requirements = get_worker_requirements(assignment, sandbox, course_path_on_worker)
    executor = ClusterExecutor(client, name, assignment.limits.submission_mb * 2**20)
    admission = BatchWorkerAdmission(
        client,
        name,
        requirements,
        compute_seconds_until_stuck(assignment.limits),
        show_message,
        executor.resubmit_unfinished,
    )
    with dask.config.set(
        {"distributed.admin.large-graph-warning-threshold": "1 GB"}
    ):  # a large notebook is no mistake
        try:
            admission.wait_for_admitted_worker()
            with admission.discover_in_background():
                yield GradingExecutor(
                    executor, lambda: max(1, admission.count_grading_slots() * (1 + TASKS_QUEUED_PER_SLOT))
                )
        finally:
            executor.shutdown(cancel_futures=True)
            if client.status == "running":  # otherwise the scheduler and its workers are gone
                with suppress(OSError):
                    admission.remove_batch_plugin()
