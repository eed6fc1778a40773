"""Start a student's process in a sandbox, each with a user id of its own where the sandbox says so."""

from __future__ import annotations

import secrets

from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox.grader_memory_protection import protect_grader_memory
from autograder.sandbox.sandbox_config import SandboxConfig
from autograder.sandbox.student_process import StudentProcess

FIRST_UID, UIDS = 600_000_000, 1 << 28


def choose_random_process_uid() -> int:
    """Return a user id that no account has, by chance.

    Not one after the other: a submission that ends its processes would say something to the next one by its number.
    Not one for all: threads are counted by user, and so one submission would see, and use up, the threads of another.
    That two of a hundred processes get the same one happens once in 50,000 such hundreds. They could not signal or
    trace each other then either, for the filter of system calls forbids both.
    """
    return FIRST_UID + secrets.randbelow(UIDS)


def start_process_without_waiting(sandbox: SandboxConfig, limits: Limits, server_code: bytes) -> StudentProcess:
    """Start a process; it is locked before anything of the student's is sent.

    From the first call on, no debugger can attach to this process (see ``protect_grader_memory``).

    Args:
        sandbox: how it is shut in.
        limits: the assignment's.
        server_code: what it runs; see ``StudentProcess``.

    Raises:
        KitFault: the process cannot be started.
    """
    protect_grader_memory()
    try:
        return StudentProcess(
            sandbox, limits, choose_random_process_uid() if sandbox.uses_own_uid else None, server_code
        )
    except OSError as error:
        raise KitFault(
            f"no process can be started: {error}", advice="too many files or processes are open"
        ) from error
