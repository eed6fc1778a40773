"""Read what people upload in processes with limits, apart from the one that answers pages.

How much work a file may cost is bounded where it is read, by counting. The limits here are for what nobody thought
of: they end the reader, and the person reads that the file could not be read.
"""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from queue import SimpleQueue
from typing import TypeVar

from autograder.workers.restarting_worker_process import RestartingWorkerProcess, WorkerEnded
from autograder.workers.worker_launch import start_worker_interpreter

READERS = 3
MOST_AT_ONCE = 2
"""How many files of one person are read at once; the second may be a double click."""
CPU_SECONDS = 30
"""Most CPU time for one file. An ordinary one takes a few milliseconds."""
CLASS_CPU_SECONDS = 300
"""The same for the download of a whole class."""
WAIT_SECONDS = 600.0
MEMORY_BYTES = 3 << 30

R = TypeVar("R")


class ReadingStopped(Exception):
    """Something that was uploaded took more than the limits of a reader allow."""


class TooManyFilesAtOnce(Exception):
    """A person's earlier files are still being read."""


_lock = threading.Lock()
_files_by_person: Counter[int] = Counter()


@contextmanager
def reading_for(account: int) -> Iterator[None]:
    """Count a person's file as being read, as long as the block takes.

    Raises:
        TooManyFilesAtOnce: ``MOST_AT_ONCE`` files of this person are being read.
    """
    with _lock:
        if _files_by_person[account] >= MOST_AT_ONCE:
            raise TooManyFilesAtOnce
        _files_by_person[account] += 1
    try:
        yield
    finally:
        with _lock:
            _files_by_person[account] -= 1


def read_apart(function: Callable[..., R], *arguments: object, cpu_seconds: int = CPU_SECONDS) -> R:
    """Call a module-level function in a reading process, and return what it returned.

    Raises:
        ReadingStopped: it took more than ``cpu_seconds`` or ``MEMORY_BYTES``, or ended its process.
        Exception: whatever the function raised.
    """
    with _lock:
        idle_readers = _prepare_readers(os.getpid())
    reader = idle_readers.get()
    try:
        result: R = reader.call(_call_within, cpu_seconds, function, arguments)
    except (WorkerEnded, MemoryError) as error:
        raise ReadingStopped(str(error)) from error
    finally:
        idle_readers.put(reader)
    return result


@cache
def _prepare_readers(process_id: int) -> SimpleQueue[RestartingWorkerProcess]:
    """Return the readers of a process, each of which starts at its first call; a fork has its own."""
    idle_readers = SimpleQueue[RestartingWorkerProcess]()
    for _ in range(READERS):
        reader = RestartingWorkerProcess(start_worker_interpreter, _limit_memory, WAIT_SECONDS)
        atexit.register(reader.close)
        idle_readers.put(reader)
    return idle_readers


def _call_within(cpu_seconds: int, function: Callable[..., R], arguments: tuple[object, ...]) -> R:
    with suppress(ImportError, OSError, ValueError):
        import resource

        used_seconds = math.ceil(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (used_seconds + cpu_seconds, resource.RLIM_INFINITY))
    return function(*arguments)


def _limit_memory() -> None:
    with suppress(ImportError, OSError, ValueError):  # some systems know no such limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
