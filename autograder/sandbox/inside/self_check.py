"""Check from inside that the requested restrictions are in force, by inspecting and by trying."""

import ctypes
import errno
import os
import resource
import time
from typing import Any

from autograder.sandbox.inside.syscalls import (
    PR_GET_DUMPABLE,
    PR_GET_NO_NEW_PRIVS,
    has_capabilities,
    libc,
    list_open_descriptors,
    ptrace_traceme,
)

CHANNEL: int = globals().get("CHANNEL", -1)  # set by whoever runs this
MOST_DESCRIPTORS = 256
MACHINE = "sandbox"
LONG = 10 * 86400
FIRST_NUMBERS = 9  # below it are a namespace's own processes: bubblewrap's and this one
LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1025, 1026)
"""Commands of fcntl for locks and leases: F_GETLK to F_SETLKW, F_OFD_*, F_SETLEASE to F_NOTIFY."""
LOCK_SHARED_AT_ONCE, FUTEX_WAKE = 1 | 4, 1
SOL_SOCKET, SO_COOKIE, AT_FDCWD = 1, 57, -100


def list_guarantees_before_seccomp(config: dict[str, Any], descriptors_kept_open: set[int]) -> list[str]:
    """Return the guarantees that are found to hold before system calls are filtered; see ``tier_guarantees``.

    Args:
        config: the argument of ``lockdown.lock_down_and_report``.
        descriptors_kept_open: descriptors that the lockdown itself keeps open.
    """
    holds_by_guarantee = {
        "limits": all(_is_limited(name, value) for name, value in config["limits"].items()),
        "user": {*os.getresuid(), *os.getresgid()} == {config["uid"]} and os.getgroups() == [],
        "environment": not {*os.environ} - {*config["environment"]},
        "descriptors": list_open_descriptors(MOST_DESCRIPTORS) <= {0, 1, 2, CHANNEL, *descriptors_kept_open},
        "files": config["outside"] is not None and not _can_open(config["outside"], os.O_RDONLY),
        "writing": config["library"] is not None and not _can_create(f"{config['library']}/{os.getpid()}"),
        "paths": config["outside"] is not None and not any(map(os.path.lexists, (config["outside"], "/proc/self"))),
        "numbers": os.getpid() <= FIRST_NUMBERS,
        "reading": config["library"] is not None and _leaves_no_trace(config["library"]),
    }
    if hasattr(libc, "capget"):
        holds_by_guarantee |= {
            "capabilities": not has_capabilities(),
            "new privileges": libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1,
            "memory": libc.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0,
        }
    return [name for name, holds in holds_by_guarantee.items() if holds]


def list_file_lock_guarantees() -> list[str]:
    """Return the guarantee about locks if every way to lock a file was tried and denied; otherwise nothing."""
    errors = [
        _get_error_number(libc.flock(0, LOCK_SHARED_AT_ONCE)),
        *(_get_error_number(libc.fcntl(0, command, _make_buffer())) for command in LOCKS),
    ]
    return ["locks"] if {*errors} == {errno.EPERM} else []


def list_confirmed_guarantees(number_by_system_call: dict[str, int]) -> list[str]:
    """Try calls that the system-call filter must deny; return the guarantees that were confirmed.

    Args:
        number_by_system_call: the numbers of calls that libc has no function for, by name.
    """
    # libc's own function takes an error for a number
    times_result = libc.syscall(number_by_system_call["times"], _make_buffer())
    machine_results = (libc.uname(_make_buffer()), libc.sysinfo(_make_buffer()), times_result)
    counter_results = (libc.pipe(_make_buffer()), libc.socketpair(1, 1, 0, _make_buffer()))
    mount_result = libc.syscall(number_by_system_call["statx"], AT_FDCWD, b"/", 0, 1, _make_buffer())
    holds_by_guarantee = {
        "processes": not _can_fork(),
        "network": not _can_connect(),
        "signals": not _can_signal(os.getppid() or 1),
        "tracing": not ptrace_traceme(),
        "machine": os.uname().nodename == MACHINE and {*machine_results} == {-1},
        "counters": {*counter_results, mount_result} == {-1} and _hides_numbers(),
        "pages": {
            _get_error_number(libc.getrusage(0, _make_buffer())),
            _get_error_number(libc.mincore(None, 1, _make_buffer())),
        }
        == {errno.EPERM},
        "futexes": libc.syscall(number_by_system_call["futex"], _make_buffer(), FUTEX_WAKE, 1, None, None, 0) == -1,
    }
    return [name for name, holds in holds_by_guarantee.items() if holds]


def _is_limited(name: str, value: int) -> bool:
    return hasattr(resource, name) and resource.getrlimit(getattr(resource, name)) == (value, value)


def _can_open(path: str, flags: int) -> bool:
    try:
        os.close(os.open(path, flags | os.O_CLOEXEC, 0o600))
    except OSError:
        return False
    return True


def _leaves_no_trace(library: str) -> bool:
    """Return whether reading does not change access times: the mount never does, or they are far in the future."""
    places = (library, f"{library}/os.py")
    try:
        if os.statvfs(library).f_flag & (os.ST_RDONLY | os.ST_NOATIME):
            return True
        times_before = [os.stat(place).st_atime_ns for place in places]
        os.listdir(library)
        with open(places[1], "rb") as file:
            file.read(1)
        times_after = [os.stat(place).st_atime_ns for place in places]
    except OSError:
        return False
    return times_before == times_after and min(times_after) > (time.time() + LONG) * 1e9


def _hides_numbers() -> bool:
    """Return whether inode numbers and cookies of streams and channel are hidden, also through copied descriptors."""
    size = ctypes.byref(ctypes.c_uint32(8))
    copied = (libc.dup(number) for number in (1, 2, CHANNEL))
    copied_by_fcntl = (libc.fcntl(number, command, 0) for number in (1, 2, CHANNEL) for command in (0, 1030))
    return not list_open_descriptors(CHANNEL + 1) & {1, 2, CHANNEL} and {
        *copied,
        *copied_by_fcntl,
        libc.getsockopt(CHANNEL, SOL_SOCKET, SO_COOKIE, _make_buffer(), size),
    } == {-1}


def _can_create(path: str) -> bool:
    is_created = _can_open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    if is_created:
        os.unlink(path)
    return is_created


def _can_fork() -> bool:
    try:
        child = os.fork()
    except OSError:
        return False
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True


def _can_connect() -> bool:
    import _socket

    try:
        _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM).close()
    except OSError:
        return False
    return True


def _can_signal(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True


def _make_buffer() -> Any:
    """Return a buffer for a system call's result."""
    return ctypes.create_string_buffer(1024)


def _get_error_number(result: int) -> int:
    """Return the error number of a call; 0 when it succeeded."""
    return ctypes.get_errno() if result < 0 else 0
