"""Who grades: the workers of a cluster that meet the standard, as they come and go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import distributed

from autograder.batch.cluster.plugin import verdict_of
from autograder.faults import CallerFault

LOOK_SECONDS = 1.0
PATIENT_LOOKS = 3
"""Looks without a worker before the caller is told that there is none."""

Tell = Callable[[str], None]


class Staff:
    """The workers of one batch.

    Attributes:
        threads: how many submissions each grades at once, of those who are there and may.
        refused: why, of those who may not.
    """

    def __init__(
        self, client: distributed.Client, name: str, tell: Tell, replaced: Callable[[], object] = lambda: None
    ) -> None:
        """Nobody is known yet.

        Args:
            client: of the cluster.
            name: the batch's.
            tell: told of what the caller should know.
            replaced: called when all who were there before are gone, and others came.
        """
        self.threads: dict[str, int] = {}
        self.refused: dict[str, str] = {}
        self._client = client
        self._name = name
        self._tell = tell
        self._replaced = replaced
        self._before: set[str] = set()
        self._over = threading.Event()

    def size(self) -> int:
        """How many submissions are graded at once."""
        return sum(self.threads.values())

    def look(self) -> None:
        """See who is there, and ask those who are new; tells of those who may not grade."""
        there = self._client.nthreads()
        new = [one for one in there if one not in self.threads and one not in self.refused]
        answers = self._client.run(verdict_of, self._name, workers=new, on_error="return") if new else {}
        for worker, verdict in answers.items():
            if isinstance(verdict, str) and verdict:
                self.refused[worker] = verdict
                self._tell(f"left out: worker {worker}: {verdict}")
        may = {worker for worker, verdict in answers.items() if verdict == ""}
        self.threads = {one: count for one, count in there.items() if one in self.threads or one in may}
        if self.threads:
            before, self._before = self._before, {*self.threads}
            if before and not before & self._before:
                self._replaced()

    def gather(self) -> None:
        """Wait until somebody may grade.

        Raises:
            CallerFault: workers are there, and none of them may.
        """
        for looks in range(1 << 30):
            self.look()
            there = set(self._client.nthreads())
            if self.threads:
                return
            if there and there <= {*self.refused}:
                worker, why = next(iter(self.refused.items()))
                raise CallerFault(why, where=f"worker {worker}")
            if looks == PATIENT_LOOKS:
                self._tell("waiting for a worker")
            self._over.wait(LOOK_SECONDS)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Go on looking, in a thread, for as long as this is open."""
        thread = threading.Thread(target=self._watch, name="staff", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def _watch(self) -> None:
        alone = 0
        while not self._over.wait(LOOK_SECONDS):
            try:
                self.look()
            except Exception:  # the scheduler is busy or gone: the tasks under way will say so, and in one place
                continue
            alone = 0 if self.threads else alone + 1
            if alone == PATIENT_LOOKS:
                self._tell("no worker is left: waiting for one")
