"""Show how far long work has come: with a bar on a terminal, with a line now and then elsewhere."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from autograder.batch import Progress as Told
from autograder.batch.work import Done
from autograder.cli.common import console

RECENT = 256
"""Submissions that the rate is taken over."""


@contextmanager
def bar(task: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error that goes away when the work is done; call it with (done, total)."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(stderr=True), transient=True) as progress:
        shown = progress.add_task(task, total=None)
        yield lambda done, total: progress.update(shown, completed=done, total=total)


class Pace:
    """How fast a batch is graded; submissions that need no grading do not make it look faster."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._total = total
        self._started = clock()
        self._recent: deque[float] = deque(maxlen=RECENT)
        self.done = 0
        self.reused = 0

    def advance(self, done: Done) -> None:
        """Count one submission."""
        self.done += 1
        if done.reused:
            self.reused += 1
            if not self._recent:
                self._started = self._clock()  # looking at what is there is not grading
            return
        if len(self._recent) == RECENT:
            self._started = self._recent[0]
        self._recent.append(self._clock())

    @property
    def rate(self) -> float:
        """Return the submissions graded per second, lately; 0 if there is none yet."""
        passed = self._clock() - self._started
        return len(self._recent) / passed if self._recent and passed > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Return the seconds until the rest is graded; None if that is unknown."""
        return (self._total - self.done) / self.rate if self.rate else None

    def __str__(self) -> str:
        """Return one line: how many of how many, how fast, and for how long."""
        unchanged = f" ({self.reused} unchanged)" if self.reused else ""
        return f"{self.done} of {self._total} submissions{unchanged}{self.speed}"

    @property
    def speed(self) -> str:
        """Return the rate and the time left, as far as they are known."""
        rate = f", {self.rate:.1f} a second" if self.rate else ""
        left = f", {minutes(self.left)} left" if self.left is not None and self.done < self._total else ""
        return rate + left


def minutes(seconds: float) -> str:
    """Return a time for people: ``0:07``, ``12:34``, ``1:02:03``."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


@contextmanager
def batch_progress(total: int, every: float) -> Iterator[Told]:
    """Show on standard error how far a batch has come; call it with every submission.

    Args:
        total: the number of submissions.
        every: seconds between two lines if standard error is not a terminal.
    """
    pace = Pace(total)
    shown = _bar(pace, total) if console(stderr=True).is_terminal else _lines(pace, every)
    with shown as refresh:

        def told(done: Done) -> None:
            pace.advance(done)
            refresh()

        yield told


class _Speed(ProgressColumn):
    """The kit's own rate and time left: rich's would count what was not graded."""

    def __init__(self, pace: Pace) -> None:
        super().__init__()
        self._pace = pace

    def render(self, task: Task) -> Text:
        """See ``ProgressColumn``."""
        return Text(self._pace.speed.removeprefix(", "))


@contextmanager
def _bar(pace: Pace, total: int) -> Iterator[Callable[[], None]]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Speed(pace))
    with Progress(*columns, console=console(stderr=True), transient=True) as progress:
        shown = progress.add_task("grading", total=total)
        yield lambda: progress.update(shown, completed=pace.done)


@contextmanager
def _lines(pace: Pace, every: float) -> Iterator[Callable[[], None]]:
    """Print a line each time, also while a single submission takes long, and a last one when all is done."""
    over = threading.Event()
    show = console(stderr=True).print

    def speak() -> None:
        while not over.wait(every):
            show(str(pace))

    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield lambda: None
    finally:
        over.set()
        speaker.join()
    show(str(pace))
