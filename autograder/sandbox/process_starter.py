"""Start a student's process in a sandbox, each with a user id of its own where the sandbox says so."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator

from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox.memory_protection import protect_grader_memory
from autograder.sandbox.sandbox_model import Sandbox
from autograder.sandbox.student_process import StudentProcess

FIRST_UID, UIDS = 200_000, 65_000


def _iterate_unused_uids() -> Iterator[int]:
    """Give user ids that no account has; two graders on one machine start at different places."""
    start = os.getpid() * 131 % UIDS
    return (FIRST_UID + (start + step) % UIDS for step in itertools.count())


_next_uid = _iterate_unused_uids()


def start_process_without_waiting(sandbox: Sandbox, limits: Limits, server_code: bytes) -> StudentProcess:
    """Start a process; it is locked before anything of the student's is sent.

    Args:
        sandbox: how it is shut in.
        limits: the assignment's.
        server_code: what it runs; see ``StudentProcess``.

    Raises:
        KitFault: the process cannot be started.
    """
    protect_grader_memory()
    try:
        return StudentProcess(sandbox, limits, next(_next_uid) if sandbox.uses_own_uid else None, server_code)
    except OSError as error:
        raise KitFault(
            f"no process can be started: {error}", advice="too many files or processes are open"
        ) from error
