"""Watch and end a process that a fork server forked, through the init of its namespaces."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket

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
