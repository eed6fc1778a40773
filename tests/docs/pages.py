"""The commands that a page of the documentation shows, and what it says that they print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```", re.M | re.S)
NUMBER = r"\d+(?:\.\d+)?"
VARIES = re.compile(rf"{NUMBER} s\b|{NUMBER} a second|isolation: \w+")
"""What differs from one run and machine to the next: times, and the tier."""


@dataclass(frozen=True)
class Shown:
    """One command of a page."""

    line: int
    command: str
    prints: str
    """With ``...`` for what is left out."""


def commands(page: Path) -> Iterator[Shown]:
    """Every line of a console block that begins with ``$``, with what stands below it."""
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1)) + 1
        lines = block[1].splitlines()
        starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            command = lines[start][2:].partition("   #")[0]
            yield Shown(first + start, command.strip(), "\n".join(lines[start + 1 : end]).strip("\n"))


def prints(shown: str, printed: str) -> bool:
    """Whether a command printed what the page shows; nothing shown, nothing promised."""
    parts = [part.strip() for part in re.split(r"(?m)^\s*\.\.\.$|\.\.\.", shown)]
    place, plain = 0, _plain(printed)
    for part in parts:
        found = plain.find(_plain(part), place)
        if found < 0:
            return False
        place = found + len(_plain(part))
    return True


def _plain(text: str) -> str:
    return " ".join(VARIES.sub("#", text).split())
