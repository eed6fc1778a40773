"""Limit the time in which a submission is loaded."""

from __future__ import annotations

import math
import signal

from autograder.bridge.student_exceptions import StudentTimeout
from autograder.bridge.time_limit_clock import TimeLimitClock, TimeLimits
from autograder.sandbox import StudentProcess

OVERTIME_SECONDS = 0.2
"""CPU seconds for the definitions below the code that used up all the time for loading."""
LOAD_SLACK = 0.15
"""CPU seconds beyond the other limits before the process is killed; it is expected to stop by itself."""
IDLE_SECONDS = 0.4
"""Seconds of sleep after which the process is told to go on with the next statement."""
MOST_TOLD = 3
"""How often the process is told so at most."""
LIBRARY_SECONDS = 3.0
"""CPU seconds, and further multiples of the limit, for loading what the program imports of the library."""
COMPILE_SECONDS = 3e-6
"""CPU seconds for each character of the source; no student's code runs meanwhile."""


class LoadingTimeLimitClock(TimeLimitClock):
    """A clock like a test's, except that it tells a sleeping process to leave the current statement."""

    def __init__(
        self, seconds: float, grader_seconds_left: float, process: StudentProcess, source_characters: int
    ) -> None:
        """Start the clock.

        Args:
            seconds: CPU time that all statements may take together.
            grader_seconds_left: see ``TimeLimits``.
            process: the student's.
            source_characters: how many the source has.
        """
        cpu = (
            LIBRARY_SECONDS * (1 + seconds)
            + seconds
            + OVERTIME_SECONDS
            + LOAD_SLACK
            + COMPILE_SECONDS * source_characters
        )
        self._reported_count = 0
        self._interruptible = process
        super().__init__(
            TimeLimits(cpu, IDLE_SECONDS, math.inf, grader_seconds_left, single_sleep_seconds=IDLE_SECONDS),
            process,
        )

    def raise_if_exceeded(self) -> None:
        """Raise if a limit was reached; a process that sleeps is first told to go on. See ``TimeLimitClock``."""
        try:
            super().raise_if_exceeded()
        except StudentTimeout as stopped:
            if not stopped.waits or self._reported_count == MOST_TOLD:
                raise
            self._reported_count += 1
            self.leave_quarter_of_sleep_limits()
            self._interruptible.send_signal(signal.SIGUSR2)
