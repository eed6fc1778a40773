"""Check that what was asked for is in force: look and try from inside, and take nothing on trust."""

import ctypes
import errno
import os
import resource
import time
from typing import Any

from autograder.sandbox.inside.kernel_calls import (
    PR_GET_DUMPABLE,
    PR_GET_NO_NEW_PRIVS,
    has_capabilities,
    libc,
    list_open_descriptors,
    may_be_traced,
)

CHANNEL: int = globals().get("CHANNEL", -1)  # set by whoever runs this
MOST_DESCRIPTORS = 256
MACHINE = "sandbox"
LONG = 10 * 86400
FIRST_NUMBERS = 9  # below it are a namespace's own processes: bubblewrap's and this one
LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1025, 1026)
"""Commands of fcntl for locks and leases: F_GETLK to F_SETLKW, F_OFD_*, F_SETLEASE to F_NOTIFY."""
LOCK_SHARED_AT_ONCE, FUTEX_WAKE = 1 | 4, 1


def list_restrictions_in_force(config: dict[str, Any], open_descriptors: set[int]) -> list[str]:
    """Return what can be seen to hold before system calls are filtered; see ``tier_guarantees`` for the words.

    Args:
        config: what ``lockdown.lock_down_and_report`` was told.
        open_descriptors: descriptors that the lockdown itself keeps open.
    """
    found = {
        "limits": all(_limited(name, value) for name, value in config["limits"].items()),
        "user": config["uid"] is not None and _is_user(config["uid"]),
        "environment": not {*os.environ} - {*config["environment"]},
        "descriptors": list_open_descriptors(MOST_DESCRIPTORS) <= {0, 1, 2, CHANNEL, *open_descriptors},
        "files": config["outside"] is not None and not _opens(config["outside"], os.O_RDONLY),
        "writing": config["library"] is not None and not _creates(f"{config['library']}/{os.getpid()}"),
        "paths": config["outside"] is not None and not any(map(os.path.lexists, (config["outside"], "/proc/self"))),
        "numbers": os.getpid() <= FIRST_NUMBERS,
        "reading": config["library"] is not None and _leaves_no_trace(config["library"]),
    }
    if hasattr(libc, "capget"):
        found |= {
            "capabilities": not has_capabilities(),
            "new privileges": libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1,
            "memory": libc.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0,
        }
    return [name for name, holds in found.items() if holds]


def list_file_lock_guarantee_if_denied() -> list[str]:
    """Return the word for locks, if each way to lock a file was tried and found denied."""
    tried = [_error(libc.flock(0, LOCK_SHARED_AT_ONCE)), *(_error(libc.fcntl(0, one, _room())) for one in LOCKS)]
    return ["locks"] if {*tried} == {errno.EPERM} else []


def try_system_calls_and_list_denied(number_by_call: dict[str, int]) -> list[str]:
    """Try what a filter of system calls must deny; return the words for what was found denied.

    Args:
        number_by_call: the numbers of calls that libc has no function for, by name.
    """
    found = {
        "processes": not _forks(),
        "network": not _connects(),
        "signals": not _signals(os.getppid() or 1),
        "tracing": not may_be_traced(),
        "machine": os.uname().nodename == MACHINE and libc.uname(_room()) == libc.sysinfo(_room()) == -1,
        "counters": libc.pipe(_room()) == libc.socketpair(1, 1, 0, _room()) == -1,
        "futexes": libc.syscall(number_by_call["futex"], _room(), FUTEX_WAKE, 1, None, None, 0) == -1,
    }
    return [name for name, holds in found.items() if holds]


def _limited(name: str, value: int) -> bool:
    return hasattr(resource, name) and resource.getrlimit(getattr(resource, name)) == (value, value)


def _is_user(uid: int) -> bool:
    return {*os.getresuid(), *os.getresgid()} == {uid} and os.getgroups() == []


def _opens(path: str, flags: int) -> bool:
    try:
        os.close(os.open(path, flags | os.O_CLOEXEC, 0o600))
    except OSError:
        return False
    return True


def _leaves_no_trace(library: str) -> bool:
    """Return whether no time of reading moves: on a mount without such times, or where they lie in the future."""
    places = (library, f"{library}/os.py")
    try:
        if os.statvfs(library).f_flag & (os.ST_RDONLY | os.ST_NOATIME):
            return True
        before = [os.stat(place).st_atime_ns for place in places]
        os.listdir(library)
        with open(places[1], "rb") as file:
            file.read(1)
        after = [os.stat(place).st_atime_ns for place in places]
    except OSError:
        return False
    return before == after and min(after) > (time.time() + LONG) * 1e9


def _creates(path: str) -> bool:
    made = _opens(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    if made:
        os.unlink(path)
    return made


def _forks() -> bool:
    try:
        child = os.fork()
    except OSError:
        return False
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True


def _connects() -> bool:
    import _socket

    try:
        _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM).close()
    except OSError:
        return False
    return True


def _signals(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True


def _room() -> Any:
    """Return memory for an answer."""
    return ctypes.create_string_buffer(1024)


def _error(result: int) -> int:
    """Return the error number of a call; 0 when it succeeded."""
    return ctypes.get_errno() if result < 0 else 0
