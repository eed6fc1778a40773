"""End a pool that waits for a worker which has ended, so that another pool can be started."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Any

PATIENCE = 3.0
"""Seconds in which a pool should have seen for itself that a worker ended."""


class Watch:
    """Looks after a pool.

    A worker that is killed while it sends a result leaves half of it in the pipe. The pool then waits for the other
    half, which never comes, and so do all its workers.
    """

    def __init__(self, executor: ProcessPoolExecutor) -> None:
        self._executor: Any = executor  # what it waits for, and with whom, is no part of its interface
        self._since: float | None = None

    def look(self) -> None:
        """End the pool if a worker ended and the pool does not see it; pending results then fail."""
        workers = dict(self._executor._processes or {})
        ended = wait([worker.sentinel for worker in workers.values()], timeout=0)
        if not ended or self._executor._broken:
            self._since = None
        elif self._since is None:
            self._since = time.monotonic()
        elif time.monotonic() - self._since > PATIENCE:
            for worker in workers.values():
                with suppress(OSError, ValueError):
                    worker.kill()
            with suppress(OSError):
                self._executor._result_queue._writer.close()  # the last end through which the rest could come
