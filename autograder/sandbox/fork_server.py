"""Start students' processes as forks of an interpreter that is already in a sandbox and has loaded the kit's modules.

Starting, locking and ending a process thus takes a quarter of the time. The server never receives anything of a
student's. Each of its processes gets its own namespaces (see ``inside.fork_loop``) and is locked like any other. All
processes of a server have the same memory layout, so it is replaced after ``MOST_PROCESSES`` forks.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import select
import socket
import threading
import weakref

from autograder.faults import KitFault
from autograder.sandbox import inside, seccomp_filter
from autograder.sandbox.bounded_scratch_folder import SCRATCH_MB
from autograder.sandbox.forked_process import ForkedProcess
from autograder.sandbox.frame_channel import pack_frame
from autograder.sandbox.interpreter_launch import InterpreterChannelEnds, LaunchedInterpreter, launch_interpreter
from autograder.sandbox.launched_process import RunningProcess
from autograder.sandbox.sandbox_config import SandboxConfig

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
