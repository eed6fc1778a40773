"""Limit the time of one submission: what its tests may take together, and what each of them gets.

A correct engine needs a hundredth of all this. See docs/decisions/0037-what-hangs-is-cheap.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from autograder.bridge.hang_location_in_source import SourceLocation
from autograder.bridge.loading_time_limit_clock import LoadingTimeLimitClock
from autograder.bridge.student_errors_and_stops import StudentStopped, StudentTimeout
from autograder.bridge.time_limit_clock import SINGLE_SLEEP_SECONDS, TimeAllowance, TimeLimitClock
from autograder.course import Limits
from autograder.sandbox import StudentProcess
from autograder.sandbox.thread_run_and_runqueue_times import read_own_thread_run_and_runqueue_seconds

MAX_IDLE_SECONDS = 0.2
"""Seconds that a test may sleep."""
STOPS_BEFORE_IMPATIENCE = 3
"""Stops of tests that had all of their time, after which a submission's other tests get less."""
IMPATIENCE = 0.25
"""What is left of a test's time then."""
PREFETCH_SECONDS = 0.05
"""CPU seconds, and seconds of sleep, that requests may take which are sent beforehand: the test asks them again."""
TESTS_SECONDS = 0.002
"""The same for each further test whose requests are sent together with those of others."""
EMERGENCY = 15
"""How many times its time on the wall a test may take in all, on a machine that does not let it run."""
WALL_PER_SECOND = 5
"""The same for a submission and the time that it has."""
SOON, SOONER = 0.015, 0.003
"""CPU seconds, or seconds of sleep, of one request after which a test is asked where it is, once tests have ended in
places that are known. A test that is in such a place has had its time. The second, once ``MANY_AGAIN`` were found in
one again."""
MANY_AGAIN = 3
PROCESS_SECONDS = 0.015
"""What it costs to start a process in the place of one that was stopped, and what loading it once more may cost for
nothing: many a test is seen in a fresh process by the grader's choice."""
WORK_PER_SECOND = 1.25
"""Seconds of work on a submission for each second that its tests have: what no test is charged with ends here."""
FORK_SECONDS, LAUNCH_SECONDS = 0.005, 0.01
"""CPU seconds that count for starting, locking and ending a process in other processes than this one: a fork, and an
interpreter of its own. That one takes more, but an engine that needs a process for each of 140 tests shall have
enough. They count once more where a process had to be stopped."""
LOOK_EVERY = 0.02
"""Seconds between two looks at a test's clock."""
LOOK_OFTEN = 0.0015
"""The same once there are places to be seen in."""
LASTING = frozenset({"cpu", "sleep", "messages", "memory", "flood"})
"""Causes that go on until something ends them."""


StopByLocation = Mapping[SourceLocation, StudentStopped]
"""Where tests were stopped, and how."""


class SubmissionTimeBudget:
    """What one submission has left of its time.

    Attributes:
        seconds_left: seconds of CPU time and sleep that all further tests may take together, the grader's work
            included.
        stop_by_location: where tests ended that were stopped, and how.
        starts_with_little_memory: whether a test filled the memory where it is known: others are given little of it
            at first.
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
        self._work_of_grader_before, _ = read_own_thread_run_and_runqueue_seconds()
        self._limits = limits
        self._stopped = self._again = 0
        self.starts_with_little_memory = any(one.cause == "memory" for one in self.stop_by_location.values())

    @property
    def gives_tests_full_time(self) -> bool:
        """Return whether a test still gets all of its time, wherever it is."""
        return self._stopped < STOPS_BEFORE_IMPATIENCE

    @property
    def has_most_time_left_and_no_stop(self) -> bool:
        """Return whether nothing was stopped, and most of the time is left."""
        return not (self._stopped or self._again) and self.seconds_left > self._limits.submission_seconds / 2

    @property
    def _seconds_until_end(self) -> float:
        """Return the seconds left: of what tests are charged with, or of all work on the submission."""
        served, _ = read_own_thread_run_and_runqueue_seconds()
        work = self._work_of_student + served - self._work_of_grader_before
        return min(self.seconds_left, self._limits.submission_seconds * WORK_PER_SECOND - work)

    def raise_if_exhausted(self) -> None:
        """Raise if nothing is left.

        Raises:
            StudentTimeout: all of it was used up.
        """
        if self._seconds_until_end <= 0:
            raise StudentTimeout("submission", "all the time for this submission was used up")

    def start_loading_clock(
        self, process: StudentProcess, cpu_seconds: float, source_character_count: int
    ) -> TimeLimitClock:
        """Start the time in which a process loads the submission.

        Args:
            process: the process.
            cpu_seconds: CPU time that all statements may take together.
            source_character_count: how many the source has.
        """
        process.channel.set_receive_timeout(LOOK_EVERY)
        self._work_of_student += _get_counted_start_seconds(process)
        return LoadingTimeLimitClock(cpu_seconds, self._seconds_until_end, process, source_character_count)

    def start_test_clock(self, process: StudentProcess) -> TimeLimitClock:
        """Start the time of a test in a process."""
        process.channel.set_receive_timeout(LOOK_OFTEN if self.stop_by_location else LOOK_EVERY)
        soon = (SOON if self._again < MANY_AGAIN else SOONER) if self.stop_by_location else None
        return self._clock(
            process,
            self._limits.cpu_seconds * (1 if self.gives_tests_full_time else IMPATIENCE),
            MAX_IDLE_SECONDS,
            soon,
        )

    def start_prefetch_clock(self, process: StudentProcess, test_count: int = 1) -> TimeLimitClock:
        """Start the time of requests that are sent before this many tests ask them."""
        seconds = min(PREFETCH_SECONDS, self._limits.cpu_seconds) + TESTS_SECONDS * (test_count - 1)
        return self._clock(process, seconds, PREFETCH_SECONDS)

    def _clock(self, child: StudentProcess, cpu: float, idle: float, soon: float | None = None) -> TimeLimitClock:
        idle = min(idle, self._limits.wall_seconds)
        brake = max(0.0, min(self._limits.wall_seconds * EMERGENCY, self._wall_left))
        return TimeLimitClock(
            TimeAllowance(cpu, idle, self._seconds_until_end, brake, soon, min(idle, SINGLE_SLEEP_SECONDS)), child
        )

    def stop_clock_and_charge_time(
        self, clock: TimeLimitClock, stop_limiting_charge: StudentStopped | None = None
    ) -> None:
        """Stop a clock, and count what was used.

        Args:
            clock: of a test, or of loading.
            stop_limiting_charge: what ended the test. A test that a limit ended is charged no more than the limit;
                what it took beyond that is work all the same, unless the grader waited for a processor meanwhile.
        """
        clock.stop_and_set_seconds()
        worked = used = clock.cpu_seconds + clock.idle_seconds
        if stop_limiting_charge is not None and (
            stop_limiting_charge.again or stop_limiting_charge.cause in ("cpu", "sleep")
        ):
            used = min(used, clock.seconds_at_last_limit)
        self._work_of_student += max(used, worked - clock.grader_runqueue_seconds)
        used += clock.grader_cpu_seconds
        self.seconds_left -= max(0.0, used - PROCESS_SECONDS) if isinstance(clock, LoadingTimeLimitClock) else used
        self._wall_left -= clock.wall_seconds

    def stop_clock_and_charge_failed_first_load(self, clock: TimeLimitClock, *, succeeded: bool) -> None:
        """Count the first loading. Tests are charged with it only if it fails, and with half of their time at most.

        Args:
            clock: of the loading.
            succeeded: whether the program could be loaded.
        """
        clock.stop_and_set_seconds()
        used = clock.cpu_seconds + clock.idle_seconds
        self._work_of_student += used
        if not succeeded:
            self.seconds_left -= min(used, self._limits.submission_seconds / 2)

    def record_stop_and_charge_process_restart(
        self, stopped: StudentStopped, process: StudentProcess | None, *, in_fresh_process: bool
    ) -> None:
        """Remember what ended a test, and where; charge the start of a new process to the budget.

        A new process costs nothing if this one lives and can serve the next test, or if the submission's whole time
        is used up.

        Args:
            stopped: what it was.
            process: the process that it was in; None if that is gone already.
            in_fresh_process: whether its process had served no other test: then no other test can be the reason.
        """
        if not stopped.alive and stopped.cause != "submission":
            self.seconds_left -= PROCESS_SECONDS
            self._work_of_student += _get_counted_start_seconds(process) if process else 0.0
        if stopped.again:
            self._again += 1
        elif stopped.cause in LASTING:
            self._stopped += 1
            if in_fresh_process and stopped.key is not None:
                self.stop_by_location[stopped.key] = stopped
                self.starts_with_little_memory |= stopped.cause == "memory"

    def find_stop_of_earlier_test(self, location: SourceLocation) -> StudentStopped | None:
        """Return how an earlier test was stopped in the place where a test is now; None if none was.

        Only a stop for one of the ``LASTING`` causes, in a process that had served no other test, is remembered.
        """
        return self.stop_by_location.get(location)


def _get_counted_start_seconds(process: StudentProcess) -> float:
    return FORK_SECONDS if process.was_started_by_fork_server else LAUNCH_SECONDS
