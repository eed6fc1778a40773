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

from autograder.sandbox.syscall_allowlist import (
    AARCH64,
    ALLOWED_CALLS,
    ALLOWED_ON_CLOCKS,
    ALLOWED_ON_ITSELF,
    ALLOWED_ON_OWN_FILES,
    X86_64,
)

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
ALLOW, KILL_PROCESS, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
REFUSE, NOT_THERE, AGAIN = ERROR | errno.EPERM, ERROR | errno.ENOSYS, ERROR | errno.EAGAIN
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
X32 = 0x40000000

CLONE_THREAD = 0x00010000
CLONE_NEW_ANYTHING = 0x7E020080
FCNTL_COMMANDS = (*range(5), 1030, 1032)  # no locks, no leases, no F_SETOWN (it sends signals), no F_SETPIPE_SZ
FCNTL_COPIES = (0, 1030)  # F_DUPFD, F_DUPFD_CLOEXEC
FCNTL_LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1025, 1026)  # F_GETLK to F_SETLKW, F_OFD_*, F_SETLEASE to F_NOTIFY
FUTEX_PRIVATE = 0x80
MADVICE = (*range(5), 8, *range(14, 18))  # of allocators; no MADV_PAGEOUT and its like: what is in memory is shared
MOST_CLOCK = 11  # CLOCK_TAI; above it, a number names the process or the device whose time is asked for
IOCTL_REQUESTS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # isatty and its like; no TIOCSTI

ARCHITECTURES = {"x86_64": (0xC000003E, X86_64), "aarch64": (0xC00000B7, AARCH64)}


def is_supported_machine(machine: str) -> bool:
    """Return whether a filter can be made for this ``os.uname().machine``."""
    return machine in ARCHITECTURES


def get_unwrapped_syscall_numbers(machine: str) -> dict[str, int]:
    """Return the numbers of calls for which libc has no suitable function.

    Empty on a machine that is not ``is_supported_machine``.
    """
    return (
        {name: ARCHITECTURES[machine][1][name] for name in ("seccomp", "futex", "clone", "statx", "times")}
        if is_supported_machine(machine)
        else {}
    )


class SeccompFilterBuilder:
    """The instructions of a filter, as they are added."""

    def __init__(self, machine: str) -> None:
        """Begin with the test of the architecture, and the number of the call loaded."""
        audit_name, self._numbers = ARCHITECTURES[machine]
        self._code: list[bytes] = []
        self._add_instruction(LOAD, ARCHITECTURE)
        self._add_instruction(JUMP_EQUAL, audit_name, 1, 0)
        self._add_instruction(RETURN, KILL_PROCESS)
        self._add_instruction(LOAD, NUMBER)
        if machine == "x86_64":
            self._add_instruction(JUMP_AT_LEAST, X32, 0, 1)
            self._add_instruction(RETURN, KILL_PROCESS)

    def add_call_rule(self, system_call_name: str, action: int) -> None:
        """Decide a call by its name alone; a name that the architecture lacks is left out."""
        if system_call_name in self._numbers:
            self._add_decision(self._numbers[system_call_name], action)

    def add_argument_rule(
        self,
        system_call_name: str,
        argument_index: int,
        values: Sequence[int],
        mask: int | None = None,
        action: int = ALLOW,
        otherwise_action: int = REFUSE,
    ) -> None:
        """Decide a call by the lower half of an argument, which is all that the kernel reads of these.

        Args:
            system_call_name: the call's; a call that the architecture lacks is left out.
            argument_index: which argument.
            values: those that get the action.
            mask: the bits of the argument that are compared; all of them when None.
            action: for the values.
            otherwise_action: for all others.
        """
        if system_call_name not in self._numbers:
            return
        size = 2 + (mask is not None) + 2 * len(values)
        self._add_instruction(JUMP_EQUAL, self._numbers[system_call_name], 0, size)
        self._add_instruction(LOAD, ARGUMENTS + 8 * argument_index)
        if mask is not None:
            self._add_instruction(AND, mask)
        for value in values:
            self._add_decision(value, action)
        self._add_instruction(RETURN, otherwise_action)

    def add_fcntl_refusal(self, fcntl_commands: Sequence[int], descriptors: Sequence[int]) -> None:
        """Refuse ``fcntl`` if its command and its descriptor are both among these; decide nothing otherwise."""
        descriptor_instruction_count = 1 + 2 * len(descriptors)
        self._add_instruction(
            JUMP_EQUAL, self._numbers["fcntl"], 0, 2 + len(fcntl_commands) + descriptor_instruction_count
        )
        self._add_instruction(LOAD, ARGUMENTS + 8)
        for number in reversed(range(len(fcntl_commands))):
            self._add_instruction(
                JUMP_EQUAL, fcntl_commands[number], number, 0 if number else descriptor_instruction_count
            )
        self._add_instruction(LOAD, ARGUMENTS)
        for descriptor in descriptors:
            self._add_decision(descriptor, REFUSE)
        self._add_instruction(LOAD, NUMBER)

    def build(self, default_action: int) -> bytes:
        """Give every other call a verdict; return the instructions, 8 bytes each."""
        self._add_instruction(RETURN, default_action)
        return b"".join(self._code)

    def _add_decision(self, number: int, verdict: int) -> None:
        self._add_instruction(JUMP_EQUAL, number, 0, 1)
        self._add_instruction(RETURN, verdict)

    def _add_instruction(self, operation: int, constant: int, if_true: int = 0, if_false: int = 0) -> None:
        self._code.append(struct.pack("=HBBI", operation, if_true, if_false, constant))


@functools.lru_cache(maxsize=64)  # in a namespace of its own, every process has the same id
def make_student_filter(machine: str, pid_seen_inside: int, hidden_descriptors: tuple[int, ...]) -> bytes:
    """Return the filter for one process.

    Args:
        machine: the value of ``os.uname().machine``; must be supported, see ``is_supported_machine``.
        pid_seen_inside: the process's id in its own namespace, the only process that it may signal or query.
        hidden_descriptors: descriptors that it may neither query nor copy.

    Returns:
        The instructions, 8 bytes each.
    """
    builder = SeccompFilterBuilder(machine)
    # clone3 hides its flags behind a pointer; told that it does not exist, libc falls back to clone.
    builder.add_call_rule("clone3", NOT_THERE)
    # The flags of two tell what is in memory, statx tells numbers of mounts; libc falls back to the older calls.
    for name in ("preadv2", "pwritev2", "statx"):
        builder.add_call_rule(name, NOT_THERE)
    builder.add_argument_rule("clone", 0, (CLONE_THREAD,), CLONE_THREAD | CLONE_NEW_ANYTHING)
    for name in ("kill", "tgkill"):
        builder.add_argument_rule(name, 0, (pid_seen_inside,))
    for name in ALLOWED_ON_ITSELF:
        builder.add_argument_rule(name, 0, (0, pid_seen_inside))
    for name in ALLOWED_ON_CLOCKS:
        builder.add_argument_rule(name, 0, range(MOST_CLOCK + 1))
    # A futex that is not private belongs to a file, which other sandboxes map too. libc waits for the end of a
    # thread on one, and asks again when told to.
    builder.add_argument_rule("futex", 1, (FUTEX_PRIVATE,), FUTEX_PRIVATE, otherwise_action=AGAIN)
    for name in ALLOWED_ON_OWN_FILES:
        builder.add_argument_rule(name, 0, hidden_descriptors, action=REFUSE, otherwise_action=ALLOW)
    builder.add_argument_rule("madvise", 2, MADVICE)
    builder.add_argument_rule("ioctl", 1, IOCTL_REQUESTS)
    builder.add_fcntl_refusal(FCNTL_COPIES, hidden_descriptors)
    builder.add_argument_rule("fcntl", 1, FCNTL_COMMANDS)
    for name in ALLOWED_CALLS:
        builder.add_call_rule(name, ALLOW)
    return builder.build(REFUSE)


def make_filter_denying_only_file_locks(machine: str) -> bytes:
    """Return the filter of a process that may do everything but lock files.

    Args:
        machine: as ``os.uname().machine`` says it, one that is ``is_supported_machine``.

    Returns:
        The instructions, 8 bytes each.
    """
    builder = SeccompFilterBuilder(machine)
    builder.add_call_rule("flock", REFUSE)
    builder.add_argument_rule("fcntl", 1, FCNTL_LOCKS, action=REFUSE, otherwise_action=ALLOW)
    return builder.build(ALLOW)
