"""Describe how a tier starts a process, with the limits and the folder that it gets."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import resource
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course import Limits
from autograder.course.model import TierName
from autograder.faults import KitFault
from autograder.files import make_scratch_folder
from autograder.sandbox import seccomp_filter
from autograder.sandbox.installed_files import PythonCopyPaths, find_current_interpreter_files

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
            "limits": _make_resource_limits(limits, own_user=uid is not None),
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


def _make_resource_limits(limits: Limits, *, own_user: bool) -> dict[str, int]:
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


LIMIT_NAMES = {
    "RLIMIT_AS": ("memory", "ulimit -v", 1024),
    "RLIMIT_CPU": ("processor time", "ulimit -t", 1),
    "RLIMIT_FSIZE": ("the size of a file", "ulimit -f", 1024),
    "RLIMIT_NOFILE": ("open files", "ulimit -n", 1),
    "RLIMIT_STACK": ("the stack", "ulimit -s", 1024),
    "RLIMIT_NPROC": ("processes", "ulimit -u", 1),
}
"""What each limit is on, the command of a shell that sets it, and the number of bytes or other units it counts in."""


def find_low_limit_fault(limits: Limits) -> KitFault | None:
    """Return the fault of the first limit that a student's process would have to raise, which it may not.

    None if all suffice.

    Args:
        limits: the assignment's.
    """
    for name, needed in _make_resource_limits(limits, own_user=os.getuid() == 0).items():
        _, hard_limit = resource.getrlimit(getattr(resource, name))
        if name in LIMIT_NAMES and resource.RLIM_INFINITY != hard_limit < needed:
            words, command, unit = LIMIT_NAMES[name]
            return KitFault(
                f"this account's limit on {words} is {hard_limit // unit} (`{command}`), too low for a sandbox",
                advice=f"raise it to {needed // unit} or more, then run the command again",
            )
    return None


SCRATCH_MB, SCRATCH_FILES = 16, 1000


class BoundedScratchFolder:
    """The scratch folder of one process; its size is checked from outside."""

    def __init__(self, uid: int | None, *, in_private_file_system: bool, parent_folder: str | None = None) -> None:
        """Make the folder.

        Args:
            uid: the user that it belongs to; this process's own user when None.
            in_private_file_system: whether the process has a file system of its own, and makes the folder there (see
                ``take_folder_descriptor``).
            parent_folder: the folder to make it in; where temporary files go when None.

        Raises:
            OSError: there is no room for temporary files.
        """
        self.path_outside_namespace: str | None = None
        """Where it is for both sides; None when it is in the process's own file system."""
        if not in_private_file_system:
            self.path_outside_namespace = make_scratch_folder(parent_folder)
        self._descriptor = -1
        if self.path_outside_namespace is not None and uid is not None:
            os.chown(self.path_outside_namespace, uid, uid)

    def take_folder_descriptor(self, folder_descriptor: int) -> None:
        """Keep a descriptor of the folder, which the process opened before it received anything of the student's.

        Close it instead if the folder has a path outside of the process's namespace.
        """
        if self.path_outside_namespace is None:
            self._descriptor = folder_descriptor
        else:
            os.close(folder_descriptor)

    @property
    def exceeds_limits(self) -> bool:
        """Return whether the folder holds more than a submission may write.

        In a private file system, the kernel limits the bytes; the number of files is checked only here.
        """
        if self.path_outside_namespace is None:
            if self._descriptor < 0:
                return False
            statistics = os.fstatvfs(self._descriptor)
            return statistics.f_files - statistics.f_ffree > SCRATCH_FILES
        files = size = 0
        with contextlib.suppress(OSError), os.scandir(self.path_outside_namespace) as entries:
            for entry in entries:
                files += 1
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    size += max(status.st_size, status.st_blocks * 512)
                if files > SCRATCH_FILES:
                    break
        return files > SCRATCH_FILES or size > SCRATCH_MB * 2**20

    def remove(self) -> None:
        """Remove the folder."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        if self.path_outside_namespace is not None:
            shutil.rmtree(self.path_outside_namespace, ignore_errors=True)


PR_SET_DUMPABLE = 4


@functools.cache
def protect_grader_memory() -> None:
    """Let no process of the same user read this one's memory, environment or descriptors, or trace it.

    Hidden tests and expected answers are in this process; where a submission cannot be given a user of its own, the
    kernel would let it look. This is called before the first student's process is started, and lasts for good. A
    debugger can no longer attach. Source: ``PR_SET_DUMPABLE`` in prctl(2).
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
