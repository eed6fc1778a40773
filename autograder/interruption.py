"""End a command in good order when Ctrl-C, SIGTERM or a closed terminal asks for it, wherever the signal arrives.

Python raises ``KeyboardInterrupt`` between any two steps. Where that is inside a destructor or a callback of the
garbage collector, the exception is printed and forgotten, and the command would go on. So the signal is remembered,
and whoever works in a loop asks for it.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a command to end; SIGHUP comes when its terminal is closed."""

CLEANUP_SECONDS = 2.0
"""How long a further signal does not interrupt the cleanup; people press Ctrl-C twice."""

_arrived: list[float] = []
"""When the signals arrived that raised ``KeyboardInterrupt``."""
_is_deferring = threading.Event()
"""Set while the main thread is in a block of ``defer_signals``."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Have signals that ask to end raise ``KeyboardInterrupt`` in this block, so that the command cleans up.

    Only the main thread can be interrupted; in other threads this does nothing.
    """
    _arrived.clear()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.signal(number, _remember_and_raise) for number in list_ending_signals()}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        _arrived.clear()


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defer SIGINT, SIGTERM and SIGHUP until the block exits, then raise the first that came.

    For code that ``KeyboardInterrupt`` must not leave half done: SQLAlchemy drops a connection in the middle of a
    statement, with everything that is not committed, and an executor keeps a lock that its threads wait for. Only the
    main thread can be interrupted like this; in other threads this does nothing, and neither does a block within
    another one. A signal without a handler in Python is not deferred.
    """
    if threading.current_thread() is not threading.main_thread() or _is_deferring.is_set():
        yield
        return
    pending_signals: list[int] = []
    handlers = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    handled_numbers = [number for number, handler in handlers.items() if callable(handler)]
    try:
        for number in handled_numbers:
            signal.signal(number, lambda number, frame: pending_signals.append(number))
        _is_deferring.set()
        yield
    finally:
        _is_deferring.clear()
        for number in handled_numbers:
            signal.signal(number, handlers[number])
        if pending_signals:
            signal.raise_signal(pending_signals[0])


def list_ending_signals() -> list[int]:
    """Return the signals that ask this process to end: all, but for a SIGHUP that is ignored, as under ``nohup``."""
    is_hangup_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [number for number in ENDING_SIGNALS if number != signal.SIGHUP or not is_hangup_ignored]


def raise_if_interrupted() -> None:
    """Raise if a signal asked to end, and what it interrupted went on.

    Raises:
        KeyboardInterrupt: it did.
    """
    if _arrived:
        raise KeyboardInterrupt


def _remember_and_raise(number: int, frame: FrameType | None) -> None:
    now = time.monotonic()
    if not _arrived or now - _arrived[-1] > CLEANUP_SECONDS:
        _arrived.append(now)
        raise KeyboardInterrupt
