"""Keep the processes of a server running: the pages, the worker that grades, and the outbox that sends marks."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autograder.faults import list_ending_signals

CALLERS_MISTAKE = 2
"""The exit code of a process that was started with wrong arguments or settings."""
WORKS_SECONDS = 2.0
"""How long a process runs until its settings count as right; it is started at most once in this time."""
END_SECONDS = 20.0


@dataclass
class SupervisedProcess:
    """A process that is started again when it ends."""

    command: Sequence[str]
    _process: subprocess.Popen[bytes] | None = None
    _started_at: float = -WORKS_SECONDS
    _has_worked: bool = False
    """Whether it once ran for a while. If so, its settings are right, and a failing store should come back."""

    def restart_or_get_exit_code(self) -> int | None:
        """Start the process if it does not run; return its exit code if it cannot be started again."""
        code = self._process.poll() if self._process else None
        has_run_for_a_while = time.monotonic() - self._started_at > WORKS_SECONDS
        if self._process and code is None:
            self._has_worked = self._has_worked or has_run_for_a_while
        elif code == CALLERS_MISTAKE and not self._has_worked:
            return code
        elif has_run_for_a_while:
            self._started_at = time.monotonic()
            self._process = subprocess.Popen(self.command, stdin=subprocess.PIPE)
        return None

    def stop(self) -> None:
        """Ask the process to end, wait, and kill it if it does not."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def supervise(processes: Sequence[SupervisedProcess], stop: threading.Event) -> int:
    """Run processes until ``stop`` is set, or until one cannot run; return the exit code."""
    try:
        while not stop.wait(0.1):
            for process in processes:
                code = process.restart_or_get_exit_code()
                if code is not None:
                    return code
        return 0
    finally:
        for process in processes:
            process.stop()


def call_when_stdin_closes(callback: Callable[[], None]) -> None:
    """Call ``callback`` when the parent process has ended in any way, which closes the pipe to standard input.

    Do nothing if standard input is not a pipe: then a service manager or a person started this process.
    """
    try:
        pipe = sys.stdin.fileno()
    except OSError:  # not a real file
        return
    if not stat.S_ISFIFO(os.fstat(pipe).st_mode):
        return

    def watch() -> None:
        while os.read(pipe, 4096):
            pass
        callback()

    threading.Thread(target=watch, daemon=True).start()


def set_event_on_end_signals(stop_event: threading.Event) -> None:
    """Set ``stop_event`` when a signal asks to end."""
    for number in list_ending_signals():
        signal.signal(number, lambda *_: stop_event.set())
