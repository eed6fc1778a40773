"""Print what commands say, without markup."""

from __future__ import annotations

import errno
import os
from typing import Any, NoReturn

from rich.console import Console, RenderableType

WIDTH = 1000


class PipeFriendlyConsole(Console):
    """A console that leaves a pipe without a reader, as of ``| head``, to click, which ends the command silently."""

    def on_broken_pipe(self) -> NoReturn:
        """Raise the error again; rich ends the program here, as a file of the course must not."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def make_console_without_markup(**settings: Any) -> Console:
    """Make a console that never interprets what it prints as markup; its lines are longer in a file or a pipe."""
    console = PipeFriendlyConsole(markup=False, highlight=False, emoji=False, **settings)
    if not console.is_terminal:
        console.width = max(console.width, WIDTH)
    return console


def print_line(
    text_or_table: RenderableType, *, style: str | None = None, to_stderr: bool = False, soft_wrap: bool = False
) -> None:
    """Print a text, or a table of rich's, without interpreting markup, and end the line.

    Args:
        text_or_table: what is printed.
        style: how rich shows it in a terminal, such as ``bold`` or ``red``.
        to_stderr: whether it goes to stderr instead of stdout.
        soft_wrap: whether a line longer than the terminal is left whole, so that it can be copied.
    """
    make_console_without_markup(stderr=to_stderr).print(text_or_table, style=style, soft_wrap=soft_wrap)
