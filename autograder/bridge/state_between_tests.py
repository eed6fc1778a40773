"""Decide what must happen before a test, so that it cannot see what an earlier one left behind."""

from __future__ import annotations

from autograder.bridge.submission_program import ReportedLoadResult

QUICK_LOAD_SECONDS = 0.01
"""CPU seconds of the reference machine; code that takes this long to load, or longer, is not run again for a test."""


class StateBetweenTests:
    """How the tests of one submission are kept apart.

    Code that loads quickly is run anew for each test, in the same process. Other code is loaded once, and its tests
    share it. Nothing is proven about what a program keeps elsewhere: what it costs a test is seen by running the test
    again in another process, after other tests (see ``SuiteRunSession``). If that makes a difference, each test gets
    a process of its own.

    Attributes:
        needs_fresh_processes: whether every test must run in a process that has run no other.
        process_served_earlier_test: whether the process of the current or last test had served another before.
    """

    def __init__(self, *, needs_fresh_processes: bool = False) -> None:
        """Begin with no process."""
        self.needs_fresh_processes = needs_fresh_processes
        self.process_served_earlier_test = False
        self._process_was_used = self._loads_quickly = False

    @property
    def runs_code_anew(self) -> bool:
        """Return whether the code is run anew for each test, so that requests of several may be sent together."""
        return self._loads_quickly and not self.needs_fresh_processes

    def record_load(self, load: ReportedLoadResult, *, is_whole: bool, slowness: float) -> None:
        """Note how a process loaded the program.

        Args:
            load: the process's report.
            is_whole: whether no statement was left out.
            slowness: how many times slower than the reference machine this one is.
        """
        completed = is_whole and load.is_loaded_without_problems
        self._loads_quickly = completed and load.seconds < QUICK_LOAD_SECONDS * slowness

    def record_test_start(self) -> bool:
        """Set ``process_served_earlier_test`` for the test that begins; return whether the code must be run anew."""
        self.process_served_earlier_test = self._process_was_used
        return self.runs_code_anew and self._process_was_used

    @property
    def process_was_used(self) -> bool:
        """Return whether a test has run in the process that there is."""
        return self._process_was_used

    def record_process_use(self) -> None:
        """Note that a test has used the process."""
        self._process_was_used = True

    def record_process_end(self) -> None:
        """Note that there is no process any more."""
        self._process_was_used = False
