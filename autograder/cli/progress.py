"""Show how far long work has come: with a bar on a terminal, with a line now and then elsewhere."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

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

from autograder.batch import ResultCallback
from autograder.batch.class_explanations import Explained, ExplainedCallback
from autograder.cli.terminal import make_console_without_markup, print_line
from autograder.text import format_count
from autograder.workers.grading_tasks import GradingTaskResult

RECENT = 256
"""The number of recent submissions over which the rate is computed."""


@contextmanager
def show_progress_bar(task_name: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error that goes away when the work is done; call it with (done, total)."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = make_console_without_markup(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(task_name, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


class GradingProgress:
    """How far and how fast a batch is graded, and then explained.

    Submissions that need no grading do not make it look faster.
    """

    def __init__(self, submission_count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._total = submission_count
        self._start_time = clock()
        self._recent: deque[float] = deque(maxlen=RECENT)
        self.done = 0
        self.reused = 0
        self.explained: Explained | None = None

    def add_result(self, result: GradingTaskResult) -> None:
        """Count one submission."""
        self.done += 1
        if result.was_reused:
            self.reused += 1
            if not self._recent:
                self._start_time = self._clock()  # time spent on reused results is not grading
            return
        if len(self._recent) == RECENT:
            self._start_time = self._recent[0]
        self._recent.append(self._clock())

    @property
    def has_all_marks(self) -> bool:
        """Return whether every submission has its mark."""
        return self.done >= self._total

    @property
    def submissions_per_second_or_zero(self) -> float:
        """Return the submissions graded per second, lately; 0 if there is none yet."""
        elapsed = (self._recent[-1] if self._recent and self.has_all_marks else self._clock()) - self._start_time
        return len(self._recent) / elapsed if self._recent and elapsed > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Return the seconds until the rest is graded; None if that is unknown."""
        return (
            (self._total - self.done) / self.submissions_per_second_or_zero
            if self.submissions_per_second_or_zero
            else None
        )

    def __str__(self) -> str:
        """Return one line: how many of how many, how fast, and for how long."""
        if self.explained:
            wrong = format_count(self.explained.total, "wrong submission")
            return f"all marks are written; explained {self.explained.done} of {wrong}"
        reused = f" ({self.reused} graded already)" if self.reused else ""
        return f"{self.done} of {format_count(self._total, 'submission')}{reused}{self.speed_and_time_left_suffix}"

    @property
    def speed_and_time_left_suffix(self) -> str:
        """Return the rate and the time left, as far as they are known; nothing while explanations are looked for."""
        if self.explained:
            return ""
        rate = f", {self.submissions_per_second_or_zero:.1f} a second" if self.submissions_per_second_or_zero else ""
        time_left = (
            f", {format_duration_with_colons(self.seconds_left)} left"
            if self.seconds_left is not None and self.done < self._total
            else ""
        )
        return rate + time_left


def format_duration_with_colons(seconds: float) -> str:
    """Return a time for people: ``0:07``, ``12:34``, ``1:02:03``.

    >>> format_duration_with_colons(7.4), format_duration_with_colons(3723)
    ('0:07', '1:02:03')
    """
    total = round(seconds)
    hours, remainder = divmod(total, 3600)
    return f"{hours}:{remainder // 60:02}:{remainder % 60:02}" if hours else f"{remainder // 60}:{remainder % 60:02}"


@dataclass(frozen=True, slots=True)
class ProgressCallbacks:
    """Functions that show how far a batch has come."""

    show_result: ResultCallback
    show_explained: ExplainedCallback


@contextmanager
def open_grading_progress_display(submission_count: int, seconds_between_lines: float) -> Iterator[ProgressCallbacks]:
    """Show the progress of a batch on standard error.

    Args:
        submission_count: the number of submissions.
        seconds_between_lines: seconds between two lines if standard error is not a terminal.
    """
    grading_progress = GradingProgress(submission_count)
    display = (
        _show_bar(grading_progress, submission_count)
        if make_console_without_markup(stderr=True).is_terminal
        else _print_lines(grading_progress, seconds_between_lines)
    )
    with display as refresh:

        def show_result(result: GradingTaskResult) -> None:
            grading_progress.add_result(result)
            refresh()

        def show_explained(explained: Explained) -> None:
            grading_progress.explained = explained
            refresh()

        yield ProgressCallbacks(show_result, show_explained)


class _Speed(ProgressColumn):
    """The kit's own rate and time left; rich's would include submissions that were not graded."""

    def __init__(self, grading_progress: GradingProgress) -> None:
        super().__init__()
        self._grading_progress = grading_progress

    def render(self, task: Task) -> Text:
        """See ``ProgressColumn``."""
        return Text(self._grading_progress.speed_and_time_left_suffix.removeprefix(", "))


@contextmanager
def _show_bar(grading_progress: GradingProgress, total: int) -> Iterator[Callable[[], None]]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Speed(grading_progress))
    with Progress(*columns, console=make_console_without_markup(stderr=True), transient=True) as progress:
        task = progress.add_task("grading", total=total)

        def refresh() -> None:
            if explained := grading_progress.explained:
                progress.update(task, description="explaining", completed=explained.done, total=explained.total)
            else:
                progress.update(task, completed=grading_progress.done)

        yield refresh


@contextmanager
def _print_lines(grading_progress: GradingProgress, every: float) -> Iterator[Callable[[], None]]:
    """Print a line at each interval, even while one submission takes long, and when all is graded or explained."""
    over, lock = threading.Event(), threading.Lock()
    printed = ""

    def print_if_new() -> None:
        nonlocal printed
        with lock:
            if str(grading_progress) != printed:
                printed = str(grading_progress)
                print_line(printed, to_stderr=True)

    def print_if_all_marks_are_there() -> None:
        if grading_progress.has_all_marks and grading_progress.explained is None:
            print_if_new()

    def speak() -> None:
        while not over.wait(every):
            print_if_new()

    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield print_if_all_marks_are_there
    finally:
        over.set()
        speaker.join()
    print_if_new()
