"""Rows of the course's list by what stands in them, for classes of thousands."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.platforms.claims import Strength
from autograder.text import alike

Found = tuple[dict[str, str] | None, Strength]
NOBODY: Found = (None, Strength.NAMED)


class Index:
    """Rows by what stands in some of their cells."""

    def __init__(self, rows: Iterable[tuple[dict[str, str], Iterable[str]]]) -> None:
        self.exact: dict[str, list[dict[str, str]]] = {}
        self.alike: dict[str, list[dict[str, str]]] = {}
        for row, cells in rows:
            known = {cell for cell in cells if cell}
            for found, keys in ((self.exact, known), (self.alike, {alike(cell) for cell in known})):
                for key in keys:
                    found.setdefault(key, []).append(row)

    def only(self, wanted: str) -> Found:
        """The only row with just this, or else with something like it."""
        for found, how in ((self.exact.get(wanted), Strength.EXACT), (self.alike.get(alike(wanted)), Strength.ALIKE)):
            if wanted and found:
                return (found[0], how) if len(found) == 1 else NOBODY
        return NOBODY
