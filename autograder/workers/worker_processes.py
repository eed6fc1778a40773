"""Start worker processes, call functions in them, and replace those that end; a new interpreter runs this module.

A worker is a fork of this process, which has imported what it needs, or a new interpreter. The current folder may
hold submissions, so every interpreter started here is told not to search it for modules.
"""

from __future__ import annotations

import ctypes
import gc
import math
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import Any, NoReturn, Protocol

from autograder.faults import ENDING_SIGNALS, CourseWarning, KitFault, list_ending_signals
from autograder.sandbox.sandbox_config import protect_grader_memory

SAFE_PATH = "PYTHONSAFEPATH"
LOOK_SECONDS = 0.005
"""Seconds between checks of whether a fork has ended."""


PR_SET_PDEATHSIG = 1
ENDS_WITH_PARENT = "--ends-with-parent"
IDLE_SECONDS = 600.0
"""Seconds without a call after which a process ends, so that a killed coordinator leaves no processes behind."""

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A module-level function, its positional arguments and its keyword arguments; all of it can be pickled."""
Outcome = tuple[bool, Any]
"""True and the returned value, or False and the raised exception."""


def _serve_calls(connection: Connection[Outcome, Call], *, ends_with_parent: bool = True) -> None:
    """Run the calls that come through a pipe, and send back each outcome; return when the pipe is closed.

    Args:
        connection: this process's end of the pipe. No other process may hold it, so that the pipe closes for the
            parent when this process ends.
        ends_with_parent: whether this process ends as soon as the thread that started it ends, and not only when it
            next reads the pipe.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    if ends_with_parent and sys.platform == "linux":  # when it is killed; student processes end with this one
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    os.set_inheritable(connection.fileno(), False)
    while connection.poll(IDLE_SECONDS):
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):  # the pipe is closed, perhaps in the midst of a call
            return
        try:
            function, arguments, keywords = pickle.loads(message)
            outcome = True, function(*arguments, **keywords)
        except Exception as error:
            error.add_note(f"in a worker process:\n{traceback.format_exc()}")
            outcome = False, error
        try:
            connection.send(outcome)
        except OSError:  # the parent is gone
            return
        except Exception as error:
            connection.send((False, TypeError(f"the outcome cannot be sent: {error}")))
    connection.close()  # before the interpreter ends, which takes a while: a call must not go to an ending process


class WorkerProcess(Protocol):
    """The interface of a worker process: that of ``subprocess.Popen``."""

    def poll(self) -> int | None:
        """Return how it ended, negative for a signal; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended, and return how. Raise ``subprocess.TimeoutExpired`` after ``timeout`` seconds."""

    def kill(self) -> None:
        """End it at once."""


StartedWorker = tuple[WorkerProcess, "Connection[Call, Outcome]"]
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
            process.wait()


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
    return _ForkedProcess(pid), own_end


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
        _serve_calls(connection)
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


class _ForkedProcess:
    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._exit_code: int | None = None

    def poll(self) -> int | None:
        if self._exit_code is None:
            try:
                pid, status = os.waitpid(self._pid, os.WNOHANG)
            except ChildProcessError:  # its status was collected elsewhere
                self._exit_code = -signal.SIGKILL
            else:
                self._exit_code = os.waitstatus_to_exitcode(status) if pid else None
        return self._exit_code

    def wait(self, timeout: float | None = None) -> int:
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while (exit_code := self.poll()) is None:
            if time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired("a fork", timeout or 0.0)
            time.sleep(LOOK_SECONDS)
        return exit_code

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self._pid, signal.SIGKILL)


def start_worker_interpreter() -> StartedWorker:
    """Start a worker as a new interpreter; this is safe in a process with threads.

    Raises:
        OSError: no process can be started.
    """
    own_end, worker_end = Pipe()
    with worker_end:
        descriptor = worker_end.fileno()
        command = [sys.executable, "-m", "autograder.workers.worker_processes", str(descriptor)]
        if threading.current_thread() is threading.main_thread():  # any other thread may end before the worker should
            command.append(ENDS_WITH_PARENT)
        environment = {**os.environ, SAFE_PATH: "1"}
        old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # until the worker ignores it
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[descriptor], env=environment)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)
    return process, own_end


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
        self._process: WorkerProcess | None = None
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
            raise WorkerEnded(f"exit code {process.poll()}") from error
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
            try:
                process.wait(EXIT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class WorkerProcessExecutor(Executor):
    """Owns worker processes and their common queue: a call goes to the first idle process.

    When a process ends, the future of its current call fails with ``WorkerEnded``. No other call is affected.
    """

    def __init__(self, workers: Sequence[RestartingWorkerProcess]) -> None:
        """Take ownership of workers; start no process until there is a call for it.

        Args:
            workers: the workers, each for one call at a time. ``shutdown`` closes them.
        """
        self._workers = workers
        self._free_workers: queue.SimpleQueue[RestartingWorkerProcess] = queue.SimpleQueue()
        for worker in workers:
            self._free_workers.put(worker)
        self._threads = ThreadPoolExecutor(len(workers), "worker")

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Call a module-level function in a worker; see ``Executor.submit``."""
        return self._threads.submit(self._call_worker, function, arguments, keywords)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for the running calls, then end the workers; see ``Executor.shutdown``.

        Args:
            wait: whether to wait; otherwise running calls fail.
            cancel_futures: whether calls that no worker has begun are cancelled.
        """
        try:
            self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        finally:
            with ThreadPoolExecutor(len(self._workers)) as threads:  # each may take a moment to end
                list(threads.map(RestartingWorkerProcess.close, self._workers))

    def _call_worker(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        worker = self._free_workers.get()
        try:
            return worker.call(function, *arguments, **keywords)
        finally:
            self._free_workers.put(worker)


if __name__ == "__main__":
    _serve_calls(Connection(int(sys.argv[1])), ends_with_parent=ENDS_WITH_PARENT in sys.argv)
