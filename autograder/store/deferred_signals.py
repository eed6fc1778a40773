"""Defer signals that ask a command to end while a database is at work."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from autograder.interruption import ENDING_SIGNALS


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defer SIGINT, SIGTERM and SIGHUP until the block exits, then raise the first that came.

    SQLAlchemy drops a connection when ``KeyboardInterrupt`` is raised in the middle of a statement, and everything
    not committed is lost. Only the main thread can be interrupted like this; in other threads this does nothing. A
    signal without a handler in Python is not deferred.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending_signals: list[int] = []
    handlers = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    handled_numbers = [number for number, handler in handlers.items() if callable(handler)]
    try:
        for number in handled_numbers:
            signal.signal(number, lambda number, frame: pending_signals.append(number))
        yield
    finally:
        for number in handled_numbers:
            signal.signal(number, handlers[number])
        if pending_signals:
            signal.raise_signal(pending_signals[0])
