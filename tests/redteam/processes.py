"""Which processes are below this one."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Set
from pathlib import Path
from typing import Any

from autograder.sandbox import StudentProcess
from autograder.sandbox.interpreter_start import LaunchedProcess
from tests.machine import PATIENCE

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """From now on, a process whose parents below this one ended stays below this one."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def below(root: int, apart_from: Set[int] = frozenset()) -> set[int]:
    """Ids of all processes that descend from one, but not through others; nothing where there is no ``/proc``.

    Orphans that ended and were adopted are collected on the way, as the system's first process would.
    """
    children = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # in bytes: a process may give itself a name that is no text
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] == b"Z":
            if int(fields[1]) == os.getpid():
                reap(int(folder.name))
        else:
            children[int(fields[1])].append(int(folder.name))
    found: set[int] = set()
    waiting = [root]
    while waiting:
        new = [pid for pid in children[waiting.pop()] if pid not in found and pid not in apart_from]
        found.update(new)
        waiting += new
    return found


def processes_of(child: StudentProcess) -> set[int]:
    """Ids of a student's process, of what it started, and of what started it for others too."""
    process: Any = child._process
    if isinstance(process, LaunchedProcess):
        return {process._process.pid, *below(process._process.pid)}
    process.receive_namespace_init_pidfd()
    text = Path(f"/proc/self/fdinfo/{process._pidfd}").read_text()
    init = int(next(line.split()[1] for line in text.splitlines() if line.startswith("Pid:")))
    server, parents = init, {init, *below(init)}
    while (server := parent_of(server)) != os.getpid():
        parents.add(server)
    return parents


def parent_of(pid: int) -> int:
    """The id of a process's parent."""
    return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])


def reap(pid: int) -> None:
    """Collect a child that ended."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def left_over(others: Set[int], known: Callable[[], Set[int]] = frozenset, patience: float = PATIENCE) -> set[int]:
    """Processes below this one that do not go away, and that neither are known nor come from others.

    What other tests left may start more at any time. The known ones are asked for each time: a sandbox that was just
    started has not got its children yet.
    """
    deadline = time.monotonic() + patience
    while left := below(os.getpid(), others) - known():
        if time.monotonic() > deadline:
            return left
        time.sleep(0.02)
    return left
