"""Keep track of the workers of a cluster that meet the standard, as they come and go."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import distributed

from autograder.batch.cluster.dask_plugin import await_worker_verdict, remove_plugin
from autograder.batch.cluster.worker_requirements import WorkerRequirements
from autograder.faults import CallerFault

LOOK_SECONDS = 1.0
FIRST_LOOK_SECONDS = 0.2
TELL_SECONDS = 5.0
"""Without a worker, after which the caller is told that there is none."""

Tell = Callable[[str], None]


class WorkerTracker:
    """The workers of one batch.

    Attributes:
        threads: how many submissions each grades at once, of those who are there and may.
        refused: why, of those who may not.
    """

    def __init__(
        self,
        client: distributed.Client,
        name: str,
        standard: WorkerRequirements,
        patience: float,
        notify: Tell,
        replaced: Callable[[], object],
    ) -> None:
        """Prepare to look for workers; know none yet.

        Args:
            client: the client of the cluster.
            name: the batch's name.
            standard: the standard that workers must meet.
            patience: seconds after which a submission's grading is given up.
            notify: told of what the caller should know.
            replaced: called when all earlier workers are gone, and others came.
        """
        self.threads: dict[str, int] = {}
        self.refused: dict[str, str] = {}
        self._client = client
        self._name = name
        self._terms = (standard, patience)
        self._tell = notify
        self._replaced = replaced
        self._before: set[str] = set()
        self._over = threading.Event()

    def count_grading_slots(self) -> int:
        """Return how many submissions are graded at once."""
        return sum(self.threads.values())

    def discover_workers(self) -> None:
        """Find the workers that are there, ask new ones for a verdict, and report those that may not grade."""
        there = self._client.nthreads()
        new = [one for one in there if one not in self.threads and one not in self.refused]
        answers = self._ask(new) if new else {}
        for worker, verdict in answers.items():
            if verdict:
                self.refused[worker] = verdict
                self._tell(f"left out: worker {worker}: {verdict}")
        may = {worker for worker, verdict in answers.items() if verdict == ""}
        self.threads = {one: count for one, count in there.items() if one in self.threads or one in may}
        if self.threads:
            before, self._before = self._before, {*self.threads}
            if before and not before & self._before:
                self._replaced()

    def _ask(self, workers: list[str]) -> dict[str, str | None]:
        """Return the verdict of each worker; None while it has none."""
        answers = self._client.run(await_worker_verdict, self._name, *self._terms, workers=workers, on_error="return")
        verdicts: dict[str, str | None] = {}
        for worker, answer in answers.items():
            if isinstance(answer, OSError):
                continue  # it is gone, or is not quite there
            verdicts[worker] = f"it cannot load the kit: {answer}" if isinstance(answer, Exception) else answer
        return verdicts

    def release_workers(self) -> None:
        """Tell all workers that the batch is over."""
        self._client.run(remove_plugin, self._name, on_error="ignore")

    def wait_for_usable_worker(self) -> None:
        """Wait until a worker may grade.

        Raises:
            CallerFault: workers are there, and none of them may grade.
        """
        soon = time.monotonic() + TELL_SECONDS
        while True:
            self.discover_workers()
            there = set(self._client.nthreads())
            if self.threads:
                return
            if there and there <= {*self.refused}:
                worker, why = next(iter(self.refused.items()))
                raise CallerFault(why, where=f"worker {worker}")
            if time.monotonic() > soon:
                soon = math.inf
                self._tell("waiting for a worker")
            time.sleep(FIRST_LOOK_SECONDS)

    @contextmanager
    def discover_in_background(self) -> Iterator[None]:
        """Go on looking for workers, in a thread, until the block exits."""
        thread = threading.Thread(target=self._watch, name="staff", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def _watch(self) -> None:
        seen = time.monotonic()
        while not self._over.wait(LOOK_SECONDS):
            try:
                self.discover_workers()
            except Exception:  # the scheduler is busy or gone: the tasks under way will say so, and in one place
                continue
            if self.threads:
                seen = time.monotonic()
            elif time.monotonic() - seen > TELL_SECONDS:
                seen = math.inf
                self._tell("no worker is left: waiting for one")
