"""Start students' processes as forks of an interpreter that is already in a sandbox."""

from __future__ import annotations

import contextlib
import marshal
import os
import select
import signal
import socket
import threading
import weakref

from autograder.faults import KitFault
from autograder.sandbox import inside, seccomp_filter
from autograder.sandbox.frame_channel import pack_frame
from autograder.sandbox.interpreter_start import (
    InterpreterChannelEnds,
    LaunchedInterpreter,
    RunningProcess,
    launch_interpreter,
)
from autograder.sandbox.sandbox_config import SCRATCH_MB, SandboxConfig

INIT_SECONDS = 60.0
"""Time limit for a fork to send its init's descriptor."""
KILLED = -signal.SIGKILL


class ForkedProcess:
    """A process that a server forked, with the init of its namespaces, which reports its exit status.

    Attributes:
        was_killed_from_outside: see ``RunningProcess``.
    """

    def __init__(self, server: object, status_socket: socket.socket) -> None:
        """Take over a new process.

        Args:
            server: its server, which ends when it is no longer referenced; kept until the process ends.
            status_socket: on it, the init sends a descriptor of itself, and then an exit code.
        """
        self._server: object = server
        self._status_socket = status_socket
        self._pidfd = -1
        self._exit_status: int | None = None
        self._is_killed = False
        self.was_killed_from_outside = False

    def receive_namespace_init_pidfd(self) -> None:
        """Receive the init's descriptor, which it sends as soon as it runs."""
        if self._pidfd >= 0 or self._exit_status is not None:
            return
        self._status_socket.settimeout(INIT_SECONDS)
        received: list[int] = []
        with contextlib.suppress(OSError):
            _, received, _, _ = socket.recv_fds(self._status_socket, 1, 1)
        if received:
            (self._pidfd,) = received
        else:
            self._record_exit_without_status()

    def wait_for_exit_status_or_none(self, timeout_seconds: float) -> int | None:
        """Return how it ended; see ``RunningProcess``."""
        self.receive_namespace_init_pidfd()
        if self._exit_status is None:
            poller = select.poll()
            poller.register(self._pidfd, select.POLLIN)
            if poller.poll(timeout_seconds * 1000):
                self._status_socket.settimeout(0)
                try:
                    data = self._status_socket.recv(16)
                except OSError:
                    data = b""
                if data:
                    self._record_exit(int(data))
                else:
                    self._record_exit_without_status()
        return self._exit_status

    def kill(self) -> None:
        """End it; see ``RunningProcess``."""
        self._is_killed = True
        self.receive_namespace_init_pidfd()
        if self._exit_status is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def _record_exit_without_status(self) -> None:
        """Record the process as killed: its init, which students' code cannot end, ended without sending a status."""
        self.was_killed_from_outside = not self._is_killed
        self._record_exit(KILLED)

    def _record_exit(self, exit_status: int) -> None:
        self._exit_status, self._server = exit_status, None
        self._status_socket.close()
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1


MOST_PROCESSES = 100
"""How many processes a server forks before it is replaced."""
ACCEPT_SECONDS = 60.0
"""Time limit for a server to accept its code."""
STOP_SECONDS = 1.0
"""How long to wait for a killed server."""


class ForkServer:
    """An interpreter that forks processes; it ends when neither it nor one of its processes is in use."""

    def __init__(self, sandbox: SandboxConfig, server_code: bytes) -> None:
        """Start the interpreter.

        Args:
            sandbox: its sandbox, in which it may make namespaces.
            server_code: what each of its processes runs; see ``StudentProcess``.

        Raises:
            KitFault: it cannot be started.
        """
        self.sandbox, self.server_code = sandbox, server_code
        launched = launch_interpreter(sandbox)
        self._connection, self._output = launched.connection, launched.output_descriptor
        self._fork_count = 0
        weakref.finalize(self, _end_server, os.getpid(), launched.process, self._connection, self._output)
        config = {
            "clone": seccomp_filter.get_unwrapped_syscall_numbers(os.uname().machine)["clone"],
            "scratch_bytes": SCRATCH_MB << 20,
        }
        frames = (inside.compile_modules(forks=True), server_code, marshal.dumps(config))
        self._connection.settimeout(ACCEPT_SECONDS)
        try:
            self._connection.sendall(b"".join(map(pack_frame, frames)))
        except OSError as error:
            raise KitFault(f"cannot fork a process: {self._read_output_for_error() or error}") from error

    @property
    def can_fork(self) -> bool:
        """Return whether it runs, and has not forked as many processes as one server may."""
        poller = select.poll()
        poller.register(self._connection, select.POLLIN)
        return self._fork_count < MOST_PROCESSES and not poller.poll(0)  # it never sends anything

    def fork_interpreter(self) -> LaunchedInterpreter:
        """Fork a process, without waiting for it.

        Raises:
            KitFault: the server is gone.
        """
        self._fork_count += 1
        ends = InterpreterChannelEnds.open()
        status, statuses = socket.socketpair()
        try:
            socket.send_fds(self._connection, [b"f"], [ends.theirs.fileno(), ends.printing, statuses.fileno()])
        except OSError as error:
            ends.close_ours()
            status.close()
            raise KitFault(f"cannot fork a process: {self._read_output_for_error() or error}") from error
        finally:
            ends.close_theirs()
            statuses.close()
        return LaunchedInterpreter(ForkedProcess(self, status), ends.ours, ends.output)

    def _read_output_for_error(self) -> str:
        """Return the server's output, for an error message of the kit."""
        os.set_blocking(self._output, False)
        with contextlib.suppress(OSError):
            return os.read(self._output, 2000).decode(errors="replace").strip()
        return ""


_unused_processes: list[tuple[int, RunningProcess]] = []
"""Servers to be ended, each with the id of the process that started it."""


def _end_server(owner: int, process: RunningProcess, connection: socket.socket, output: int) -> None:
    """Close the connections to a server. This may run during garbage collection, so it does nothing else."""
    connection.close()
    os.close(output)
    _unused_processes.append((owner, process))


def end_discarded_fork_servers() -> None:
    """End servers that are no longer referenced, neither directly nor by one of their processes."""
    with contextlib.suppress(IndexError):  # another thread may collect as well
        while True:
            owner, process = _unused_processes.pop()
            if owner == os.getpid():  # a fork of the grader does not own it
                process.kill()
                process.wait_for_exit_status_or_none(STOP_SECONDS)


class _ServerOfThread(threading.local):
    """The server that a thread started: bubblewrap ends with the thread that started it."""

    server: ForkServer | None = None

    def forget(self) -> None:
        """Use the server no longer."""
        self.server = None


_server_of_thread = _ServerOfThread()
os.register_at_fork(after_in_child=_server_of_thread.forget)


def get_thread_fork_server(sandbox: SandboxConfig, server_code: bytes) -> ForkServer:
    """Return this thread's server for a kind of process.

    Start one if there is none; replace one that is of another kind, has ended, or is at its fork limit.

    Args:
        sandbox: see ``ForkServer``.
        server_code: see ``ForkServer``.

    Raises:
        KitFault: none can be started.
    """
    server = _server_of_thread.server
    if server is None or (server.sandbox, server.server_code) != (sandbox, server_code) or not server.can_fork:
        del server
        _server_of_thread.forget()
        server = _server_of_thread.server = ForkServer(sandbox, server_code)
    end_discarded_fork_servers()
    return server


def discard_thread_fork_server() -> None:
    """Have this thread's server end once none of its processes is in use."""
    _server_of_thread.forget()
    end_discarded_fork_servers()
