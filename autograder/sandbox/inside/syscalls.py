"""Make system calls for which Python has no function."""

import ctypes
import os
from typing import Any

libc: Any = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_DUMPABLE = 1, 3, 4
PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS = 38, 39
CAPABILITY_VERSION = 0x20080522  # linux/capability.h: two words for each of the three sets
PTRACE_TRACEME = 0


def make_system_call(error_text: str, *number_and_arguments: Any) -> int:
    """Make a system call by its number, and return its result.

    Raises:
        OSError: the call failed; ``error_text`` is the error's text.
    """
    result: int = libc.syscall(*number_and_arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), error_text)
    return result


def drop_all_capabilities() -> None:
    """Give up every capability, in all three sets."""
    header, nothing = _capability_header(), (ctypes.c_uint32 * 6)()
    if libc.capset(header, nothing):
        raise OSError(ctypes.get_errno(), "capabilities cannot be given up")


def has_capabilities() -> bool:
    """Return whether any capability is left."""
    header, capabilities = _capability_header(), (ctypes.c_uint32 * 6)()
    return bool(libc.capget(header, capabilities) or any(capabilities))


def ptrace_traceme() -> bool:
    """Request to be traced by the parent process, and return whether that was allowed."""
    return bool(libc.ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)


def list_open_descriptors(upper_bound: int) -> set[int]:
    """Return the descriptors below ``upper_bound`` that are open."""
    descriptors = set()
    for number in range(upper_bound):
        try:
            os.fstat(number)
        except OSError:
            continue
        descriptors.add(number)
    return descriptors


def _capability_header() -> Any:
    return (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
