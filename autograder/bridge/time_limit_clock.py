"""Limit the time of a student's code: CPU time for what it computes, sleeping time for what it waits for.

Only the emergency brake counts time on the wall alone: a busy machine must not use up a process's time.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Protocol

from autograder.bridge.student_exceptions import StudentTimeout
from autograder.sandbox.thread_schedstat import read_own_run_and_wait_seconds

FEWEST_SECONDS = 0.1
SINGLE_SLEEP_SECONDS = 0.2
"""How long one sleep of a process may be before the process is taken to wait for something that never comes."""
MAX_SECONDS_BETWEEN_LOOKS = 0.025
"""Maximum seconds of sleep that one check may add: little more than the time between two checks. A machine that stood
still looks like a sleep."""
SLEEPING_STATES = ("S", "T", "t", "Z")
"""States of a process that sleeps, was stopped, or ended its main thread and lives on in others. A process that waits
for the disk or a processor does not count as asleep."""
TICK = 0.02
"""Seconds by which two counts of CPU time may differ: one is in steps of 10 ms."""


class ClockedProcess(Protocol):
    """The parts of a process that a clock reads."""

    def read_cpu_seconds_and_state(self) -> tuple[float | None, str]:
        """Return the CPU time of all threads so far, in steps, and its state's letter; None if nothing is known."""

    def read_main_thread_times(self) -> tuple[float, float]:
        """Return the seconds in which the main thread ran, and waited for a processor; zeros if nothing is known."""

    def get_current_sleep_id_or_none(self) -> int | None:
        """Return an id of the process's current sleep; None if it is awake."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """The time limits of one stretch of the student's code: a test, loading, reporting a location, or giving up.

    Attributes:
        cpu_seconds: CPU seconds.
        idle_seconds: seconds in which it sleeps, and could not have run on any machine.
        total_seconds_left: seconds of CPU time and sleep together that all tests of the submission may still take,
            the grader's work on them included.
        wall_seconds: wall-clock seconds that it may take, however busy the machine is.
        seconds_until_asked: CPU seconds, or seconds of sleep, of one request after which the process is first asked
            where its code is; None for never.
        single_sleep_seconds: seconds that one sleep may take.
    """

    cpu_seconds: float
    idle_seconds: float
    total_seconds_left: float
    wall_seconds: float
    seconds_until_asked: float | None = None
    single_sleep_seconds: float = SINGLE_SLEEP_SECONDS


class TimeLimitClock:
    """Measures and limits the time of one test.

    The times are final once the clock was stopped.

    Attributes:
        wall_seconds: seconds that passed between the start and the stop of the clock.
        cpu_seconds: CPU seconds of the student's process since the start of the clock.
        idle_seconds: seconds in which neither this process nor the student's worked.
        grader_cpu_seconds: CPU seconds of this process: what a test and its answers cost the grader.
        grader_wait_seconds: seconds in which this process waited for a processor, and could not check the clock.
        was_asleep: whether the process was asleep when ``try_claim_location_query`` returned True.
        seconds_at_last_limit: the sum of ``cpu_seconds`` and ``idle_seconds`` at which the last limit was reached, or
            the process was due to be asked where its code is. A busy machine notices this later, and the student's
            code is not to blame for that.
    """

    def __init__(self, limits: TimeLimits, process: ClockedProcess) -> None:
        """Start the clock.

        Args:
            limits: the time limits of the test.
            process: the student's.
        """
        self.wall_seconds = self.cpu_seconds = self.idle_seconds = 0.0
        self.grader_cpu_seconds = self.grader_wait_seconds = 0.0
        self.was_asleep = False
        self.seconds_at_last_limit = math.inf
        self._limits, self._process = limits, process
        self._start = self._last_look = time.monotonic()
        self._ran_at_start, in_line = process.read_main_thread_times()
        self._served_at_start, self._waited_at_start = read_own_run_and_wait_seconds()
        self._busy_at_start = self._ran_at_start + in_line + self._served_at_start + self._waited_at_start
        self._other_seconds_at_start: float | None = None
        self._idle = self._slept_before = self._ran_before = self._not_counted = 0.0
        self._sleep: int | None = None
        self._still_seconds = 0.0
        self._next_query_seconds = limits.seconds_until_asked
        self._begun_at = self._slept_at_begin = 0.0

    def raise_if_exceeded(self) -> None:
        """Raise if a limit was reached.

        Raises:
            StudentTimeout: with the limit as its cause.
        """
        limits, wall_seconds = self._limits, self._update_times()
        if self.cpu_seconds + self._idle + self.grader_cpu_seconds > limits.total_seconds_left:
            raise StudentTimeout("submission", "all the time for this submission was used up")
        if self.cpu_seconds > limits.cpu_seconds:
            self.seconds_at_last_limit = limits.cpu_seconds
            raise StudentTimeout("cpu", "it computed without an end, or far too long")
        if self._still_seconds > limits.single_sleep_seconds or self._idle > limits.idle_seconds:
            self.seconds_at_last_limit = self.cpu_seconds + limits.idle_seconds
            raise StudentTimeout("sleep", "it did nothing but wait", waits=True)
        if wall_seconds > limits.wall_seconds:
            raise StudentTimeout("wall", "it took too long")

    def try_claim_location_query(self) -> bool:
        """Return whether to ask now where the code is: it may be where an earlier test ended."""
        asks_after = self._next_query_seconds
        if asks_after is None:
            return False
        self.was_asleep = self._sleep is not None and self._still_seconds >= asks_after
        cpu_seconds = self.cpu_seconds - self._begun_at
        if not self.was_asleep and cpu_seconds < asks_after:
            return False
        self.seconds_at_last_limit = self._begun_at + self._slept_at_begin + asks_after
        self._next_query_seconds = 2 * asks_after  # not twice the time used, since a busy machine checks late
        return True

    def restart_location_query_timer(self) -> None:
        """Restart the timer of the query where the code is; call this when a request is sent.

        Starting it at the first check would be too late: on a busy machine, the request has used its time by then.
        """
        if self._limits.seconds_until_asked is not None:
            thread_seconds, _ = self._process.read_main_thread_times()
            self._begun_at, self._slept_at_begin = (
                max(self.cpu_seconds, thread_seconds - self._ran_at_start),
                self._idle,
            )
            self._next_query_seconds = self._limits.seconds_until_asked

    @property
    def cpu_and_sleep_seconds(self) -> tuple[float, float]:
        """Return CPU seconds and seconds of sleep, at the last check."""
        return self.cpu_seconds, self._idle

    def compute_cpu_and_sleep_since(self, earlier_cpu_and_sleep_seconds: tuple[float, float]) -> tuple[float, float]:
        """Return what was spent after ``earlier_cpu_and_sleep_seconds``, in the same order."""
        return self.cpu_seconds - earlier_cpu_and_sleep_seconds[0], self._idle - earlier_cpu_and_sleep_seconds[1]

    def compute_wall_timeout(self) -> float:
        """Return the seconds until the wall-clock limit, at least ``FEWEST_SECONDS``.

        They are enough unless the code waits on purpose.
        """
        elapsed = time.monotonic() - self._start
        return max(FEWEST_SECONDS, self._limits.wall_seconds - elapsed)

    def leave_quarter_of_sleep_limits(self) -> None:
        """Set the sleep counted so far to three quarters of each sleep limit, whether it was more or less."""
        self._still_seconds = self._limits.single_sleep_seconds * 0.75
        self._idle = self._limits.idle_seconds * 0.75

    def stop_and_set_seconds(self) -> None:
        """Set ``wall_seconds``, ``cpu_seconds``, ``idle_seconds`` and the grader's own times."""
        self.wall_seconds = time.monotonic() - self._start
        cpu_seconds, idle_seconds = self._read_times()
        self.cpu_seconds = max(self.cpu_seconds, cpu_seconds)
        self.idle_seconds = max(self._idle, idle_seconds)

    def _update_times(self) -> float:
        """Count the time used since the last check; return the seconds since the test began."""
        last_look, self._last_look = self._last_look, time.monotonic()
        interval, elapsed = min(MAX_SECONDS_BETWEEN_LOOKS, self._last_look - last_look), self._last_look - self._start
        cpu_seconds, idle_seconds = self._read_times()
        has_run, self._ran_before = cpu_seconds > self._ran_before, cpu_seconds
        process_cpu_seconds, state = self._process.read_cpu_seconds_and_state()
        other_cpu_seconds = process_cpu_seconds - cpu_seconds if process_cpu_seconds is not None else 0.0
        if self._other_seconds_at_start is None:  # what other threads used before this test is not counted
            self._other_seconds_at_start = other_cpu_seconds + TICK
        self.cpu_seconds = cpu_seconds + max(0.0, other_cpu_seconds - self._other_seconds_at_start)
        self._not_counted += interval
        if state not in SLEEPING_STATES:  # it may wait for a processor: for how long is known once it runs
            idle_seconds = idle_seconds - (self._last_look - last_look) if has_run else self._slept_before
        if idle_seconds > self._slept_before:
            self._idle += min(self._not_counted, idle_seconds - self._slept_before)
            self._slept_before, self._not_counted = idle_seconds, 0.0
        earlier_sleep, self._sleep = self._sleep, self._process.get_current_sleep_id_or_none()
        self._still_seconds = (
            self._still_seconds + interval if self._sleep is not None and self._sleep == earlier_sleep else 0.0
        )
        return elapsed

    def _read_times(self) -> tuple[float, float]:
        """Return the main thread's CPU seconds, and seconds in which neither it nor this process ran or queued."""
        cpu_seconds, queued_seconds = self._process.read_main_thread_times()
        grader_cpu_seconds, grader_wait_seconds = read_own_run_and_wait_seconds()
        self.grader_cpu_seconds = grader_cpu_seconds - self._served_at_start
        self.grader_wait_seconds = grader_wait_seconds - self._waited_at_start
        busy_seconds = cpu_seconds + queued_seconds + grader_cpu_seconds + grader_wait_seconds - self._busy_at_start
        elapsed = time.monotonic() - self._start
        return cpu_seconds - self._ran_at_start, elapsed - busy_seconds if cpu_seconds else 0.0
