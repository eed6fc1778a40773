"""Limit the time of one submission: of all its tests together, and of each single test.

A correct engine needs a hundredth of all this. See docs/decisions/0006-limits-are-work.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from autograder.bridge.clocks import LoadingTimeLimitClock, TimeLimitClock, TimeLimits
from autograder.bridge.hangs import SourceLocation
from autograder.bridge.student_exceptions import STOP_KINDS, StudentStopped, StudentTimeout
from autograder.course import Limits
from autograder.sandbox import StudentProcess

MAX_IDLE_SECONDS = 0.2
"""Seconds that a test may sleep."""
STOPS_BEFORE_IMPATIENCE = 3
"""After this many stops of tests that had their full time, the submission's other tests get less time."""
IMPATIENCE = 0.25
"""The share of its time that a test gets then."""
APPEAL_FACTOR, LATER_APPEAL_FACTOR = 4, 1
"""How many times its limits a test gets that met one, when it is tried again; and each further test, once one did not
end then either."""
APPEAL_SHARE = 0.6
"""Seconds that all these tests may take together, for each second that all tests have."""
GRADER_SECONDS = 4.0
"""CPU seconds of the reference machine that the grader works on the answers of one submission; a usual one takes a
tenth. It is the kit's time, and only ends what answers without an end."""
RELOADING_SECONDS, RELOADS_PER_LIMIT = 2.0, 4
"""CPU seconds in which the kit loads one submission again, as often as it must, and how many times ``import_seconds``
comes on top."""
PREFETCH_SECONDS = 0.05
"""Maximum CPU seconds, and seconds of sleep, of prefetched requests. If they take longer, the test sends its requests
itself."""
PREFETCH_SECONDS_PER_FURTHER_TEST = 0.002
"""Additional CPU seconds for each further test whose requests are sent together with those of others."""
ASK_LOCATION_AFTER_SECONDS = 0.015
"""CPU seconds, or seconds of sleep, of one request after which the process is asked where its code is, once earlier
tests were stopped at known locations. A test at such a location is stopped."""
ASK_LOCATION_SOONER_AFTER_SECONDS = 0.003
"""The same, once ``REPEATED_STOPS_BEFORE_ASKING_SOONER`` tests were stopped this way."""
REPEATED_STOPS_BEFORE_ASKING_SOONER = 3
"""Tests that were stopped where an earlier one was, before the process is asked sooner."""
CHECK_INTERVAL_SECONDS = 0.02
"""Seconds between two checks of a test's clock."""
CHECK_INTERVAL_SECONDS_AFTER_STOPS = 0.0015
"""Seconds between two checks once tests were stopped at known locations."""
StopByLocation = Mapping[SourceLocation, StudentStopped]
"""Locations at which tests were stopped, and how each was stopped."""


class SubmissionTimeBudget:
    """The time that one submission has left, in seconds of the reference machine.

    What its processes cost to start and to load again is the kit's, since the kit chooses when to do so.

    Attributes:
        seconds_left: seconds of CPU time and sleep that all further tests may take together.
        stop_by_location: where tests were stopped, and how; only for a cause that lasts, in a process that
            had served no other test.
        memory_was_filled: whether a test filled the memory at a known location.
        was_loaded: whether the submission was loaded for the first time, which is never charged.
        is_appeal: whether tests that met a limit are tried again, with more time.
    """

    def __init__(self, limits: Limits, earlier_stops: StopByLocation | None = None) -> None:
        """Start with nothing used.

        Args:
            limits: the assignment's.
            earlier_stops: where the same submission was stopped before, and how.
        """
        self.seconds_left = limits.submission_seconds
        self.stop_by_location = dict(earlier_stops or {})
        self.was_loaded = self.is_appeal = False
        self._grader_seconds_left = GRADER_SECONDS
        self._reloading_seconds_left = RELOADING_SECONDS + RELOADS_PER_LIMIT * limits.import_seconds
        self._limits = limits
        self._stop_count = self._repeated_stop_count = self._failed_appeal_count = 0
        self.memory_was_filled = any(stop.cause == "memory" for stop in self.stop_by_location.values())

    @property
    def allows_process_reuse(self) -> bool:
        """Return whether nothing was stopped, and most of the time is left."""
        return (
            not (self._stop_count or self._repeated_stop_count)
            and self.seconds_left > self._limits.submission_seconds / 2
        )

    def begin_appeal(self) -> None:
        """Give more time to tests that met a limit, and forget where they were stopped: that was not certain."""
        if not self.is_appeal:
            self.seconds_left = max(0.0, self.seconds_left) + self._limits.submission_seconds * APPEAL_SHARE
        self.is_appeal = True
        self.stop_by_location.clear()

    @property
    def may_load_again(self) -> bool:
        """Return whether there is time for the kit to load the code once more, where it chooses to."""
        return self._reloading_seconds_left > 0

    def raise_if_exhausted(self) -> None:
        """Raise if no time is left.

        Raises:
            StudentTimeout: all the time of the submission is used up.
        """
        if self.seconds_left <= 0 or self._reloading_seconds_left <= 0:
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
        return LoadingTimeLimitClock(cpu_seconds, self._grader_seconds_left, process, source_character_count)

    def start_test_clock(self, process: StudentProcess, reload_seconds: float) -> TimeLimitClock:
        """Start the clock of a test in a process.

        Args:
            process: the process.
            reload_seconds: CPU seconds that running the code anew before the test may take on top.
        """
        process.channel.set_receive_timeout(
            CHECK_INTERVAL_SECONDS_AFTER_STOPS if self.stop_by_location else CHECK_INTERVAL_SECONDS
        )
        factor = self._choose_limit_factor()
        return self._make_clock(
            process,
            self._limits.cpu_seconds * factor,
            MAX_IDLE_SECONDS * factor,
            reload_seconds,
            self._choose_seconds_until_asked_for_location(),
        )

    def _choose_limit_factor(self) -> float:
        """Return how many times its limits the next test gets."""
        if self.is_appeal:
            return LATER_APPEAL_FACTOR if self._failed_appeal_count else APPEAL_FACTOR
        return 1 if self._stop_count < STOPS_BEFORE_IMPATIENCE else IMPATIENCE

    def _choose_seconds_until_asked_for_location(self) -> float | None:
        """Return after which time of a request the process is asked where it is; None if it is not asked."""
        if not self.stop_by_location:
            return None
        if self._repeated_stop_count < REPEATED_STOPS_BEFORE_ASKING_SOONER:
            return ASK_LOCATION_AFTER_SECONDS
        return ASK_LOCATION_SOONER_AFTER_SECONDS

    def start_prefetch_clock(
        self, process: StudentProcess, further_seconds: float, reload_seconds: float
    ) -> TimeLimitClock:
        """Start the clock for prefetched requests; those of further tests have more time."""
        seconds = min(PREFETCH_SECONDS, self._limits.cpu_seconds) + further_seconds
        return self._make_clock(process, seconds, PREFETCH_SECONDS, reload_seconds)

    def _make_clock(
        self,
        child: StudentProcess,
        cpu: float,
        idle: float,
        reload_seconds: float,
        seconds_until_asked: float | None = None,
    ) -> TimeLimitClock:
        return TimeLimitClock(
            TimeLimits(
                cpu + reload_seconds,
                min(idle, self._limits.wall_seconds),
                self.seconds_left + reload_seconds,
                self._grader_seconds_left,
                seconds_until_asked,
                min(idle, self._limits.wall_seconds),
                reload_seconds,
            ),
            child,
        )

    def stop_and_charge(self, clock: TimeLimitClock, stopped: StudentStopped | None = None) -> None:
        """Stop a clock, and charge the time that was used; loading the code costs no test anything.

        Args:
            clock: the clock of a test, or of loading.
            stopped: how the test was stopped, if it was. A test that a limit stopped is charged no more than the
                limit: a busy machine notices it late.
        """
        clock.stop_and_set_seconds()
        self._grader_seconds_left -= clock.grader_cpu_seconds
        if isinstance(clock, LoadingTimeLimitClock):
            self._reloading_seconds_left -= clock.cpu_seconds if self.was_loaded else 0.0
            return
        used = clock.cpu_seconds + clock.idle_seconds
        if stopped is not None and (stopped.again or stopped.cause in ("cpu", "sleep")):
            used = min(used, clock.seconds_at_last_limit)
        self.seconds_left -= max(0.0, used - clock.limits.reload_seconds)

    def record_stop(self, stop: StudentStopped, *, in_fresh_process: bool) -> None:
        """Record how and where a test was stopped.

        Args:
            stop: how the test was stopped.
            in_fresh_process: whether the process had served no other test, so that no other test can be the reason.
        """
        if self.is_appeal and not stop.again and isinstance(stop, StudentTimeout) and stop.cause in ("cpu", "sleep"):
            stop.is_certain = True
            self._failed_appeal_count += 1
        if stop.again:
            self._repeated_stop_count += 1
        elif STOP_KINDS[stop.cause].lasts:
            self._stop_count += 1
            if in_fresh_process and stop.key is not None:
                self.stop_by_location[stop.key] = stop
                self.memory_was_filled |= stop.cause == "memory"
