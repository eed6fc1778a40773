"""The system-call filter of a student's process, as a classic BPF program.

An allow-list: what it does not name fails with ``PermissionError``, which is a result that can be read, and not
a killed process. Format: ``struct sock_filter`` and ``struct seccomp_data`` of ``linux/filter.h`` and
``linux/seccomp.h``.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Sequence

from autograder.sandbox.syscalls import AARCH64, ALLOWED, X86_64

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
ALLOW, KILL_PROCESS = 0x7FFF0000, 0x80000000
REFUSE = 0x00050000 | errno.EPERM
NOT_THERE = 0x00050000 | errno.ENOSYS
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
X32 = 0x40000000

CLONE_THREAD = 0x00010000
CLONE_NEW_ANYTHING = 0x7E020080
FCNTL_COMMANDS = (*range(8), *range(36, 39), *range(1030, 1035))  # no F_SETOWN: it sends signals
IOCTL_REQUESTS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # isatty and its like; no TIOCSTI
AF_UNIX, SOCK_STREAM, SOCK_TYPES = 1, 1, 0xF

ARCHITECTURES = {"x86_64": (0xC000003E, X86_64), "aarch64": (0xC00000B7, AARCH64)}


def supported(machine: str) -> bool:
    """Whether a filter can be made for this ``os.uname().machine``."""
    return machine in ARCHITECTURES


def syscall_number(machine: str) -> int:
    """The number of ``seccomp`` itself on this machine."""
    return ARCHITECTURES[machine][1]["seccomp"]


def program(machine: str, pid: int) -> bytes:
    """The filter for one process.

    Args:
        machine: as ``os.uname().machine`` says it, one that is ``supported``.
        pid: the process's id as it sees it itself: the only one that it may send signals to.

    Returns:
        The instructions, 8 bytes each.
    """
    audit_name, numbers = ARCHITECTURES[machine]
    code: list[bytes] = []

    def add(operation: int, constant: int, if_true: int = 0, if_false: int = 0) -> None:
        code.append(struct.pack("=HBBI", operation, if_true, if_false, constant))

    def decide(number: int, verdict: int) -> None:
        add(JUMP_EQUAL, number, 0, 1)
        add(RETURN, verdict)

    def by_argument(name: str, index: int, allowed: Sequence[int], mask: int | None = None) -> None:
        """Decide by the lower half of an argument, which is all that the kernel reads of these."""
        size = 2 + (mask is not None) + 2 * len(allowed)
        add(JUMP_EQUAL, numbers[name], 0, size)
        add(LOAD, ARGUMENTS + 8 * index)
        if mask is not None:
            add(AND, mask)
        for value in allowed:
            decide(value, ALLOW)
        add(RETURN, REFUSE)

    add(LOAD, ARCHITECTURE)
    add(JUMP_EQUAL, audit_name, 1, 0)
    add(RETURN, KILL_PROCESS)
    add(LOAD, NUMBER)
    if machine == "x86_64":
        add(JUMP_AT_LEAST, X32, 0, 1)
        add(RETURN, KILL_PROCESS)
    # clone3 hides its flags behind a pointer; told that it does not exist, libc falls back to clone.
    decide(numbers["clone3"], NOT_THERE)
    by_argument("clone", 0, (CLONE_THREAD,), CLONE_THREAD | CLONE_NEW_ANYTHING)
    by_argument("kill", 0, (pid,))
    by_argument("tgkill", 0, (pid,))
    by_argument("prlimit64", 0, (0, pid))
    add(JUMP_EQUAL, numbers["socketpair"], 0, 7)
    add(LOAD, ARGUMENTS)
    add(JUMP_EQUAL, AF_UNIX, 0, 4)
    add(LOAD, ARGUMENTS + 8)
    add(AND, SOCK_TYPES)
    add(JUMP_EQUAL, SOCK_STREAM, 0, 1)
    add(RETURN, ALLOW)
    add(RETURN, REFUSE)
    # An address would reach any socket that has a name in the file system; an empty pointer has two empty halves.
    add(JUMP_EQUAL, numbers["sendto"], 0, 6)
    add(LOAD, ARGUMENTS + 8 * 4)
    add(JUMP_EQUAL, 0, 0, 3)
    add(LOAD, ARGUMENTS + 8 * 4 + 4)
    add(JUMP_EQUAL, 0, 0, 1)
    add(RETURN, ALLOW)
    add(RETURN, REFUSE)
    by_argument("ioctl", 1, IOCTL_REQUESTS)
    by_argument("fcntl", 1, FCNTL_COMMANDS)
    for name in ALLOWED:
        if name in numbers:
            decide(numbers[name], ALLOW)
    add(RETURN, REFUSE)
    return b"".join(code)
