"""Whether what was asked for is in force: looked at and tried out from inside, and never taken on trust."""

import os
import resource
from typing import Any

from autograder.sandbox.inside.kernel import (
    PR_GET_DUMPABLE,
    PR_GET_NO_NEW_PRIVS,
    has_capabilities,
    libc,
    may_be_traced,
    open_descriptors,
)

CHANNEL: int = globals().get("CHANNEL", -1)  # set by whoever runs this
MOST_DESCRIPTORS = 256


def look(config: dict[str, Any], opened: set[int]) -> list[str]:
    """What can be seen before system calls are filtered; see ``promises`` for the words.

    Args:
        config: what ``lock`` was told.
        opened: descriptors that the lock itself keeps open.
    """
    found = {
        "limits": all(_limited(name, value) for name, value in config["limits"].items()),
        "user": config["uid"] is not None and _is_user(config["uid"]),
        "environment": not {*os.environ} - {*config["environment"]},
        "descriptors": open_descriptors(MOST_DESCRIPTORS) <= {0, 1, 2, CHANNEL, *opened},
        "files": config["outside"] is not None and not _opens(config["outside"], os.O_RDONLY),
        "writing": config["library"] is not None and not _creates(f"{config['library']}/{os.getpid()}"),
    }
    if hasattr(libc, "capget"):
        found |= {
            "capabilities": not has_capabilities(),
            "new privileges": libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1,
            "memory": libc.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0,
        }
    return [name for name, holds in found.items() if holds]


def try_out() -> list[str]:
    """What a filter of system calls must deny: each is tried, and found denied."""
    found = {
        "processes": not _forks(),
        "network": not _connects(),
        "signals": not _signals(os.getppid() or 1),
        "tracing": not may_be_traced(),
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
