"""Make the system-call filter of a student's process, as a classic BPF program.

It is an allow-list: a call that it does not name fails with ``PermissionError``. That is a result that can be read,
and the process is not killed. Format: ``struct sock_filter`` and ``struct seccomp_data`` of ``linux/filter.h`` and
``linux/seccomp.h``.
"""

from __future__ import annotations

import errno
import functools
import struct
from collections.abc import Sequence

from autograder.sandbox.allowed_syscalls import AARCH64, ALLOWED_CALLS, ALLOWED_ON_CLOCKS, ALLOWED_ON_ITSELF, X86_64

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
ALLOW, KILL_PROCESS, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
REFUSE, NOT_THERE, AGAIN = ERROR | errno.EPERM, ERROR | errno.ENOSYS, ERROR | errno.EAGAIN
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
X32 = 0x40000000

CLONE_THREAD = 0x00010000
CLONE_NEW_ANYTHING = 0x7E020080
FCNTL_COMMANDS = (*range(5), 1030, 1032)  # no locks, no leases, no F_SETOWN (it sends signals), no F_SETPIPE_SZ
FCNTL_LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1025, 1026)  # F_GETLK to F_SETLKW, F_OFD_*, F_SETLEASE to F_NOTIFY
FUTEX_PRIVATE = 0x80
MADVICE = (*range(5), 8, *range(14, 18))  # of allocators; no MADV_PAGEOUT and its like: what is in memory is shared
MOST_CLOCK = 11  # CLOCK_TAI; above it, a number names the process or the device whose time is asked for
IOCTL_REQUESTS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # isatty and its like; no TIOCSTI

ARCHITECTURES = {"x86_64": (0xC000003E, X86_64), "aarch64": (0xC00000B7, AARCH64)}


def is_supported_machine(machine: str) -> bool:
    """Return whether a filter can be made for this ``os.uname().machine``."""
    return machine in ARCHITECTURES


def map_unwrapped_calls_to_numbers(machine: str) -> dict[str, int]:
    """Return the numbers of calls that libc has no function for, or none that will do.

    Empty on a machine that is not ``is_supported_machine``.
    """
    return (
        {name: ARCHITECTURES[machine][1][name] for name in ("seccomp", "futex", "clone")}
        if is_supported_machine(machine)
        else {}
    )


class SeccompFilterBuilder:
    """The instructions of a filter, as they are added."""

    def __init__(self, machine: str) -> None:
        """Begin with the test of the architecture, and the number of the call loaded."""
        audit_name, self._numbers = ARCHITECTURES[machine]
        self._code: list[bytes] = []
        self._add(LOAD, ARCHITECTURE)
        self._add(JUMP_EQUAL, audit_name, 1, 0)
        self._add(RETURN, KILL_PROCESS)
        self._add(LOAD, NUMBER)
        if machine == "x86_64":
            self._add(JUMP_AT_LEAST, X32, 0, 1)
            self._add(RETURN, KILL_PROCESS)

    def decide_call(self, name: str, verdict: int) -> None:
        """Decide a call by its name alone; a name that the architecture lacks is left out."""
        if name in self._numbers:
            self._decide(self._numbers[name], verdict)

    def decide_by_argument(
        self,
        name: str,
        index: int,
        values: Sequence[int],
        mask: int | None = None,
        verdict: int = ALLOW,
        otherwise: int = REFUSE,
    ) -> None:
        """Decide a call by the lower half of an argument, which is all that the kernel reads of these.

        Args:
            name: the call's; a call that the architecture lacks is left out.
            index: which argument.
            values: those that get the verdict.
            mask: the bits of the argument that are compared; all of them when None.
            verdict: for the values.
            otherwise: for all others.
        """
        if name not in self._numbers:
            return
        size = 2 + (mask is not None) + 2 * len(values)
        self._add(JUMP_EQUAL, self._numbers[name], 0, size)
        self._add(LOAD, ARGUMENTS + 8 * index)
        if mask is not None:
            self._add(AND, mask)
        for value in values:
            self._decide(value, verdict)
        self._add(RETURN, otherwise)

    def allow_with_null_argument(self, name: str, index: int) -> None:
        """Allow a call only if an argument is zero; the kernel reads both halves of it."""
        self._add(JUMP_EQUAL, self._numbers[name], 0, 6)
        self._add(LOAD, ARGUMENTS + 8 * index)
        self._add(JUMP_EQUAL, 0, 0, 3)
        self._add(LOAD, ARGUMENTS + 8 * index + 4)
        self._add(JUMP_EQUAL, 0, 0, 1)
        self._add(RETURN, ALLOW)
        self._add(RETURN, REFUSE)

    def build(self, default_verdict: int) -> bytes:
        """Give every other call a verdict; return the instructions, 8 bytes each."""
        self._add(RETURN, default_verdict)
        return b"".join(self._code)

    def _decide(self, number: int, verdict: int) -> None:
        self._add(JUMP_EQUAL, number, 0, 1)
        self._add(RETURN, verdict)

    def _add(self, operation: int, constant: int, if_true: int = 0, if_false: int = 0) -> None:
        self._code.append(struct.pack("=HBBI", operation, if_true, if_false, constant))


@functools.lru_cache(maxsize=64)  # in a namespace of its own, every process has the same id
def make_student_filter(machine: str, pid: int) -> bytes:
    """Return the filter for one process.

    Args:
        machine: as ``os.uname().machine`` says it, one that is ``is_supported_machine``.
        pid: the process's id as it sees it itself: the only one that it may signal, and ask about.

    Returns:
        The instructions, 8 bytes each.
    """
    builder = SeccompFilterBuilder(machine)
    # clone3 hides its flags behind a pointer; told that it does not exist, libc falls back to clone.
    builder.decide_call("clone3", NOT_THERE)
    for name in ("preadv2", "pwritev2"):  # their flags tell what is in memory; libc falls back to the older calls
        builder.decide_call(name, NOT_THERE)
    builder.decide_by_argument("clone", 0, (CLONE_THREAD,), CLONE_THREAD | CLONE_NEW_ANYTHING)
    for name in ("kill", "tgkill"):
        builder.decide_by_argument(name, 0, (pid,))
    for name in ALLOWED_ON_ITSELF:
        builder.decide_by_argument(name, 0, (0, pid))
    for name in ALLOWED_ON_CLOCKS:
        builder.decide_by_argument(name, 0, range(MOST_CLOCK + 1))
    # A futex that is not private belongs to a file, which other sandboxes map too. libc waits for the end of a
    # thread on one, and asks again when told to.
    builder.decide_by_argument("futex", 1, (FUTEX_PRIVATE,), FUTEX_PRIVATE, otherwise=AGAIN)
    # An address would reach any socket that has a name in the file system.
    builder.allow_with_null_argument("sendto", 4)
    builder.decide_by_argument("madvise", 2, MADVICE)
    builder.decide_by_argument("ioctl", 1, IOCTL_REQUESTS)
    builder.decide_by_argument("fcntl", 1, FCNTL_COMMANDS)
    for name in ALLOWED_CALLS:
        builder.decide_call(name, ALLOW)
    return builder.build(REFUSE)


def make_no_file_locks_filter(machine: str) -> bytes:
    """Return the filter of a process that may do everything but lock files.

    Args:
        machine: as ``os.uname().machine`` says it, one that is ``is_supported_machine``.

    Returns:
        The instructions, 8 bytes each.
    """
    builder = SeccompFilterBuilder(machine)
    builder.decide_call("flock", REFUSE)
    builder.decide_by_argument("fcntl", 1, FCNTL_LOCKS, verdict=REFUSE, otherwise=ALLOW)
    return builder.build(ALLOW)
