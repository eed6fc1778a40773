"""Send marks to a real platform from a process that is killed again and again, in the middle of whatever it does."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder.batch.batch_location import BatchLocation
from autograder.web.store.lti.tables import OutboxMark
from autograder.web.store.server_store import open_server_store

ROOT = Path(__file__).parents[3]


@dataclass
class KilledSender:
    """A sender for the store of a place.

    Attributes:
        place: the store, and the tool's keys.
        accidents: how often something happens to a message, from 0 to 1.
        chance: says when it is killed.
        most_between: how many messages it sends between two kills, at the most.
    """

    place: BatchLocation
    accidents: float
    chance: random.Random
    most_between: int = 8

    def list_marks(self) -> list[OutboxMark]:
        with open_server_store(self.place) as store:
            return store.mark_outbox.list_marks("")

    def kill_in_the_middle(self) -> None:
        """Let it send some marks, and kill it."""
        begun = self._count_sent()
        wanted = begun + self.chance.randint(1, self.most_between)
        self._run_until(lambda: self._count_sent() >= wanted or self._is_done(), 600)

    def send_the_rest(self, seconds: float) -> None:
        """Let it send until nothing waits."""
        self._run_until(self._is_done, seconds)

    def _count_sent(self) -> int:
        with open_server_store(self.place) as store:
            return len(store.audit.load_audit_rows("", "toy"))

    def _is_done(self) -> bool:
        return {one.state for one in self.list_marks()} == {"sent"}

    def _run_until(self, condition: Callable[[], bool], seconds: float) -> None:
        url = self.place.store_option or f"sqlite:///{self.place.output_folder / 'results.sqlite'}"
        places = [url, str(self.place.output_folder)]
        command = [sys.executable, "-m", "tests.web.lti.sending_process", *places, str(self.accidents)]
        with subprocess.Popen(command, cwd=ROOT) as process:
            end = time.monotonic() + seconds
            try:
                while not condition():
                    assert process.poll() is None
                    assert time.monotonic() < end, [one for one in self.list_marks() if one.state != "sent"]
                    time.sleep(0.02)
            finally:
                os.kill(process.pid, signal.SIGKILL)
