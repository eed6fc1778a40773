"""Serve calls in a worker process, one after the other, until the other end of the pipe is closed.

The process imports little by itself: what it does is named by the calls, the first of which gets it ready.
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
"""After which a process without work ends: a coordinator that was killed leaves nothing behind for long."""

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A function of a module, its arguments, and those that are named; all of it can be pickled."""
Outcome = tuple[bool, Any]
"""Whether the function returned, and what it returned; otherwise the exception that it raised."""


def serve_calls(connection: Connection[Outcome, Call], *, ends_with_parent: bool = True) -> None:
    """Do what comes through a pipe, and send back each outcome; return when the pipe is closed.

    Args:
        connection: this process's end of the pipe. No other process holds it: the parent sees the end of this process
            as the end of the pipe.
        ends_with_parent: whether this process ends at once when the thread that started it does, and not only when it
            next looks at the pipe.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    if ends_with_parent:
        _end_with_parent()
    os.set_inheritable(connection.fileno(), False)
    while connection.poll(IDLE_SECONDS):
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):  # the pipe is closed, perhaps in the midst of a call
            return
        try:
            function, arguments, named = pickle.loads(message)
            outcome = True, function(*arguments, **named)
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
