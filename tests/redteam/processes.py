"""Which processes are below this one."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """From now on, a process whose parents below this one ended stays below this one."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def below(root: int) -> set[int]:
    """Ids of all processes that descend from one; nothing where there is no ``/proc``.

    Orphans that ended and were adopted are collected on the way, as the system's first process would.
    """
    children = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # in bytes: a process may give itself a name that is no text
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] == b"Z" and int(fields[1]) == os.getpid():
            reap(int(folder.name))
        else:
            children[int(fields[1])].append(int(folder.name))
    found: set[int] = set()
    waiting = [root]
    while waiting:
        new = [pid for pid in children[waiting.pop()] if pid not in found]
        found.update(new)
        waiting += new
    return found


def reap(pid: int) -> None:
    """Collect a child that ended."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def left_over(known: Callable[[], set[int]], patience: float = 2.0) -> set[int]:
    """Processes below this one that are none of the known ones, and do not go away.

    The known ones are asked for each time: a sandbox that was just started has not got its children yet.
    """
    deadline = time.monotonic() + patience
    while left := below(os.getpid()) - known():
        if time.monotonic() > deadline:
            return left
        time.sleep(0.02)
    return left
