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
from autograder.sandbox.current_interpreter_files import find_current_interpreter_files
from autograder.sandbox.python_runtime_copy import PythonCopyPaths

CHANNEL = 3
"""The number of the channel's descriptor in every process; the system-call filter refers to it."""
HIDDEN_DESCRIPTORS = (1, 2, CHANNEL)
"""Descriptors of a process's output and channel; their inode numbers come from one counter of the whole machine."""
LAST_RESORT_FACTOR = 20
"""How many times the CPU time that a submission has on the reference machine ends its process, should nobody look."""
OPEN_FILES, FILE_KB, THREADS = 64, 256, 32
"""Limits of a process. ``OPEN_FILES`` files of ``FILE_KB`` fill the scratch folder, so that deleted files that are
still open, which cannot be counted from outside, do not exceed its size either."""
EXTRA_THREADS = 128
"""If processes share the user: threads allowed beyond those that run when the first process is started."""
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables that keep numeric libraries from starting a thread, with memory of its own, for each processor."""


@dataclass(frozen=True, slots=True)
class SandboxConfig:
    """The configuration of a sandbox: everything needed to start a student's process in it."""

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
    """Further folders that it may list."""
    uses_seccomp: bool = False
    """Whether seccomp must be in force."""
    denies_locks_alone: bool = False
    """Whether a filter denies only file locks; used if ``uses_seccomp`` is not set."""
    stdlib: str | None = None
    """The standard library's folder, if it can be reached only through a descriptor opened beforehand; else None."""
    library_copy: PythonCopyPaths | None = None
    """The copy of the standard library that is read in place of the machine's."""
    uses_own_root: bool = False
    """Whether the copy is the process's root folder, so that no other file exists for it; needs root."""
    packages: tuple[tuple[str, str], ...] = ()
    """Further packages that submissions may import: name, and file or folder as the process sees it."""

    uses_fork_server: bool = False
    """Whether processes are forked from an interpreter inside the sandbox; see ``fork_server``."""

    @property
    def lets_processes_overlap(self) -> bool:
        """Return whether processes of two submissions may overlap, because neither sees the other's locks."""
        return self.uses_seccomp or self.denies_locks_alone

    def make_lockdown_config(
        self, limits: Limits, uid: int | None, pid_seen_inside: int, scratch_folder: str | None = None
    ) -> dict[str, Any]:
        """Return the configuration for ``inside.lockdown``.

        Args:
            limits: the assignment's.
            uid: the user id to become, if any.
            pid_seen_inside: the process's id in its own namespace.
            scratch_folder: the folder to work in; None when the process is there already.
        """
        return {
            "limits": make_resource_limits(limits, own_user=uid is not None),
            "uid": uid,
            "stdlib": self.stdlib,
            "packages": dict(self.packages),
            "scratch": scratch_folder,
            "copy": (find_current_interpreter_files().stdlib, self.library_copy.stdlib)
            if self.library_copy
            else None,
            "root": self.library_copy.root if self.library_copy and self.uses_own_root else None,
            "landlock": self._make_landlock_paths(),
            "seccomp": self._make_filter(pid_seen_inside),
            "numbers": seccomp_filter.get_unwrapped_syscall_numbers(os.uname().machine),
            "confined": self.uses_seccomp,
            "parent_death": not self.bwrap_path,
            "environment": dict.fromkeys(ONE_THREAD, "1") if self.packages else {},
            "outside": __file__ if self.uses_seccomp else None,
            "library": self._get_library_folder() if self.uses_seccomp else None,
        }

    def _get_library_folder(self) -> str:
        """Return the standard library's folder as the process sees it."""
        return self.library_copy.stdlib if self.library_copy else find_current_interpreter_files().stdlib

    def _make_filter(self, pid: int) -> bytes | None:
        """Return the filter of system calls, if there is one."""
        machine = os.uname().machine
        if self.uses_seccomp:
            return seccomp_filter.make_student_filter(machine, pid, HIDDEN_DESCRIPTORS)
        return seccomp_filter.make_filter_denying_only_file_locks(machine) if self.denies_locks_alone else None

    def _make_landlock_paths(self) -> dict[str, list[str]] | None:
        if self.readable_paths is None:
            return None
        return {"readable": list(self.readable_paths), "listable": list(self.listable_folders)}


def make_resource_limits(limits: Limits, *, own_user: bool) -> dict[str, int]:
    """Return the limits that the kernel enforces, by their names in ``resource``."""
    resources = {
        "RLIMIT_AS": limits.memory_mb * 2**20,
        "RLIMIT_CPU": int(limits.submission_seconds + limits.import_seconds + 1) * LAST_RESORT_FACTOR,
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


os.register_at_fork(after_in_child=_count_threads_of_user.cache_clear)
