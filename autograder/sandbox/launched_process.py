"""Watch and end a student's process that a command started, perhaps through bubblewrap."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import Protocol

INFORMATION_SECONDS = 0.2


class RunningProcess(Protocol):
    """A student's process, however it was started.

    Attributes:
        was_killed_from_outside: whether it ended because its supervising process was killed, neither by the grader
            nor by the submission, for example by the kernel when memory ran out. Valid after
            ``wait_for_exit_status_or_none`` returned a status.
    """

    was_killed_from_outside: bool

    def receive_namespace_init_pidfd(self) -> None:
        """Get a handle of the namespace's init, by which the process can be killed at once."""

    def wait_for_exit_status_or_none(self, timeout_seconds: float) -> int | None:
        """Return how it ended: its exit code, or the negative number of a signal; None if it still runs.

        If it has namespaces of its own, all processes that it started have ended, too.
        """

    def kill(self) -> None:
        """Kill it and all that is in its namespaces; return before it is gone."""


class LaunchedProcess:
    """A process that a command started, perhaps by way of bubblewrap."""

    was_killed_from_outside = False  # it has no supervising process

    def __init__(self, process: subprocess.Popen[bytes], information_pipe: int) -> None:
        """Take over a process.

        Args:
            process: the command's.
            information_pipe: the pipe on which bubblewrap sends the id of its namespace's first process, whose end
                kills all others; -1 without bubblewrap.
        """
        self._process = process
        self._information = information_pipe
        self._in_namespaces = information_pipe >= 0
        self._pidfd = -1

    def receive_namespace_init_pidfd(self) -> None:
        """Wait until bubblewrap tells the id of the namespace's first process, and keep a pidfd of that process.

        Bubblewrap tells it as soon as it has started the process. The pidfd is -1 if nothing is told in time or the
        process is gone. Without bubblewrap's descriptor, do nothing.
        """
        if self._information < 0:
            return
        os.set_blocking(self._information, False)
        deadline = time.monotonic() + INFORMATION_SECONDS
        text = b""
        while not text.endswith(b"}\n") and time.monotonic() < deadline:
            try:
                chunk = os.read(self._information, 4096)
            except BlockingIOError:
                time.sleep(0.001)
                continue
            if not chunk:
                break
            text += chunk
        os.close(self._information)
        self._information = -1
        try:
            self._pidfd = os.pidfd_open(int(json.loads(text)["child-pid"]))
        except (OSError, ValueError, KeyError):
            self._pidfd = -1

    def wait_for_exit_status_or_none(self, timeout_seconds: float) -> int | None:
        """Return how it ended; see ``RunningProcess``.

        bubblewrap reports a signal as 128 plus its number, which a program may also choose as its exit code.
        """
        try:
            code = self._process.wait(timeout_seconds) if timeout_seconds > 0 else self._process.poll()
        except subprocess.TimeoutExpired:
            return None
        return 128 - code if code is not None and self._in_namespaces and code > 128 else code

    def kill(self) -> None:
        """End it; see ``RunningProcess``."""
        if self._process.poll() is None:
            self.receive_namespace_init_pidfd()
            if self._pidfd >= 0:
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            else:
                self._process.kill()
        for descriptor in (self._pidfd, self._information):
            if descriptor >= 0:
                os.close(descriptor)
        self._pidfd = self._information = -1
