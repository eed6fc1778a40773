"""The time of one submission: what its tests may take together, and what each of them gets."""

from __future__ import annotations

from autograder.bridge.clock import Clock
from autograder.bridge.errors import StudentStopped, StudentTimeout
from autograder.course import Limits
from autograder.sandbox import Child

PATIENT_UNTIL = 3
"""Time-outs after which a submission's other tests get less time: it is an endless loop, met again and again."""
IMPATIENCE = 0.25
"""What is left of a test's time then; a right engine needs a hundredth."""
LOAD_SLACK = 5.0
"""Seconds beyond the limit on loading before the process is killed; it is meant to stop by itself."""


class Allowance:
    """What one submission has left of its time.

    Attributes:
        left: seconds that all further tests may take together.
    """

    def __init__(self, limits: Limits) -> None:
        """Nothing is used yet.

        Args:
            limits: the assignment's.
        """
        self.left = limits.submission_seconds
        self._limits = limits
        self._timeouts = 0

    @property
    def patient(self) -> bool:
        """Whether a test still gets all of its time."""
        return self._timeouts < PATIENT_UNTIL

    def check(self) -> None:
        """Raise if nothing is left.

        Raises:
            StudentTimeout: all of it was used up.
        """
        if self.left <= 0:
            raise StudentTimeout("submission", "all the time for this submission was used up")

    def for_loading(self, child: Child) -> Clock:
        """Start the time in which a process loads the submission."""
        seconds = self._limits.import_seconds
        most = seconds + min(LOAD_SLACK, seconds)
        return Clock(most, most, self.left, child.cpu_seconds)

    def for_test(self, child: Child) -> Clock:
        """Start the time of a test in a process."""
        share = 1.0 if self.patient else IMPATIENCE
        cpu, wall = self._limits.cpu_seconds * share, self._limits.wall_seconds * share
        return Clock(cpu, wall, self.left, child.cpu_seconds)

    def charge(self, clock: Clock) -> None:
        """Stop a clock, and count what was waited for."""
        clock.stop()
        self.left -= clock.waited

    def count(self, stopped: StudentStopped) -> None:
        """Remember what ended a test: after some time-outs, patience does."""
        self._timeouts += isinstance(stopped, StudentTimeout)
