"""Limit the time of one submission: of all its tests together, and of each single test.

A correct engine needs a hundredth of all this. See docs/decisions/0037-what-hangs-is-cheap.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from autograder.bridge.hang_location import SourceLocation
from autograder.bridge.loading_time_limit_clock import LoadingTimeLimitClock
from autograder.bridge.student_exceptions import StudentStopped, StudentTimeout
from autograder.bridge.time_limit_clock import SINGLE_SLEEP_SECONDS, TimeLimitClock, TimeLimits
from autograder.course import Limits
from autograder.sandbox import StudentProcess
from autograder.sandbox.thread_schedstat import read_own_run_and_wait_seconds

MAX_IDLE_SECONDS = 0.2
"""Seconds that a test may sleep."""
STOPS_BEFORE_IMPATIENCE = 3
"""After this many stops of tests that had their full time, the submission's other tests get less time."""
IMPATIENCE = 0.25
"""The share of its time that a test gets then."""
PREFETCH_SECONDS = 0.05
"""Maximum CPU seconds, and seconds of sleep, of prefetched requests. If they take longer, the test sends its requests
itself."""
PREFETCH_SECONDS_PER_FURTHER_TEST = 0.002
"""Additional CPU seconds for each further test whose requests are sent together with those of others."""
WALL_CLOCK_FACTOR = 15
"""A test may take this many times its wall-clock limit, on a machine that does not let it run."""
WALL_PER_SECOND = 5
"""A submission may take this many wall-clock seconds for each second of its time limit."""
ASK_LOCATION_AFTER_SECONDS = 0.015
"""CPU seconds, or seconds of sleep, of one request after which the process is asked where its code is, once earlier
tests were stopped at known locations. A test at such a location is stopped."""
ASK_LOCATION_SOONER_AFTER_SECONDS = 0.003
"""The same, once ``REPEATED_STOPS_BEFORE_ASKING_SOONER`` tests were stopped this way."""
REPEATED_STOPS_BEFORE_ASKING_SOONER = 3
"""Tests that were stopped where an earlier one was, before the process is asked sooner."""
PROCESS_SECONDS = 0.015
"""Seconds that are charged for starting a process in place of a stopped one. Loading a program again costs nothing up
to this time, because often the grader itself chooses to use a fresh process."""
WORK_PER_SECOND = 1.25
"""Maximum seconds of all work on a submission, for each second that its tests have. It also limits work that is
charged to no test."""
FORK_SECONDS, LAUNCH_SECONDS = 0.005, 0.01
"""CPU seconds that are counted for the work of other processes in starting, locking and ending a process: a fork, and
an interpreter of its own. An interpreter takes more, but an engine that needs a process for each of 140 tests must
have enough time. They are counted again if a process had to be stopped."""
CHECK_INTERVAL_SECONDS = 0.02
"""Seconds between two checks of a test's clock."""
CHECK_INTERVAL_SECONDS_AFTER_STOPS = 0.0015
"""Seconds between two checks once tests were stopped at known locations."""
LASTING = frozenset({"cpu", "sleep", "messages", "memory", "flood"})
"""Causes that persist until something ends them."""


StopByLocation = Mapping[SourceLocation, StudentStopped]
"""Locations at which tests were stopped, and how each was stopped."""


class SubmissionTimeBudget:
    """The time that one submission has left.

    Attributes:
        seconds_left: seconds of CPU time and sleep that all further tests may take together, the grader's work
            included.
        stop_by_location: where tests were stopped, and how; only for one of the ``LASTING`` causes, in a process that
            had served no other test.
        memory_was_filled: whether a test filled the memory at a known location.
    """

    def __init__(self, limits: Limits, earlier_stops: StopByLocation | None = None) -> None:
        """Start with nothing used.

        Args:
            limits: the assignment's.
            earlier_stops: where the same submission was stopped before, and how.
        """
        self.seconds_left = limits.submission_seconds
        self.stop_by_location = dict(earlier_stops or {})
        self._wall_left = limits.submission_seconds * WALL_PER_SECOND
        self._work_of_student = 0.0
        self._work_of_grader_before, _ = read_own_run_and_wait_seconds()
        self._limits = limits
        self._stop_count = self._repeated_stop_count = 0
        self.memory_was_filled = any(stop.cause == "memory" for stop in self.stop_by_location.values())

    @property
    def grants_full_test_limit(self) -> bool:
        """Return whether a test still gets all of its time, wherever it is."""
        return self._stop_count < STOPS_BEFORE_IMPATIENCE

    @property
    def allows_process_reuse(self) -> bool:
        """Return whether nothing was stopped, and most of the time is left."""
        return (
            not (self._stop_count or self._repeated_stop_count)
            and self.seconds_left > self._limits.submission_seconds / 2
        )

    @property
    def _seconds_until_end(self) -> float:
        """Return the seconds left for tests or for all work on the submission, whichever are fewer."""
        served, _ = read_own_run_and_wait_seconds()
        work = self._work_of_student + (served - self._work_of_grader_before)  # exact where the grader did nothing
        return min(self.seconds_left, self._limits.submission_seconds * WORK_PER_SECOND - work)

    def raise_if_exhausted(self) -> None:
        """Raise if no time is left.

        Raises:
            StudentTimeout: all the time of the submission is used up.
        """
        if self._seconds_until_end <= 0:
            raise StudentTimeout("submission", "all the time for this submission was used up")

    def start_loading_clock(
        self, process: StudentProcess, cpu_seconds: float, source_character_count: int
    ) -> TimeLimitClock:
        """Start the clock for loading the submission into a process.

        Args:
            process: the process.
            cpu_seconds: CPU time that all statements may take together.
            source_character_count: the number of characters in the source.
        """
        process.channel.set_receive_timeout(CHECK_INTERVAL_SECONDS)
        self._work_of_student += _get_counted_start_seconds(process)
        return LoadingTimeLimitClock(cpu_seconds, self._seconds_until_end, process, source_character_count)

    def start_test_clock(self, process: StudentProcess) -> TimeLimitClock:
        """Start the clock of a test in a process."""
        process.channel.set_receive_timeout(
            CHECK_INTERVAL_SECONDS_AFTER_STOPS if self.stop_by_location else CHECK_INTERVAL_SECONDS
        )
        return self._make_clock(
            process,
            self._limits.cpu_seconds * (1 if self.grants_full_test_limit else IMPATIENCE),
            MAX_IDLE_SECONDS,
            self._choose_seconds_until_asked_for_location(),
        )

    def _choose_seconds_until_asked_for_location(self) -> float | None:
        """Return after which time of a request the process is asked where it is; None if it is not asked."""
        if not self.stop_by_location:
            return None
        if self._repeated_stop_count < REPEATED_STOPS_BEFORE_ASKING_SOONER:
            return ASK_LOCATION_AFTER_SECONDS
        return ASK_LOCATION_SOONER_AFTER_SECONDS

    def start_prefetch_clock(self, process: StudentProcess, test_count: int = 1) -> TimeLimitClock:
        """Start the clock for requests that are prefetched for ``test_count`` tests."""
        seconds = min(PREFETCH_SECONDS, self._limits.cpu_seconds)
        seconds += PREFETCH_SECONDS_PER_FURTHER_TEST * (test_count - 1)
        return self._make_clock(process, seconds, PREFETCH_SECONDS)

    def _make_clock(
        self, child: StudentProcess, cpu: float, idle: float, seconds_until_asked: float | None = None
    ) -> TimeLimitClock:
        idle = min(idle, self._limits.wall_seconds)
        wall_limit = max(0.0, min(self._limits.wall_seconds * WALL_CLOCK_FACTOR, self._wall_left))
        return TimeLimitClock(
            TimeLimits(
                cpu, idle, self._seconds_until_end, wall_limit, seconds_until_asked, min(idle, SINGLE_SLEEP_SECONDS)
            ),
            child,
        )

    def stop_and_charge(self, clock: TimeLimitClock, stopped: StudentStopped | None = None) -> None:
        """Stop a clock, and charge the time that was used.

        Args:
            clock: the clock of a test, or of loading.
            stopped: how the test was stopped, if it was. A test that a limit stopped is charged no more than the
                limit. Its time beyond the limit still counts as work, except while the grader waited for a processor.
        """
        clock.stop_and_set_seconds()
        work = charge = clock.cpu_seconds + clock.idle_seconds
        if stopped is not None and (stopped.again or stopped.cause in ("cpu", "sleep")):
            charge = min(charge, clock.seconds_at_last_limit)
        self._work_of_student += max(charge, work - clock.grader_wait_seconds)
        charge += clock.grader_cpu_seconds
        self.seconds_left -= (
            max(0.0, charge - PROCESS_SECONDS) if isinstance(clock, LoadingTimeLimitClock) else charge
        )
        self._wall_left -= clock.wall_seconds

    def record_first_load(self, clock: TimeLimitClock, *, succeeded: bool) -> None:
        """Count the first loading. It is charged to the tests only if it fails, up to half of their time.

        Args:
            clock: the clock of the loading.
            succeeded: whether the program could be loaded.
        """
        clock.stop_and_set_seconds()
        seconds = clock.cpu_seconds + clock.idle_seconds
        self._work_of_student += seconds
        if not succeeded:
            self.seconds_left -= min(seconds, self._limits.submission_seconds / 2)

    def record_stop(self, stop: StudentStopped, process: StudentProcess | None, *, in_fresh_process: bool) -> None:
        """Record how and where a test was stopped; charge the start of a new process to the budget.

        Nothing is charged if the process lives and can serve the next test, or if the submission's whole time is used
        up.

        Args:
            stop: how the test was stopped.
            process: the process of the test; None if it is gone already.
            in_fresh_process: whether the process had served no other test, so that no other test can be the reason.
        """
        if not stop.alive and stop.cause != "submission":
            self.seconds_left -= PROCESS_SECONDS
            self._work_of_student += _get_counted_start_seconds(process) if process else 0.0
        if stop.again:
            self._repeated_stop_count += 1
        elif stop.cause in LASTING:
            self._stop_count += 1
            if in_fresh_process and stop.key is not None:
                self.stop_by_location[stop.key] = stop
                self.memory_was_filled |= stop.cause == "memory"


def _get_counted_start_seconds(process: StudentProcess) -> float:
    return FORK_SECONDS if process.was_started_by_fork_server else LAUNCH_SECONDS
