"""Serve calls in a worker process, one after the other, until the other end of the pipe is closed.

The process imports little by itself: each call names the function to run, and the first call initializes the process.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

PR_SET_PDEATHSIG = 1
ENDS_WITH_PARENT = "--ends-with-parent"
IDLE_SECONDS = 600.0
"""Seconds without a call after which a process ends, so that a killed coordinator leaves no processes behind."""

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A module-level function, its positional arguments and its keyword arguments; all of it can be pickled."""
Outcome = tuple[bool, Any]
"""True and the returned value, or False and the raised exception."""


def serve_calls(connection: Connection[Outcome, Call], *, ends_with_parent: bool = True) -> None:
    """Run the calls that come through a pipe, and send back each outcome; return when the pipe is closed.

    Args:
        connection: this process's end of the pipe. No other process may hold it, so that the pipe closes for the
            parent when this process ends.
        ends_with_parent: whether this process ends as soon as the thread that started it ends, and not only when it
            next reads the pipe.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    if ends_with_parent:
        _end_with_parent()
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


def _end_with_parent() -> None:
    """Have this process end when its parent is killed, and its student processes with it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


if __name__ == "__main__":
    serve_calls(Connection(int(sys.argv[1])), ends_with_parent=ENDS_WITH_PARENT in sys.argv)
