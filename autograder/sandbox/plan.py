"""How a tier starts a process: plain data that can be sent to a worker."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.course import Limits
from autograder.course.model import TierName
from autograder.faults import KitFault
from autograder.sandbox import seccomp
from autograder.sandbox.child import Child

FIRST_UID, UIDS = 200_000, 65_000


def _uids() -> Iterator[int]:
    """Ids that no account has; two graders on one machine start at different places."""
    start = os.getpid() * 131 % UIDS
    return (FIRST_UID + (start + step) % UIDS for step in itertools.count())


_next_uid = _uids()


@dataclass(frozen=True, slots=True)
class Sandbox:
    """One way to shut a student's process in, ready to be used."""

    tier: TierName
    python: str
    """The interpreter that runs the student's code."""
    bwrap: str = ""
    """Path of bubblewrap; empty when it is not used."""
    bwrap_arguments: tuple[str, ...] = ()
    own_uid: bool = False
    """Whether each process gets a user id of its own; needs root."""
    readable: tuple[str, ...] | None = None
    """Files and folders that Landlock lets the process read; None when Landlock is not used."""
    listable: tuple[str, ...] = ()
    """Folders whose names it may list beyond that."""
    filtered: bool = False
    """Whether seccomp must be in force."""
    stdlib: str | None = None
    """Set when the standard library can only be reached through a folder opened beforehand."""

    def start(self, limits: Limits) -> Child:
        """Start a process; it is locked before anything of the student's is sent (see ``Child.ready``).

        Raises:
            KitFault: the process cannot be started.
        """
        try:
            return Child(self, limits, next(_next_uid) if self.own_uid else None)
        except OSError as error:
            raise KitFault(
                f"no process can be started: {error}", advice="too many files or processes are open"
            ) from error

    def lock_config(self, limits: Limits, uid: int | None, pid: int) -> dict[str, Any]:
        """What ``inside.lock`` is told.

        Args:
            limits: the assignment's.
            uid: the user id to become, if any.
            pid: the process's id as it sees it itself.
        """
        memory = limits.memory_mb * 2**20
        seconds = int(limits.submission_seconds + limits.import_seconds) + 1
        resources = {
            "RLIMIT_AS": memory,
            "RLIMIT_CPU": seconds,
            "RLIMIT_FSIZE": 8 * 2**20,
            "RLIMIT_NOFILE": 64,
            "RLIMIT_CORE": 0,
            "RLIMIT_STACK": 8 * 2**20,
        }
        if sys.platform == "linux":
            resources |= {"RLIMIT_MEMLOCK": 0, "RLIMIT_MSGQUEUE": 0}
        if uid is not None:
            resources["RLIMIT_NPROC"] = 32
        machine = os.uname().machine
        filter_ = (
            {"number": seccomp.syscall_number(machine), "program": seccomp.program(machine, pid)}
            if self.filtered
            else None
        )
        return {
            "limits": resources,
            "uid": uid,
            "stdlib": self.stdlib,
            "landlock": self._landlock(),
            "seccomp": filter_,
            "parent_death": not self.bwrap,
        }

    def _landlock(self) -> dict[str, list[str]] | None:
        if self.readable is None:
            return None
        return {"readable": list(self.readable), "listable": list(self.listable)}
