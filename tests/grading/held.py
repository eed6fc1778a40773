"""Run a command, and let it and all that it starts run a third of the time, as a limit on its processors does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

RUNS_SECONDS, STANDS_STILL_SECONDS = 0.033, 0.066


def list_processes_below(root: int) -> list[int]:
    """Return a process and all its descendants."""
    children: dict[int, list[int]] = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            children[int(fields[1])].append(int(folder.name))
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += children[found[-1]]
    return found


def signal_all(processes: list[int], number: int) -> None:
    """Send a signal to those that still run."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def main() -> None:
    """Run the command of the arguments; end as it ends."""
    running = subprocess.Popen(sys.argv[1:])
    while running.poll() is None:
        processes = list_processes_below(running.pid)
        signal_all(processes, signal.SIGSTOP)
        time.sleep(STANDS_STILL_SECONDS)
        signal_all(processes, signal.SIGCONT)
        time.sleep(RUNS_SECONDS)
    sys.exit(running.returncode)


if __name__ == "__main__":
    main()
