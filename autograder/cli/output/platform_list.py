"""``autograder export list``: show what the installed platforms offer."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table

from autograder.cli.output.console import print_line
from autograder.platforms import Platform
from autograder.platforms.common.export_options import map_settings_to_meanings
from autograder.safe_text import escape_for_display


def print_platforms(platforms: Iterable[Platform]) -> None:
    """Print a line for each platform: what can be read of it and written for it."""
    table = Table(
        "platform", "reads its downloads", "a class", "one report", "sends", "--set", box=None, pad_edge=False
    )
    for platform in platforms:
        offers = (platform.reader, platform.class_writer, platform.report_writer, platform.uploader)
        table.add_row(
            platform.name,
            *("yes" if offer else "" for offer in offers),
            ", ".join(map_settings_to_meanings(platform)),
        )
    print_line(table)


def print_export_settings_of_platform(platform: Platform) -> None:
    """Print what ``--set`` understands for one platform."""
    table = Table("--set", "what it means", box=None, pad_edge=False)
    for key, meaning in map_settings_to_meanings(platform).items():
        table.add_row(f"{key}=...", escape_for_display(meaning, 300))
    print_line(table)
