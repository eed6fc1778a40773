"""Decide what must happen before a test, so that it cannot see what an earlier one left behind."""

from __future__ import annotations

from autograder.bridge.submission_program import ReportedLoadResult

QUICK_LOAD_SECONDS = 0.005
"""CPU seconds; code that takes this long to load, or longer, is not run again for a test."""


class StateBetweenTests:
    """The state that one submission can keep from test to test, and the cheapest way to reset it.

    A submission that keeps nothing needs no reset. If it keeps all state in its own module, its code is run again.
    Any other submission gets a fresh process.

    Attributes:
        starts_each_test_fresh: whether every test must start without anything that another test left.
        process_served_earlier_test: whether the process of the current or last test had served another before.
    """

    def __init__(
        self,
        *,
        is_stateless: bool = False,
        keeps_state_in_own_module: bool = False,
        fresh_process_per_test: bool = False,
    ) -> None:
        """Begin with no process.

        Args:
            is_stateless: whether no test can leave anything behind for another; False in doubt.
            keeps_state_in_own_module: whether all that a test can leave behind is in the program's own module. Then
                its code can be run anew in the same process.
            fresh_process_per_test: whether a fresh process is used even where running the code again does the same,
                to compare both.
        """
        self._is_stateless, self._keeps_state_in_own_module = is_stateless, keeps_state_in_own_module
        self._fresh_process_per_test = fresh_process_per_test
        self.starts_each_test_fresh = self.process_served_earlier_test = False
        self._process_was_used = self._reloads_before_next_test = self._loads_quickly = False

    @property
    def objects_outlive_tests(self) -> bool:
        """Return whether a test may meet objects that an earlier test made."""
        return not self._is_stateless

    @property
    def can_reset_by_reloading(self) -> bool:
        """Return whether running the code anew does what a fresh process does."""
        return self._keeps_state_in_own_module and self._loads_quickly

    @property
    def reloads_for_each_test(self) -> bool:
        """Return whether the code is run anew for each test."""
        return self.starts_each_test_fresh and self.can_reset_by_reloading

    @property
    def tests_are_independent(self) -> bool:
        """Return whether no test can leave anything behind for another."""
        return self._is_stateless or self.reloads_for_each_test

    @property
    def can_reuse_process_for_same_program(self) -> bool:
        """Return whether the next run of the same program can use the process."""
        return self._is_stateless or (self.can_reset_by_reloading and not self._fresh_process_per_test)

    def record_load(self, load: ReportedLoadResult, *, is_whole: bool) -> None:
        """Note how a process loaded the program.

        Args:
            load: the process's report.
            is_whole: whether no statement was left out.
        """
        completed = is_whole and load.is_loaded_without_problems
        self._loads_quickly = completed and load.seconds < QUICK_LOAD_SECONDS

    def record_test_start(self) -> None:
        """Set ``process_served_earlier_test`` for the test that begins."""
        self.process_served_earlier_test = self._process_was_used

    def consume_pending_reload(self) -> bool:
        """Return whether the code must be run anew for the test that begins; True once only."""
        reloads, self._reloads_before_next_test = self._reloads_before_next_test, False
        return reloads

    def record_process_use(self) -> None:
        """Note that a test has used the process."""
        self._process_was_used = True

    def record_process_end(self) -> None:
        """Note that there is no process any more."""
        self._process_was_used = self._reloads_before_next_test = False

    def schedule_reload_if_used(self) -> None:
        """Have the code run anew before the next test, if a test has used the process and may have left anything."""
        if not self._is_stateless:
            self._reloads_before_next_test |= self._process_was_used
            self._process_was_used = False
