"""Admit the workers of a cluster that meet the requirements of a batch, while workers join and leave."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import distributed

from autograder.faults import CallerFault
from autograder.workers.cluster.dask_plugin import (
    remove_plugin_from_dask_worker,
    start_plugin_and_poll_refusal_reason,
)
from autograder.workers.cluster.worker_requirements import WorkerRequirements

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
