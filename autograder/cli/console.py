"""Make the console that commands print to."""

from __future__ import annotations

from typing import Any

from rich.console import Console

WIDTH = 1000


def make_console_without_markup(**settings: Any) -> Console:
    """Make a console that never interprets what it prints as markup; its lines are longer in a file or a pipe."""
    made = Console(markup=False, highlight=False, emoji=False, **settings)
    if not made.is_terminal:
        made.width = max(made.width, WIDTH)
    return made
