"""Processes seen from outside: who is below whom, how much memory they hold, how long they computed."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")
MB = 2**20


def below(root: int) -> list[int]:
    """Ids of all processes that descend from one; none where there is no ``/proc``."""
    children = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _fields(int(folder.name))
        if fields:
            children[int(fields[1])].append(int(folder.name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        new = children[waiting.pop()]
        found += new
        waiting += new
    return found


def resident(pid: int) -> float:
    """Memory that a process holds, in MB, pages that it shares included; 0 for one that is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * PAGE / MB
    except (OSError, IndexError):
        return 0.0


def proportional(pid: int) -> float:
    """Memory of a process, in MB, with its share alone of pages that several have; 0 for one that is gone.

    See ``/proc/pid/smaps_rollup`` in proc(5). It takes a hundred times as long as ``resident``.
    """
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(b"Pss:")), 0.0)


def computed(pid: int) -> float:
    """CPU seconds of a process alone, without those below it; 0 for one that is gone."""
    fields = _fields(pid)
    return (int(fields[11]) + int(fields[12])) / TICK if fields else 0.0


def _fields(pid: int) -> list[bytes]:
    """Read what ``/proc`` says of a process, from its state on; empty for one that is gone."""
    try:
        # in bytes: a process may give itself a name that is no text
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []
