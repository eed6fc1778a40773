"""Manage one worker process: start it when needed, call functions in it, and replace it if it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from autograder.faults import KitFault
from autograder.workers.call_server import Call, Outcome
from autograder.workers.worker_launch import ProcessHandle, StartWorker

OPENING_SECONDS = 300.0
"""How long a process may take to get ready; a hidden suite that is right takes a few seconds on a quiet machine."""
EXIT_SECONDS = 5.0
"""How long a process may take to end after its pipe is closed; then it is killed."""


class WorkerEnded(BrokenExecutor):
    """A worker process ended during a call, or was killed because the call took too long; the message says how."""


class CallTimedOut(WorkerEnded):
    """A worker process was killed because a call took too long."""


class RestartingWorkerProcess:
    """A worker process that is replaced each time it ends. Threads may share it; it runs one call at a time."""

    def __init__(
        self, start_worker: StartWorker, initialize: Callable[[], object], max_call_seconds: float | None = None
    ) -> None:
        """Prepare a worker; start no process yet.

        Args:
            start_worker: starts a process that serves calls.
            initialize: called in each new process before anything else. It can be pickled.
            max_call_seconds: seconds after which a call is given up; None to wait as long as the process lives.
        """
        self._start_worker = start_worker
        self._initialize = initialize
        self._max_call_seconds = max_call_seconds
        self._lock = threading.Lock()
        self._process: ProcessHandle | None = None
        self._connection: Connection[Call, Outcome] | None = None
        self._is_closed = False

    def start_if_needed(self) -> None:
        """Start and initialize the process, unless there is one already.

        Raises:
            WorkerEnded: the process ended before it was ready, or cannot be started.
            KitFault: the process was not ready in time.
            Exception: whatever ``initialize`` raised; there is no process then.
        """
        with self._lock:
            self._start_and_initialize()

    def call(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Any:
        """Call a function in the process, and return what it returned.

        Raises:
            WorkerEnded: the process ended, and with it this attempt. The next call gets a fresh process.
            Exception: whatever the function raised, or see ``start_if_needed``.
        """
        with self._lock:
            self._start_and_initialize()
            return self._send_call((function, arguments, keywords), self._max_call_seconds)

    def close(self) -> None:
        """End the process for good. A thread that waits for an answer gets ``WorkerEnded``."""
        self._is_closed = True
        if not self._lock.acquire(blocking=False):
            self._kill_process()
            self._lock.acquire()
        try:
            self._close_and_join()
        finally:
            self._lock.release()

    def _start_and_initialize(self) -> None:
        if self._connection is not None and not self._connection.poll():  # if it had ended, this would be readable
            return
        self._close_and_join()
        try:
            self._process, self._connection = self._start_worker()
        except OSError as error:
            raise WorkerEnded(f"cannot start the process: {error}") from error
        if self._is_closed:
            self._close_and_join()
            raise WorkerEnded("the process was closed")
        try:
            self._send_call((self._initialize, (), {}), OPENING_SECONDS)
        except CallTimedOut as error:  # no call is to blame, and another process would hang as well
            raise KitFault(
                f"a worker process was not ready after {OPENING_SECONDS:g} s",
                advice="see whether the disk that the course is on answers, then run the same command again",
            ) from error
        except BaseException:
            self._close_and_join()
            raise

    def _send_call(self, call: Call, seconds: float | None) -> Any:
        assert self._connection is not None
        assert self._process is not None
        try:
            self._connection.send(call)
            if not self._connection.poll(seconds):
                self._kill_process()
                self._close_and_join()
                raise CallTimedOut(f"no answer in {seconds:g} s")
            has_returned, value = self._connection.recv()
        except (EOFError, OSError) as error:  # an incomplete answer, too
            process = self._process
            self._close_and_join()
            raise WorkerEnded(f"exit code {process.exitcode}") from error
        if has_returned:
            return value
        raise value

    def _kill_process(self) -> None:
        process = self._process
        if process is not None:
            with suppress(OSError, ValueError):
                process.kill()

    def _close_and_join(self) -> None:
        """Close the pipe, and wait until the process has ended; kill it after ``EXIT_SECONDS``."""
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if connection is not None:
            connection.close()
        if process is not None:
            process.join(EXIT_SECONDS)
            if process.exitcode is None:
                process.kill()
                process.join()
