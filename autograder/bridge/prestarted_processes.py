"""Start processes before they are needed, where starting one takes long and two may run at once."""

from __future__ import annotations

from autograder.bridge import inside
from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox import SandboxConfig, StudentProcess
from autograder.sandbox.fork_server import discard_thread_fork_server
from autograder.sandbox.student_process import clean_up_killed_processes, start_student_process


class ProcessPool:
    """Processes that are started before they are needed.

    If each process is an interpreter of its own, one is always started in advance. A fork needs no such start,
    because it is available at once. If a process can see what another one locks, each starts after all others ended.
    """

    def __init__(self, sandbox: SandboxConfig, limits: Limits) -> None:
        """Start the first process, or the server that forks it, so that no submission's time includes this.

        Raises:
            KitFault: no process can be started.
        """
        self._sandbox, self._limits = sandbox, limits
        self._next: StudentProcess | None = None
        if sandbox.uses_fork_server:
            self._start_process().kill_without_waiting()
        self._start_next_unless_forked()

    @property
    def tier(self) -> str:
        """Return the tier of every process from here."""
        return self._sandbox.tier

    def take_process(self) -> StudentProcess:
        """Return a process that is the caller's own, and start the next one unless it is a fork.

        Raises:
            KitFault: no process can be started, or one that was killed goes on running.
        """
        if not self._sandbox.lets_processes_overlap and not clean_up_killed_processes():
            raise KitFault("a process that was killed does not end", advice="see what else this machine is doing")
        child = self._next
        self._next = None
        if child is not None and child.wait_for_exit_status_or_none(0) is not None:  # something killed it
            child.kill_without_waiting()
            child = None
        child = child or self._start_process()
        try:
            self._start_next_unless_forked()
        except KitFault:
            child.kill_without_waiting()
            raise
        return child

    def _start_next_unless_forked(self) -> None:
        if self._sandbox.lets_processes_overlap and not self._sandbox.uses_fork_server:
            self._next = self._start_process()

    def _start_process(self) -> StudentProcess:
        return start_student_process(self._sandbox, self._limits, inside.compile_modules())

    def end_unused_process(self) -> None:
        """End the process that was not needed, and wait until all are gone."""
        if self._next is not None:
            self._next.kill_without_waiting()
            self._next = None
        clean_up_killed_processes()
        discard_thread_fork_server()
