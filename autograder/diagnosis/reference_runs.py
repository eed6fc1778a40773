"""Run programs on the reference solution, which is the oracle of assignments that have none of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from autograder.bridge import Bridge
from autograder.diagnosis.caches import LruCache
from autograder.diagnosis.program_family import DiagnosisProgramFamily
from autograder.diagnosis.program_readings import ProgramReadings, was_stopped
from autograder.diagnosis.program_runner import ProgramRunner
from autograder.grading.submission_under_test import BridgedSubmissionUnderTest

MOST_REMEMBERED = 20_000
"""How many traces are remembered: enough for all small programs of an assignment, and for programs near the
counterexamples of a class."""
MOST_TOGETHER = 500
"""How many programs share a process."""


class ReferenceSolutionRunner:
    """Runs programs on the reference solution, and remembers their traces. See ``ReferenceSolutionOracle``."""

    def __init__(self, open_bridge: Callable[[], Bridge]) -> None:
        """Run nothing yet.

        Args:
            open_bridge: opens a process for the reference solution; this object ends it.
        """
        self._open_process = open_bridge
        self._traces: LruCache[tuple[str, Any], ProgramReadings] = LruCache(MOST_REMEMBERED)
        self._bridge: Bridge | None = None
        self._ran = 0

    @cached_property
    def implemented_names(self) -> frozenset[str]:
        """See ``ReferenceSolutionOracle``."""
        bridge = self._open()
        return BridgedSubmissionUnderTest(bridge, bridge.load_without_fatal_code()).implemented_names

    def trace_program(self, program_family: DiagnosisProgramFamily, program: Any) -> ProgramReadings:
        """See ``ReferenceSolutionOracle``."""
        key = type(program_family).__qualname__, program
        known = self._traces.get(key)
        if known is not None:
            return known
        if self._ran == MOST_TOGETHER:
            self.end_process()
        self._ran += 1
        trace = ProgramRunner(program_family, self._open(), fresh_process_per_program=True)(program)
        if was_stopped(trace):
            self.end_process()
        else:
            self._traces.store(key, trace)
        return trace

    def end_process(self) -> None:
        """End the process, if there is one; the next program gets a fresh one."""
        if self._bridge is not None:
            self._bridge.end_process()
        self._bridge, self._ran = None, 0

    def _open(self) -> Bridge:
        if self._bridge is None:
            self._bridge = self._open_process()
        return self._bridge
