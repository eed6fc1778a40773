"""When a student's code has had its time: CPU time for what it computes, waiting time for everything."""

from __future__ import annotations

import time
from collections.abc import Callable

from autograder.bridge.errors import StudentTimeout

FEWEST_SECONDS = 0.1


class Clock:
    """The time of one test.

    Attributes:
        waited: seconds that passed since the test began, once ``stop`` was called.
    """

    def __init__(self, cpu: float, wall: float, left: float, cpu_used: Callable[[], float | None]) -> None:
        """Start it.

        Args:
            cpu: CPU seconds that the test may use.
            wall: seconds that it may take.
            left: seconds that all tests of the submission may still take.
            cpu_used: the process's CPU time so far.
        """
        self.waited = 0.0
        self._cpu_limit, self._wall_limit, self._left = cpu, wall, left
        self._cpu_used = cpu_used
        self._cpu_at_start: float | None = None
        self._start = time.monotonic()

    def check(self) -> None:
        """Raise if a limit was reached.

        Raises:
            StudentTimeout: with the limit as its cause.
        """
        waited = time.monotonic() - self._start
        if waited > self._left:
            raise StudentTimeout("submission", "all the time for this submission was used up")
        used = self._cpu_used()
        if self._cpu_at_start is None:
            self._cpu_at_start = used  # the first look comes so early that the test has used next to nothing
        elif used is not None and used - self._cpu_at_start > self._cpu_limit:
            raise StudentTimeout("cpu", f"it computed for more than {self._cpu_limit:g} s without an end")
        if waited > self._wall_limit:
            raise StudentTimeout("wall", f"it took more than {self._wall_limit:g} s")

    def left(self) -> float:
        """Seconds until the next limit on waiting; none too few for whoever does not wait on purpose."""
        waited = time.monotonic() - self._start
        return max(FEWEST_SECONDS, min(self._left, self._wall_limit) - waited)

    def stop(self) -> None:
        """Note how long it was."""
        self.waited = time.monotonic() - self._start
