"""Bound the time of collecting a hidden suite, whose files may loop without an end while they are imported."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

MAX_COLLECTION_SECONDS = 60.0
"""Wall-clock time. Collecting takes less than a second on a quiet machine."""
SECONDS_BEFORE_NOTICE = 10.0
SECONDS_BETWEEN_STOPS = 1.0
"""A file that catches every exception is stopped again after this time."""


class SuiteCollectionTimeout(BaseException):
    """Collecting took too long. No ``Exception``, so that ``except Exception`` in the suite does not catch it.

    Attributes:
        seconds: the limit.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@contextmanager
def limit_collection_time(suite_folder: Path) -> Iterator[None]:
    """Raise ``SuiteCollectionTimeout`` in the block if it takes too long; say before that what is waited for.

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
    limit, notice = MAX_COLLECTION_SECONDS, min(SECONDS_BEFORE_NOTICE, MAX_COLLECTION_SECONDS / 2)
    was_told = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal was_told
        if was_told:
            raise SuiteCollectionTimeout(limit)
        was_told = True
        print(f"{suite_folder}: its files are still being imported after {notice:g} s", file=sys.stderr, flush=True)
        signal.setitimer(signal.ITIMER_REAL, limit - notice, SECONDS_BETWEEN_STOPS)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, notice)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
