"""Limit the time of a student's code: CPU time for what it computes, sleeping time for what it waits for."""

from __future__ import annotations

import math
import signal
import time
from dataclasses import dataclass

from autograder.bridge.student_exceptions import StudentTimeout
from autograder.sandbox import StudentProcess
from autograder.sandbox.processor_time import get_slowness, read_own_run_and_wait_seconds

MAX_SECONDS_BETWEEN_LOOKS = 0.025
"""Maximum seconds of sleep that one check may add: little more than the time between two checks."""
HELD_SECONDS = 0.045
"""Seconds between two checks, without those in which this process waited for a processor, from which on something
held this process, too: the machine stood still, or is limited by stopping it. That is no sleep of anybody's."""
STALLED_SECONDS = 60.0
"""Seconds on the wall in which a process neither ran nor slept nor waited for a processor: something holds it."""
SLEEPING_STATES = ("S", "Z")
"""States of a process that sleeps, or ended its main thread and lives on in others. A process that waits for the disk
or a processor does not count as asleep."""
STOPPED_STATES, STOPPED_SECONDS = ("T", "t"), 1.0
"""States of a process that a signal stopped, and for how long. What limits a machine's load does so for a moment."""
UNSEEN_SLEEP_SHARE = 0.25
"""The share of time asleep that counts where nobody looked: what stops the whole machine looks the same."""
TICK = 0.02
"""Seconds by which two counts of CPU time may differ: one is in steps of 10 ms."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """The time limits of one stretch of the student's code: a test, loading, reporting a location, or giving up.

    Attributes:
        cpu_seconds: CPU seconds of the reference machine.
        idle_seconds: seconds in which it sleeps, and could not have run on any machine.
        total_seconds_left: seconds of CPU time and sleep together that all tests of the submission may still take.
        grader_seconds_left: CPU seconds of the reference machine that the grader may still work on the answers.
        seconds_until_asked: CPU seconds, or seconds of sleep, of one request after which the process is first asked
            where its code is; None for never.
        single_sleep_seconds: seconds that one sleep may take.
        reload_seconds: those of ``cpu_seconds`` in which the kit may run the code anew; they are not the test's.
    """

    cpu_seconds: float
    idle_seconds: float
    total_seconds_left: float
    grader_seconds_left: float
    seconds_until_asked: float | None = None
    single_sleep_seconds: float = math.inf
    reload_seconds: float = 0.0


class TimeLimitClock:
    """Measures and limits the time of one test.

    The times are final once the clock was stopped.

    Attributes:
        limits: what it was started with.
        cpu_seconds: CPU seconds of the student's process since the start of the clock, of the reference machine.
        idle_seconds: seconds in which neither this process nor the student's worked.
        grader_cpu_seconds: likewise of this process: what a test and its answers cost the grader.
        was_asleep: whether the process was asleep when ``try_claim_location_query`` returned True.
        seconds_at_last_limit: the sum of ``cpu_seconds`` and ``idle_seconds`` at which the last limit was reached, or
            the process was due to be asked where its code is. A busy machine notices this later, and the student's
            code is not to blame for that.
    """

    def __init__(self, limits: TimeLimits, process: StudentProcess) -> None:
        """Start the clock.

        Args:
            limits: the time limits of the test.
            process: the student's.
        """
        self.cpu_seconds = self.idle_seconds = 0.0
        self.grader_cpu_seconds = 0.0
        self.was_asleep = False
        self.seconds_at_last_limit = math.inf
        self.limits, self._process = limits, process
        self._start = self._last_look = time.monotonic()
        self._ran_at_start, in_line = process.read_main_thread_times()
        self._served_at_start, self._own_waited = read_own_run_and_wait_seconds()
        self._busy_at_start = self._ran_at_start + in_line + self._served_at_start + self._own_waited
        self._other_seconds_at_start: float | None = None
        self._idle = self._slept_before = self._ran_before = self._not_counted = 0.0
        self._own_ran_before = self._all_ran_before = 0.0
        self._progress, self._progress_at = (0.0, 0.0), self._start
        self._sleep: int | None = None
        self._still_seconds = self._stopped_seconds = 0.0
        self._next_query_seconds = limits.seconds_until_asked
        self._begun_at = self._slept_at_begin = 0.0

    def raise_if_exceeded(self) -> None:
        """Raise if a limit was reached.

        Raises:
            StudentTimeout: with the limit as its cause.
        """
        limits = self.limits
        self._update_times()
        if self.cpu_seconds + self._idle > limits.total_seconds_left:
            raise StudentTimeout("submission", "all the time for this submission was used up")
        if self.grader_cpu_seconds > limits.grader_seconds_left:
            raise StudentTimeout("messages", "reading its answers takes far too long")
        if self.cpu_seconds > limits.cpu_seconds:
            self.seconds_at_last_limit = limits.cpu_seconds
            raise StudentTimeout("cpu", "it computed without an end, or far too long")
        if self._stopped_seconds > STOPPED_SECONDS:
            raise StudentTimeout("sleep", "it did nothing but wait", waits=True)
        if self._still_seconds > limits.single_sleep_seconds or self._idle > limits.idle_seconds:
            self.seconds_at_last_limit = self.cpu_seconds + limits.idle_seconds
            raise StudentTimeout("sleep", "it did nothing but wait", waits=True)
        if self._last_look - self._progress_at > STALLED_SECONDS:
            raise StudentTimeout("wall", "its process stood still")

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
        if self.limits.seconds_until_asked is not None:
            ran = self._process.read_main_thread_times()[0] - self._ran_at_start
            self._count_cpu_seconds(max(self._all_ran_before, ran))
            self._begun_at, self._slept_at_begin = self.cpu_seconds, self._idle
            self._next_query_seconds = self.limits.seconds_until_asked

    @property
    def cpu_and_sleep_seconds(self) -> tuple[float, float]:
        """Return CPU seconds and seconds of sleep, at the last check."""
        return self.cpu_seconds, self._idle

    def compute_cpu_and_sleep_since(self, earlier_cpu_and_sleep_seconds: tuple[float, float]) -> tuple[float, float]:
        """Return what was spent after ``earlier_cpu_and_sleep_seconds``, in the same order."""
        return self.cpu_seconds - earlier_cpu_and_sleep_seconds[0], self._idle - earlier_cpu_and_sleep_seconds[1]

    def stop_and_set_seconds(self) -> None:
        """Set ``cpu_seconds``, ``idle_seconds`` and the grader's own times."""
        ran, idle_seconds = self._read_times()
        self._count_cpu_seconds(max(self._all_ran_before, ran))
        self.idle_seconds = self._idle + UNSEEN_SLEEP_SHARE * max(0.0, idle_seconds - self._idle)

    def _update_times(self) -> None:
        """Count the time used since the last check."""
        last_look, self._last_look = self._last_look, time.monotonic()
        waited_before = self._own_waited
        ran, idle_seconds = self._read_times()
        interval = self._last_look - last_look
        is_held = interval - (self._own_waited - waited_before) > HELD_SECONDS
        seen_seconds = 0.0 if is_held else min(MAX_SECONDS_BETWEEN_LOOKS, interval)
        has_run, self._ran_before = ran > self._ran_before, ran
        all_threads_ran, state = self._process.read_cpu_seconds_and_state()
        others_ran = all_threads_ran - ran if all_threads_ran is not None else 0.0
        if self._other_seconds_at_start is None:  # what other threads used before this test is not counted
            self._other_seconds_at_start = others_ran + TICK
        self._count_cpu_seconds(ran + max(0.0, others_ran - self._other_seconds_at_start))
        self._not_counted += seen_seconds
        self._stopped_seconds = self._stopped_seconds + seen_seconds if state in STOPPED_STATES else 0.0
        if is_held:
            self._slept_before = max(self._slept_before, idle_seconds)
        elif state not in SLEEPING_STATES:  # it may wait for a processor: for how long is known once it runs
            idle_seconds = idle_seconds - interval if has_run else self._slept_before
        if idle_seconds > self._slept_before:
            self._idle += min(self._not_counted, idle_seconds - self._slept_before)
            self._slept_before, self._not_counted = idle_seconds, 0.0
        earlier_sleep, self._sleep = self._sleep, self._process.get_current_sleep_id_or_none()
        self._still_seconds = (
            self._still_seconds + seen_seconds if self._sleep is not None and self._sleep == earlier_sleep else 0.0
        )
        progress = self.cpu_seconds + self._idle, self._process.read_main_thread_times()[1]
        if progress != self._progress:
            self._progress, self._progress_at = progress, self._last_look

    def _count_cpu_seconds(self, all_threads_ran: float) -> None:
        """Add what the process and this one used since the last count, in seconds of the reference machine."""
        slowness = get_slowness()
        self.cpu_seconds += max(0.0, all_threads_ran - self._all_ran_before) / slowness
        self._all_ran_before = max(self._all_ran_before, all_threads_ran)
        own_ran = read_own_run_and_wait_seconds()[0] - self._served_at_start
        self.grader_cpu_seconds += max(0.0, own_ran - self._own_ran_before) / slowness
        self._own_ran_before = own_ran

    def _read_times(self) -> tuple[float, float]:
        """Return the main thread's CPU seconds, and seconds in which neither it nor this process ran or queued."""
        cpu_seconds, queued_seconds = self._process.read_main_thread_times()
        own_ran, self._own_waited = read_own_run_and_wait_seconds()
        busy_seconds = cpu_seconds + queued_seconds + own_ran + self._own_waited - self._busy_at_start
        elapsed = time.monotonic() - self._start
        return cpu_seconds - self._ran_at_start, elapsed - busy_seconds if cpu_seconds else 0.0


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
            # a quarter of each limit is left, whether it was exceeded or not
            self._still_seconds = self.limits.single_sleep_seconds * 0.75
            self._idle = self.limits.idle_seconds * 0.75
            self._process.send_signal(signal.SIGUSR2)
