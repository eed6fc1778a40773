"""Show how far long work has come: with a bar on a terminal, with a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from autograder.batch import ResultCallback
from autograder.batch.class_explanations import Explained, ExplainedCallback
from autograder.cli.terminal import make_console_without_markup, print_line
from autograder.text import format_count
from autograder.workers.grading_tasks import GradingTaskResult


@contextmanager
def show_progress_bar(task_name: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error that goes away when the work is done; call it with (done, total)."""
    with _open_progress_bar(task_name) as (bar, task):
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def _open_progress_bar(task_name: str) -> Iterator[tuple[Progress, TaskID]]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = make_console_without_markup(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress, progress.add_task(task_name, total=None)


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
    done = reused = 0
    printed, printed_at = "", time.monotonic()
    with _open_progress_bar("grading") as (bar, task):

        def show_line(line: str, *, at_once: bool = False) -> None:
            nonlocal printed, printed_at
            is_due = at_once or time.monotonic() >= printed_at + seconds_between_lines
            if is_due and line != printed and bar.disable:
                printed, printed_at = line, time.monotonic()
                print_line(line, to_stderr=True)

        def show_result(result: GradingTaskResult) -> None:
            nonlocal done, reused
            done, reused = done + 1, reused + result.was_reused
            bar.update(task, completed=done, total=submission_count)
            suffix = f" ({reused} graded already)" if reused else ""
            show_line(
                f"{done} of {format_count(submission_count, 'submission')}{suffix}", at_once=done == submission_count
            )

        def show_explained(explained: Explained) -> None:
            bar.update(task, description="explaining", completed=explained.done, total=explained.total)
            wrong = format_count(explained.total, "wrong submission")
            is_last = explained.done == explained.total
            show_line(f"all marks are written; explained {explained.done} of {wrong}", at_once=is_last)

        yield ProgressCallbacks(show_result, show_explained)
