"""Index the rows of the course's list by their cells, for classes of thousands."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.roster.row_claims import RowMatchStrength
from autograder.safe_text import make_file_name_collision_key

FoundRow = tuple[dict[str, str] | None, RowMatchStrength]
NOBODY: FoundRow = (None, RowMatchStrength.NAMED)


class RosterRowsByCell:
    """Rows by what stands in some of their cells."""

    def __init__(self, rows: Iterable[tuple[dict[str, str], Iterable[str]]]) -> None:
        self.exact: dict[str, list[dict[str, str]]] = {}
        self.alike: dict[str, list[dict[str, str]]] = {}
        for row, cells in rows:
            known = {cell for cell in cells if cell}
            for found, keys in (
                (self.exact, known),
                (self.alike, {make_file_name_collision_key(cell) for cell in known}),
            ):
                for key in keys:
                    found.setdefault(key, []).append(row)

    def find_unique_row_and_strength(self, cell: str) -> FoundRow:
        """Find the only row with exactly this cell, or else the only one with a cell like it."""
        for found, how in (
            (self.exact.get(cell), RowMatchStrength.EXACT),
            (self.alike.get(make_file_name_collision_key(cell)), RowMatchStrength.ALIKE),
        ):
            if cell and found:
                return (found[0], how) if len(found) == 1 else NOBODY
        return NOBODY
