"""End a command in good order when Ctrl-C or SIGTERM asks for it, wherever the signal arrives.

Python raises ``KeyboardInterrupt`` between any two steps. Where that is inside a destructor or a callback of the
garbage collector, the exception is printed and forgotten, and the command would go on. So the signal is remembered,
and whoever works in a loop asks for it.
"""

from __future__ import annotations

import signal
from types import FrameType

_arrived: list[int] = []


def install_signal_handlers() -> None:
    """Have Ctrl-C and SIGTERM raise ``KeyboardInterrupt`` from now on; call this in the main thread."""
    _arrived.clear()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _remember_and_raise)


def raise_if_interrupted() -> None:
    """Raise if a signal asked to end, and what it interrupted went on.

    Raises:
        KeyboardInterrupt: it did.
    """
    if _arrived:
        raise KeyboardInterrupt


def _remember_and_raise(number: int, frame: FrameType | None) -> None:
    _arrived.append(number)
    raise KeyboardInterrupt
