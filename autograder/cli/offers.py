"""``autograder export list``: show what the installed platforms offer."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table

from autograder.cli.common import console
from autograder.platforms import Platform
from autograder.platforms.saving import settings_of
from autograder.text import clean


def show_offers(known: Iterable[Platform]) -> None:
    """Print a line for each platform: what can be read of it and written for it."""
    table = Table(
        "platform", "reads its downloads", "a class", "one report", "sends", "--set", box=None, pad_edge=False
    )
    for one in known:
        offers = (one.reader, one.class_writer, one.report_writer, one.uploader)
        table.add_row(one.name, *("yes" if offer else "" for offer in offers), ", ".join(settings_of(one)))
    console().print(table)


def show_settings(platform: Platform) -> None:
    """Print what ``--set`` understands for one platform."""
    table = Table("--set", "what it means", box=None, pad_edge=False)
    for key, meaning in settings_of(platform).items():
        table.add_row(f"{key}=...", clean(meaning, 300))
    console().print(table)
