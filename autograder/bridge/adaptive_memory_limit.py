"""Give a test little memory once an earlier test has filled it, because filling all of it takes long."""

from __future__ import annotations

from autograder.bridge.student_exceptions import StudentStopped
from autograder.sandbox import StudentProcess

LITTLE_MEMORY_MB = 12
"""Megabytes that such a test may use beyond those of the loaded program."""


class AdaptiveMemoryLimit:
    """Reduces the memory of a test; if the test needs more, the next one gets the full limit.

    Attributes:
        was_exceeded: whether the last test exceeded its reduced limit.
    """

    def __init__(self) -> None:
        self.was_exceeded = self._is_in_force = False

    def begin_test(self, *, memory_was_filled: bool) -> None:
        """Reduce the memory of a new test if an earlier one filled all of it, except right after it was exceeded."""
        self._is_in_force = memory_was_filled and not self.was_exceeded
        self.was_exceeded = False

    def compute_address_space_limit(self, process: StudentProcess) -> int:
        """Return the limit of the address space in the current test, in bytes; 0 for the assignment's limit."""
        return process.compute_address_space_with_spare(LITTLE_MEMORY_MB) if self._is_in_force else 0

    def record_stop(self, stop: StudentStopped) -> None:
        """Record how the current test was stopped."""
        self.was_exceeded = self._is_in_force and stop.cause == "memory" and not stop.again
