"""Remember killed processes until they have ended, and then remove their leftovers."""

from __future__ import annotations

import atexit
import os
import time
from dataclasses import dataclass

from autograder.sandbox import control_group_lifecycle
from autograder.sandbox.bounded_scratch_folder import BoundedScratchFolder
from autograder.sandbox.control_group import ControlGroup
from autograder.sandbox.fork_server import end_discarded_fork_servers
from autograder.sandbox.launched_process import RunningProcess


@dataclass(frozen=True, slots=True)
class KilledProcess:
    """A killed process, with the leftovers to remove after it has ended."""

    process: RunningProcess
    scratch: BoundedScratchFolder | None
    group: ControlGroup | None


_killed_processes: list[KilledProcess] = []
os.register_at_fork(after_in_child=_killed_processes.clear)  # a fork cannot wait for its parent's children


def remember_killed_process(killed_process: KilledProcess) -> None:
    """Remember a process that is being killed, without waiting for it."""
    _killed_processes.append(killed_process)


def remove_leftovers_of_killed_processes() -> None:
    """Remove the leftovers of killed processes that have ended; waiting for each would cost milliseconds."""
    for killed_process in [
        killed_process
        for killed_process in _killed_processes
        if killed_process.process.wait_for_exit_status_or_none(0) is not None
    ]:
        if _remove_leftovers(killed_process):
            _killed_processes.remove(killed_process)


def clean_up_killed_processes(timeout_seconds: float = 5.0) -> bool:
    """Wait until all killed processes have ended, and remove their leftovers.

    Unused fork servers are ended, too.

    Returns:
        Whether all of them ended and were cleaned up within the time.
    """
    deadline = time.monotonic() + timeout_seconds
    while _killed_processes and time.monotonic() < deadline:
        killed_process = _killed_processes[-1]
        if killed_process.process.wait_for_exit_status_or_none(max(0.0, deadline - time.monotonic())) is None:
            break
        if _remove_leftovers(killed_process):
            _killed_processes.remove(killed_process)
        else:
            time.sleep(0.001)
    end_discarded_fork_servers()
    return not _killed_processes


def _remove_leftovers(killed_process: KilledProcess) -> bool:
    """Remove a process's leftovers if it has ended; a running one might still write.

    Returns:
        Whether everything is removed; child processes may take longer to end.
    """
    if killed_process.group is not None and not killed_process.group.remove_if_empty():
        return False
    if killed_process.scratch is not None:
        killed_process.scratch.remove()
    return True


def _clean_up_at_exit() -> None:
    clean_up_killed_processes()
    control_group_lifecycle.remove_groups_on_exit()


atexit.register(_clean_up_at_exit)
