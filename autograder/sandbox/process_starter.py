"""Start a student's process in a sandbox, with a user id of its own if the sandbox requires one."""

from __future__ import annotations

import secrets

from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox.grader_memory_protection import protect_grader_memory
from autograder.sandbox.sandbox_config import SandboxConfig
from autograder.sandbox.student_process import StudentProcess

FIRST_UID, UIDS = 600_000_000, 1 << 28


def choose_random_process_uid() -> int:
    """Return a random user id that no account has.

    Consecutive ids would let a submission send information to the next one by the number of processes that it ends. A
    common id would let submissions see and use up each other's threads, which are counted by user. Two of a hundred
    processes get the same id once in 50,000 such hundreds; even then, the system-call filter forbids signals and
    tracing between them.
    """
    return FIRST_UID + secrets.randbelow(UIDS)


def start_student_process(sandbox: SandboxConfig, limits: Limits, server_code: bytes) -> StudentProcess:
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
            f"cannot start a process: {error}", advice="see whether too many files or processes are open"
        ) from error
