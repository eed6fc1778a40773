"""Calls for worker processes, other than grading: what might happen to them meanwhile. Imported by them too."""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from autograder.faults import CallerFault
from autograder.workers.grading_tasks import GradingTask, GradingTaskResult

REMEMBERED: list[object] = []


def nothing() -> None:
    """Get ready: there is nothing to do."""


def refuse() -> None:
    """Do not get ready."""
    raise CallerFault("the suite cannot be opened", where="tests")


def end_at_once() -> None:
    """End while getting ready."""
    os._exit(7)


def identify() -> int:
    """Name this process."""
    return os.getpid()


def remember(value: object) -> list[object]:
    """Return all that this process was given until now."""
    REMEMBERED.append(value)
    return REMEMBERED


def kill_oneself() -> None:
    """Be killed in the midst of a call."""
    os.kill(os.getpid(), signal.SIGKILL)


def kill_oneself_after(seconds: float) -> None:
    """Be killed a while after the call began."""
    time.sleep(seconds)
    kill_oneself()


def kill_oneself_while_sending() -> None:
    """Be killed when half of the result is in the pipe."""
    frame: Any = sys._getframe()
    while not isinstance(frame.f_locals.get("connection"), Connection):
        frame = frame.f_back
    os.write(frame.f_locals["connection"].fileno(), struct.pack("!i", 1000) + b"half")
    kill_oneself()


def sleep(seconds: float) -> int:
    """Take a while, then name this process."""
    time.sleep(seconds)
    return os.getpid()


def note(path: Path, seconds: float) -> None:
    """Write this process's id into a file, then take a while."""
    path.with_suffix(".part").write_text(str(os.getpid()))
    path.with_suffix(".part").rename(path)
    time.sleep(seconds)


def break_down() -> None:
    """Make a mistake."""
    raise ValueError("a mistake")


def return_what_cannot_be_sent() -> object:
    """Return a function that no other process knows."""
    return lambda: None


def has_safe_path() -> bool:
    """Return whether this interpreter was told not to look for modules in the current folder."""
    return sys.flags.safe_path


def is_fork() -> bool:
    """Return whether this is a fork, and no new interpreter."""
    return Path(sys.argv[0]).name != "worker_processes.py"


def is_readable_by_others_of_the_user() -> bool:
    """Return whether another process of the same user may read this one's memory."""
    return bool(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))  # PR_GET_DUMPABLE


def write_into_descriptor(descriptor: int, path: Path) -> None:
    """Open a file, then write into a descriptor that the parent had open."""
    with path.open("w"):
        os.write(descriptor, b"a line of a log")


def list_open_files() -> list[str]:
    """Return what this process has open, by descriptor, but for the list itself."""
    folder = Path("/proc/self/fd")
    numbers = sorted(int(entry.name) for entry in folder.iterdir())
    return [os.readlink(folder / str(number)) for number in numbers if (folder / str(number)).exists()]


def grade_or_end(
    folder: Path, times: int, work: Callable[[GradingTask], GradingTaskResult], task: GradingTask
) -> GradingTaskResult:
    """Grade a task; end this process instead if the task is ``frank``, the first ``times`` times."""
    met = len([*folder.iterdir()])
    if task.name == "frank" and met < times:
        (folder / str(met)).touch()
        kill_oneself()
    return work(task)
