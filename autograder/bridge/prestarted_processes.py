"""Start processes before they are needed."""

from __future__ import annotations

from autograder.bridge import inside
from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox import Sandbox, StudentProcess
from autograder.sandbox.fork_server import end_fork_server_when_unused
from autograder.sandbox.killed_processes import wait_for_killed_processes
from autograder.sandbox.process_starter import start_process_without_waiting


class PrestartedProcesses:
    """Processes started ahead of need: one is always on its way."""

    def __init__(self, sandbox: Sandbox, limits: Limits) -> None:
        """Start the first process."""
        self._sandbox, self._limits = sandbox, limits
        self._next: StudentProcess | None = self._start_process()

    @property
    def tier(self) -> str:
        """Return the tier of every process from here."""
        return self._sandbox.tier

    def take_process(self) -> StudentProcess:
        """Return a process that is the caller's own, and start the next one."""
        child = self._next
        self._next = None
        if child is not None and child.wait_for_exit_status(0) is not None:  # with what forked it, for example
            child.kill_without_waiting()
            child = None
        child = child or self._start_process()
        try:
            self._next = self._start_process()
        except KitFault:
            child.kill_without_waiting()
            raise
        return child

    def _start_process(self) -> StudentProcess:
        return start_process_without_waiting(self._sandbox, self._limits, inside.compile_modules())

    def close_and_wait_until_gone(self) -> None:
        """End the process that was not needed, and wait until all are gone."""
        if self._next is not None:
            self._next.kill_without_waiting()
            self._next = None
        wait_for_killed_processes()
        end_fork_server_when_unused()
