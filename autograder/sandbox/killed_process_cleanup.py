"""Remember killed processes until they have ended, and then remove their scratch folders."""

from __future__ import annotations

import atexit
import os
import time

from autograder.sandbox.bounded_scratch_folder import BoundedScratchFolder
from autograder.sandbox.fork_server import end_discarded_fork_servers
from autograder.sandbox.launched_process import RunningProcess

_killed_processes: list[tuple[RunningProcess, BoundedScratchFolder]] = []
"""Processes that may still be ending, each with the folder that it may still write to."""
os.register_at_fork(after_in_child=_killed_processes.clear)  # a fork cannot wait for its parent's children


def remember_killed_process(process: RunningProcess, scratch: BoundedScratchFolder) -> None:
    """Remember a process that is being killed, without waiting for it."""
    _killed_processes.append((process, scratch))


def remove_leftovers_of_killed_processes() -> None:
    """Remove the folders of killed processes that have ended; waiting for each would cost milliseconds."""
    for process, scratch in [*_killed_processes]:
        if process.wait_for_exit_status_or_none(0) is not None:
            scratch.remove()
            _killed_processes.remove((process, scratch))


def clean_up_killed_processes(timeout_seconds: float = 5.0) -> bool:
    """Wait until all killed processes have ended, and remove their folders.

    Unused fork servers are ended, too.

    Returns:
        Whether all of them ended within the time.
    """
    deadline = time.monotonic() + timeout_seconds
    for process, _ in [*_killed_processes]:
        process.wait_for_exit_status_or_none(max(0.0, deadline - time.monotonic()))
    remove_leftovers_of_killed_processes()
    end_discarded_fork_servers()
    return not _killed_processes


atexit.register(clean_up_killed_processes)
