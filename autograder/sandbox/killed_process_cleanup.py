"""Remember processes that were killed until they are gone, and then remove what they leave."""

from __future__ import annotations

import atexit
import os
import time
from dataclasses import dataclass

from autograder.sandbox import control_group_creation_and_removal
from autograder.sandbox.bounded_scratch_folder import SizeCheckedScratchFolder
from autograder.sandbox.control_group import ControlGroup
from autograder.sandbox.fork_server import end_discarded_fork_servers
from autograder.sandbox.launched_process import RunningProcess


@dataclass(frozen=True, slots=True)
class KilledProcessToCleanUp:
    """A process that was killed, and what is to be removed once it is gone."""

    process: RunningProcess
    scratch: SizeCheckedScratchFolder | None
    group: ControlGroup | None


_killed_processes: list[KilledProcessToCleanUp] = []
os.register_at_fork(after_in_child=_killed_processes.clear)  # they are not a fork's to wait for


def remember_killed_process(killed: KilledProcessToCleanUp) -> None:
    """Remember a process that is being killed; nothing waits for it yet."""
    _killed_processes.append(killed)


def remove_leftovers_of_ended_killed_processes() -> None:
    """Remove what processes left that have ended since; waiting for each would cost milliseconds a submission."""
    for killed in [one for one in _killed_processes if one.process.wait_for_exit_status_or_none(0) is not None]:
        if _remove_leftovers(killed):
            _killed_processes.remove(killed)


def wait_for_killed_and_remove_leftovers(timeout_seconds: float = 5.0) -> bool:
    """Wait until all processes that were killed are really gone, and remove what they left.

    Fork servers that are not used any more are ended, too.

    Returns:
        Whether they are.
    """
    deadline = time.monotonic() + timeout_seconds
    while _killed_processes and time.monotonic() < deadline:
        killed = _killed_processes[-1]
        if killed.process.wait_for_exit_status_or_none(max(0.0, deadline - time.monotonic())) is None:
            break
        if _remove_leftovers(killed):
            _killed_processes.remove(killed)
        else:
            time.sleep(0.001)
    end_discarded_fork_servers()
    return not _killed_processes


def _remove_leftovers(killed: KilledProcessToCleanUp) -> bool:
    """Remove what a process leaves, once it is gone: one that still runs might go on writing.

    Returns:
        Whether all is removed; what the process started may take longer than itself to be gone.
    """
    if killed.group is not None and not killed.group.remove_if_empty():
        return False
    if killed.scratch is not None:
        killed.scratch.remove()
    return True


def _clean_up_at_exit() -> None:
    wait_for_killed_and_remove_leftovers()
    control_group_creation_and_removal.end_and_remove_own_and_abandoned_groups()


atexit.register(_clean_up_at_exit)
