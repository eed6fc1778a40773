"""Make a control group for each student's process if the machine allows it, and remove all of them."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import tempfile
import time
from pathlib import Path

from autograder.sandbox.control_group import ControlGroup, ControlGroupLimits
from autograder.sandbox.control_group_delegation import (
    ATTEMPTS,
    MAIN_GROUP,
    PREFIX,
    acquire_group_delegation,
    enable_subgroup_controllers,
)

SWEEP_SECONDS = 1.0
"""How long killed processes may take to disappear."""


def make_control_group_or_none(limits: ControlGroupLimits) -> ControlGroup | None:
    """Make a group for one process; return None if the machine does not allow it.

    Raises:
        OSError: the kernel makes no further group.
    """
    grant = acquire_group_delegation()
    if grant.groups_folder is None:
        return None
    return ControlGroup(_make_folder(grant.groups_folder, grant.controllers, os.getpid()), limits, grant.controllers)


def remove_abandoned_groups(groups_folder: Path) -> None:
    """Kill the processes in groups that no living grader has locked, and remove the groups.

    Wait up to ``SWEEP_SECONDS`` for the groups of each grader.
    """
    for folder in groups_folder.glob(f"{PREFIX}*"):
        if folder.name == MAIN_GROUP:
            continue
        with contextlib.suppress(OSError):  # it is in use, or another grader removes it at the same time
            descriptor = _lock_folder(folder)
            try:
                _remove_groups(folder)
            finally:
                os.close(descriptor)


def remove_groups_on_exit() -> None:
    """Kill the processes in this process's groups and in those of ended graders, and remove the groups.

    This is called when this process ends.
    """
    if acquire_group_delegation.cache_info().currsize and (base := acquire_group_delegation().groups_folder):
        if (lock := _lock_by_pid.pop(os.getpid(), None)) is not None:
            os.close(lock)
        remove_abandoned_groups(base)


_lock_by_pid: dict[int, int] = {}
"""Descriptors of the folder of this process's groups, locked as long as the process runs."""


@functools.cache
def _make_folder(base: Path, controllers: tuple[str, ...], pid: int) -> str:
    """Make the folder of one grader's groups; remove those of graders that are gone."""
    remove_abandoned_groups(base)
    for _ in range(ATTEMPTS):
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{pid}-", dir=base))
        with contextlib.suppress(OSError):  # another grader's sweep was faster than the lock
            _lock_by_pid[pid] = _lock_folder(folder)
            enable_subgroup_controllers(folder, controllers)
            return str(folder)
    raise OSError(f"no control group can be made below {base}")


def _lock_folder(folder: Path) -> int:
    """Lock a folder until its descriptor is closed, at the latest by the end of this process."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _remove_groups(folder: Path) -> None:
    deadline = time.monotonic() + SWEEP_SECONDS
    groups = [entry for entry in folder.iterdir() if entry.is_dir()]
    for group in groups:
        group.joinpath("cgroup.kill").write_text("1")
    for group in (*groups, folder):
        while True:
            try:
                group.rmdir()
                break
            except OSError:  # killed processes take a moment to disappear
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.001)
