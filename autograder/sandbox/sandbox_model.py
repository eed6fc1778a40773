"""Describe how a tier starts a process: plain data that can be sent to a worker."""

from __future__ import annotations

import functools
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course import Limits
from autograder.course.model import TierName
from autograder.sandbox import seccomp_filter
from autograder.sandbox.bounded_scratch_folder import SCRATCH_MB
from autograder.sandbox.control_group import ControlGroupLimits
from autograder.sandbox.kit_interpreter import inspect_kit_interpreter
from autograder.sandbox.library_copy import LibraryCopyPaths

OPEN_FILES, FILE_KB, THREADS = 64, 256, 32
"""As many files as may be open, of this size, fill the folder: deleted ones too, which nobody sees to count."""
EXTRA_MEMORY_MB = 2 * SCRATCH_MB
"""What a control group may hold beside the memory of a submission: its files, and what the kernel keeps for it. So a
program that only fills its memory reaches the limit on address space first, which it can catch."""
EXTRA_THREADS = 128
"""Where the user is shared: threads beyond those that run when the first process is started."""
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Packages for numbers start a thread a processor, each with memory of its own, unless they are told this."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """One way to shut a student's process in, ready to be used."""

    tier: TierName
    python_path: str
    """The interpreter that runs the student's code."""
    bwrap_path: str = ""
    """Path of bubblewrap; empty when it is not used."""
    bwrap_arguments: tuple[str, ...] = ()
    uses_own_uid: bool = False
    """Whether each process gets a user id of its own; needs root."""
    readable_paths: tuple[str, ...] | None = None
    """Files and folders that Landlock lets the process read; None when Landlock is not used."""
    listable_folders: tuple[str, ...] = ()
    """Folders whose names it may list beyond that."""
    uses_seccomp: bool = False
    """Whether seccomp must be in force."""
    stdlib: str | None = None
    """Set when the standard library can only be reached through a folder opened beforehand."""
    library_copy: LibraryCopyPaths | None = None
    """The copy of the standard library that is read in place of the machine's."""
    uses_own_root: bool = False
    """Whether the copy is all that exists for the process; needs root."""
    packages: tuple[tuple[str, str], ...] = ()
    """What the course lets submissions import besides: name, and file or folder as the process sees it."""

    uses_fork_server: bool = False
    """Whether processes are forks of an interpreter that is in the sandbox already; see ``fork_server``."""

    uses_control_group: bool = True
    """Whether each process gets a control group, where the machine grants them."""

    def make_control_group_limits(self, limits: Limits) -> ControlGroupLimits:
        """Return what a process's control group is limited to, if it gets one."""
        return ControlGroupLimits((limits.memory_mb + EXTRA_MEMORY_MB) * 2**20, THREADS)

    def make_lockdown_config(
        self, limits: Limits, uid: int | None, pid: int, scratch: str | None = None
    ) -> dict[str, Any]:
        """Return what ``inside.lockdown`` is told.

        Args:
            limits: the assignment's.
            uid: the user id to become, if any.
            pid: the process's id as it sees it itself.
            scratch: the folder to work in; None when the process is there already.
        """
        return {
            "limits": _make_resource_limits(limits, own_user=uid is not None),
            "uid": uid,
            "stdlib": self.stdlib,
            "packages": dict(self.packages),
            "scratch": scratch,
            "copy": (inspect_kit_interpreter().stdlib, self.library_copy.stdlib) if self.library_copy else None,
            "root": self.library_copy.root if self.library_copy and self.uses_own_root else None,
            "landlock": self._landlock(),
            "seccomp": self._filter(pid),
            "numbers": seccomp_filter.map_unwrapped_calls_to_numbers(os.uname().machine),
            "confined": self.uses_seccomp,
            "parent_death": not self.bwrap_path,
            "environment": dict.fromkeys(ONE_THREAD, "1") if self.packages else {},
            "outside": __file__ if self.uses_seccomp else None,
            "library": self._library() if self.uses_seccomp else None,
        }

    def _library(self) -> str:
        """Return the standard library's folder as the process sees it."""
        return self.library_copy.stdlib if self.library_copy else inspect_kit_interpreter().stdlib

    def _filter(self, pid: int) -> bytes | None:
        """Return the filter of system calls, if this system has it; in tier ``process`` it denies locks alone."""
        machine = os.uname().machine
        if not (sys.platform == "linux" and seccomp_filter.is_supported_machine(machine)):
            return None
        return (
            seccomp_filter.make_student_filter(machine, pid)
            if self.uses_seccomp
            else seccomp_filter.make_no_file_locks_filter(machine)
        )

    def _landlock(self) -> dict[str, list[str]] | None:
        if self.readable_paths is None:
            return None
        return {"readable": list(self.readable_paths), "listable": list(self.listable_folders)}


def _make_resource_limits(limits: Limits, *, own_user: bool) -> dict[str, int]:
    """Return the limits that the kernel keeps, by their names in ``resource``."""
    resources = {
        "RLIMIT_AS": limits.memory_mb * 2**20,
        "RLIMIT_CPU": int(limits.submission_seconds + limits.import_seconds) + 1,
        "RLIMIT_FSIZE": FILE_KB * 2**10,
        "RLIMIT_NOFILE": OPEN_FILES,
        "RLIMIT_CORE": 0,
        "RLIMIT_STACK": 8 * 2**20,
    }
    if sys.platform == "linux":
        threads = THREADS if own_user else _count_threads_of_user() + EXTRA_THREADS
        resources |= {"RLIMIT_MEMLOCK": 0, "RLIMIT_MSGQUEUE": 0, "RLIMIT_NPROC": threads}
    return resources


@functools.cache
def _count_threads_of_user() -> int:
    """Return how many threads this process's user has: the kernel counts them all if a submission shares the user."""
    user, count = os.getuid(), 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.stat().st_uid == user:
                count += len(os.listdir(process / "task"))
        except OSError:
            continue
    return count
