"""Start worker processes: forks of this process, which has imported what they need, or new interpreters.

The current folder may hold submissions. A new interpreter would search it first for standard modules, and could run a
submitted ``socket.py``; every interpreter started here is therefore told to leave that folder out.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import NoReturn, Protocol

from autograder.faults import CourseWarning
from autograder.interruption import ENDING_SIGNALS, list_ending_signals
from autograder.sandbox.grader_memory_protection import protect_grader_memory
from autograder.workers.call_server import ENDS_WITH_PARENT, Call, Outcome, serve_calls

SAFE_PATH = "PYTHONSAFEPATH"
LOOK_SECONDS = 0.005
"""Seconds between checks of whether a fork has ended."""


class ProcessHandle(Protocol):
    """The interface of a worker process."""

    @property
    def exitcode(self) -> int | None:
        """Return how it ended, negative for a signal; None while it runs."""

    def join(self, timeout: float | None = None) -> None:
        """Wait until it has ended, or ``timeout`` seconds."""

    def kill(self) -> None:
        """End it at once."""


StartedWorker = tuple[ProcessHandle, "Connection[Call, Outcome]"]
"""A process that serves calls, and the parent's end of the pipe to it."""
StartWorker = Callable[[], StartedWorker]


class PreforkedFirstWorkerStarter:
    """Starts workers; the first one was forked when this object was made, later ones are new interpreters.

    Make it before the process has threads, because a process with threads cannot be forked safely. If no fork was
    possible, or if the fork ended before it was needed, the first worker is a new interpreter, too.
    """

    def __init__(self, *, forks_now: bool = True) -> None:
        """Fork a worker, if requested and safe."""
        self._forked_worker: StartedWorker | None = None
        if forks_now and threading.active_count() == 1 and hasattr(os, "fork"):
            with suppress(OSError):  # too many processes or files; reported when a worker is needed
                self._forked_worker = fork_worker()

    def __call__(self) -> StartedWorker:
        """Return the forked worker at the first call, and a new interpreter at later calls.

        Raises:
            OSError: no process can be started.
        """
        # If it had ended, its pipe would be readable.
        if self._forked_worker is not None and not self._forked_worker[1].poll():
            worker, self._forked_worker = self._forked_worker, None
            return worker
        self.close()
        return start_worker_interpreter()

    def close(self) -> None:
        """End the worker that was forked, unless it was handed out."""
        worker, self._forked_worker = self._forked_worker, None
        if worker is not None:
            process, connection = worker
            connection.close()
            process.join()


def fork_worker() -> StartedWorker:
    """Fork a worker from this process, which runs no other thread.

    Raises:
        OSError: no process can be started.
    """
    own_end, worker_end = Pipe()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # otherwise the fork would print the buffered output, too
            stream.flush()
    old_mask, is_gc_enabled = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS), gc.isenabled()
    gc.disable()  # in the fork, collecting the parent's garbage could close files
    try:
        pid = os.fork()
        if pid == 0:
            _serve_in_fork(worker_end)
    except OSError:
        own_end.close()
        raise
    finally:
        if is_gc_enabled:
            gc.enable()
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)
        worker_end.close()
    return _ForkHandle(pid), own_end


def _serve_in_fork(connection: Connection[Outcome, Call]) -> NoReturn:
    """Serve calls with only the parent's memory: without its files, terminal, signal handlers and warnings."""
    code = 1
    try:
        protect_grader_memory()
        for number in list_ending_signals():
            signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)
        gc.freeze()  # a collection would copy the parent's memory pages
        gc.enable()
        warnings.simplefilter("ignore", CourseWarning)  # the parent shows them
        sys.path[:] = filter(None, sys.path)
        _replace_inherited_files(connection.fileno())
        serve_calls(connection)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            sys.stderr.flush()
        os._exit(code)


def _replace_inherited_files(kept_descriptor: int) -> None:
    """Replace every inherited descriptor except those of the standard output streams by the null device.

    Objects of the parent still refer to the descriptors. If these were closed, such an object could write to or close
    a later file with the same number.
    """
    null_device = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/dev/fd"):
        if int(name) not in (1, 2, kept_descriptor, null_device):
            with suppress(OSError):  # the descriptor by which the list was read
                os.fstat(int(name))
                os.dup2(null_device, int(name), inheritable=False)
    os.dup2(null_device, 0)
    os.close(null_device)


class _ForkHandle:
    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._exitcode: int | None = None

    @property
    def exitcode(self) -> int | None:
        if self._exitcode is None:
            try:
                pid, status = os.waitpid(self._pid, os.WNOHANG)
            except ChildProcessError:  # its status was collected elsewhere
                self._exitcode = -signal.SIGKILL
            else:
                self._exitcode = os.waitstatus_to_exitcode(status) if pid else None
        return self._exitcode

    def join(self, timeout: float | None = None) -> None:
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.exitcode is None and (deadline is None or time.monotonic() < deadline):
            time.sleep(LOOK_SECONDS)

    def kill(self) -> None:
        if self.exitcode is None:
            os.kill(self._pid, signal.SIGKILL)


def start_worker_interpreter() -> StartedWorker:
    """Start a worker as a new interpreter; this is safe in a process with threads.

    Raises:
        OSError: no process can be started.
    """
    own_end, worker_end = Pipe()
    with worker_end:
        descriptor = worker_end.fileno()
        command = [sys.executable, "-m", "autograder.workers.call_server", str(descriptor)]
        if threading.current_thread() is threading.main_thread():  # any other thread may end before the worker should
            command.append(ENDS_WITH_PARENT)
        environment = {**os.environ, SAFE_PATH: "1"}
        old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # until the worker ignores it
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[descriptor], env=environment)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)
    return _InterpreterHandle(process), own_end


class _InterpreterHandle:
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
