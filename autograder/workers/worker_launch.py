"""Start worker processes: forked from a process that has imported what they need, or as new interpreters.

The current folder may hold submissions. A new interpreter would look there first for the modules of its own library,
and run a ``socket.py`` that was handed in; so every interpreter that is started here is told not to.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import forkserver
from multiprocessing.connection import Connection, Pipe
from typing import Any, Protocol

from autograder.workers.call_server import Call, Outcome, serve_calls

SAFE_PATH = "PYTHONSAFEPATH"
_environment = threading.Lock()


class ProcessHandle(Protocol):
    """What is asked of a process: a part of ``multiprocessing.Process``."""

    @property
    def exitcode(self) -> int | None:
        """Return how it ended; None while it runs."""

    def join(self, timeout: float | None = None) -> None:
        """Wait until it has ended."""

    def kill(self) -> None:
        """End it at once."""


StartedWorker = tuple[ProcessHandle, "Connection[Call, Outcome]"]
"""A process that serves calls, and the parent's end of the pipe to it."""
StartWorker = Callable[[], StartedWorker]


def try_start_worker_fork_server() -> bool:
    """Start the process that workers are forked from: it imports what they need while this one goes on.

    Returns:
        Whether that process can be had.
    """
    if multiprocessing.current_process().daemon:  # it may not have children of this kind
        return False
    multiprocessing.set_forkserver_preload(["autograder.workers.worker_preload"])
    try:
        with _set_safe_path():
            forkserver.ensure_running()
    except OSError:  # the folder for temporary files has a name that is too long for a socket, for example
        return False
    return True


def fork_worker() -> StartedWorker:
    """Fork a worker from the process that ``try_start_worker_fork_server`` starts.

    Start a new interpreter where that cannot be had.

    Raises:
        OSError: no process can be started.
    """
    if not try_start_worker_fork_server():
        return start_worker_interpreter()
    ours, theirs = Pipe()
    with theirs:
        context: Any = multiprocessing.get_context("forkserver")
        process = context.Process(target=serve_calls, args=(theirs,), daemon=True)
        with _set_safe_path():  # what is shared between processes is watched over by another one
            try:
                process.start()
            except EOFError as error:
                raise OSError("the fork server ended") from error
    return process, ours


def start_worker_interpreter() -> StartedWorker:
    """Start a worker as a new interpreter, which a process of any kind may do.

    Raises:
        OSError: no process can be started.
    """
    ours, theirs = Pipe()
    with theirs:
        number = theirs.fileno()
        command = [sys.executable, "-m", "autograder.workers.call_server", str(number)]
        environment = {**os.environ, SAFE_PATH: "1"}
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[number], env=environment)
    return _InterpreterHandle(process), ours


class _InterpreterHandle:
    """Gives a process of ``subprocess`` the face of one of ``multiprocessing``."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @property
    def exitcode(self) -> int | None:
        return self._process.poll()

    def join(self, timeout: float | None = None) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout)

    def kill(self) -> None:
        self._process.kill()


@contextmanager
def _set_safe_path() -> Iterator[None]:
    """Keep interpreters that are started meanwhile from looking for modules in the current folder."""
    with _environment:
        before = os.environ.get(SAFE_PATH)
        os.environ[SAFE_PATH] = "1"
        try:
            yield
        finally:
            if before is None:
                del os.environ[SAFE_PATH]
            else:
                os.environ[SAFE_PATH] = before
