"""The progress bar of long work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from autograder.cli.common import console


@contextmanager
def bar(task: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, gone when the work is done; give it (done, total)."""
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
