"""Run worker processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import forkserver
from multiprocessing.context import BaseContext
from typing import Any

from autograder.batch.watch import Watch
from autograder.batch.work import Workers
from autograder.batch.worker import open_worker
from autograder.course import Assignment
from autograder.sandbox import Sandbox

SAFE_PATH = "PYTHONSAFEPATH"


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def get_ready() -> BaseContext:
    """Start the process that workers are forked from: it imports what they need while this one goes on.

    The current folder may hold submissions. A new interpreter would look there first for the modules of its own
    library, and run a ``socket.py`` that was handed in; so it is told not to.

    Returns:
        How workers are started: as new interpreters where that process cannot be had.
    """
    multiprocessing.set_forkserver_preload(["autograder.batch.preload"])
    try:
        with _safe_path():
            forkserver.ensure_running()
    except OSError:  # the folder for temporary files has a name that is too long for a socket, for example
        return multiprocessing.get_context("spawn")
    return multiprocessing.get_context("forkserver")


def start_workers(assignment: Assignment, sandbox: Sandbox, count: int) -> ProcessPoolExecutor:
    """Start worker processes, each of them ready to grade.

    Args:
        assignment: the assignment that is graded.
        sandbox: how submissions are shut in.
        count: how many workers.
    """
    context: Any = get_ready()
    pinned = hasattr(os, "sched_setaffinity") and count <= processors()
    with _safe_path():  # what is shared is watched over by a process of its own
        places = context.Value("i", 0) if pinned else None
        return _Workers(count, context, open_worker, (assignment, sandbox, places))


AHEAD = 4
"""Tasks handed out per worker beyond the one it is at; enough to keep it busy, and few to hold in memory."""


@contextmanager
def local_workers(assignment: Assignment, sandbox: Sandbox, count: int | None = None) -> Iterator[Workers]:
    """Start ``count`` processes on this machine, or as many as there are processors; stop them with the block."""
    count = count or processors()
    executor = start_workers(assignment, sandbox, count)
    watch = Watch(executor)

    def at_once() -> int:
        watch.look()
        return count * (1 + AHEAD)

    try:
        yield Workers(executor, at_once)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


class _Workers(ProcessPoolExecutor):
    """Starts its processes, which it does when it is handed a task, without the current folder on their path."""

    def submit(self, *arguments: Any, **named: Any) -> Future[Any]:
        """Submit a task with ``PYTHONSAFEPATH`` set; see ``Executor.submit``."""
        with _safe_path():
            return super().submit(*arguments, **named)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Keep interpreters that are started meanwhile from looking for modules in the current folder."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before
