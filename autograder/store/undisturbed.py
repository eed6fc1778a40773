"""Ctrl-C, held back while a database is at work."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

HELD = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def undisturbed() -> Iterator[None]:
    """What asks the process to end comes after this block, and is not lost.

    SQLAlchemy gives a connection up when ``KeyboardInterrupt`` is raised in the middle of a statement, and all that
    was not committed goes with it. Only the main thread can be interrupted so; in others this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    before = {number: signal.getsignal(number) for number in HELD}
    held = [number for number, handler in before.items() if callable(handler)]
    try:
        for number in held:
            signal.signal(number, lambda number, frame: asked.append(number))
        yield
    finally:
        for number in held:
            signal.signal(number, before[number])
        if asked:
            signal.raise_signal(asked[0])
