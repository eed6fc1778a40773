"""Bound the time of importing a course's own files, which may loop without an end."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

MAX_IMPORT_SECONDS = 60.0
"""Wall-clock time. Importing takes less than a second on a quiet machine."""
SECONDS_BEFORE_NOTICE = 10.0
SECONDS_BETWEEN_STOPS = 1.0
"""A file that catches every exception is stopped again after this time."""


class ImportTimeout(BaseException):
    """Importing took too long. No ``Exception``, so that ``except Exception`` in the file does not catch it.

    Attributes:
        seconds: the limit.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@contextmanager
def limit_import_time(file_or_folder: Path) -> Iterator[None]:
    """Raise ``ImportTimeout`` in the block if it takes too long; say before that what is waited for.

    Signals reach the main thread alone, so the time of another thread is not bounded, and neither is it where
    somebody else uses this timer.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL
        or signal.getitimer(signal.ITIMER_REAL) != (0.0, 0.0)
    ):
        yield
        return
    limit, notice = MAX_IMPORT_SECONDS, min(SECONDS_BEFORE_NOTICE, MAX_IMPORT_SECONDS / 2)
    was_told = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal was_told
        if was_told:
            raise ImportTimeout(limit)
        was_told = True
        what = "its files are" if file_or_folder.is_dir() else "this file is"
        print(f"{file_or_folder}: {what} still being imported after {notice:g} s", file=sys.stderr, flush=True)
        signal.setitimer(signal.ITIMER_REAL, limit - notice, SECONDS_BETWEEN_STOPS)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, notice)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
