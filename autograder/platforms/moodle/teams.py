"""Find a worksheet's teams: its column has their names as they are, the download as a path can hold them."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

from autograder.platforms.moodle import titles
from autograder.platforms.moodle.columns import Columns
from autograder.platforms.moodle.names import cleaned, key_of
from autograder.platforms.sheet import Row


class InTeam(Protocol):
    """A row of the worksheet."""

    @property
    def row(self) -> Row:
        """Return the row, with its cells."""


T = TypeVar("T", bound=InTeam)
Members = dict[str, list[T]]
"""Rows by what stands in their cell."""


class Teams(Generic[T]):
    """The rows of a worksheet by the team that stands in them."""

    def __init__(self, students: Sequence[T], columns: Columns, names: Iterable[str]) -> None:
        """Find the column of teams.

        Args:
            students: all rows.
            columns: which column is which.
            names: the names of the submissions in a download, by students alone or in teams.
        """
        names = [*names]
        by_place = [_Column(students, place) for place in columns.team]
        counts = [sum(one.called(name) != [] for name in names) for one in by_place]
        self._places = columns.team
        self.known = max(counts, default=0)
        """How many of the names stand in the column."""
        self._column = by_place[counts.index(self.known)] if self.known else None

    def titled(self, header: Sequence[str]) -> bool:
        """Return whether a header says that there are teams: only a hint, as a site may show other columns."""
        return any(header[place].strip().casefold() in titles.TEAM for place in self._places if place < len(header))

    def called(self, name: str) -> list[T] | None:
        """Return the members of the team that a download calls so; None if that may be one of several teams."""
        return self._column.called(name) if self._column else []


class _Column(Generic[T]):
    """One column that may hold teams."""

    def __init__(self, students: Iterable[T], place: int) -> None:
        self._exact = _index(students, place, cleaned)
        self._alike = _index(students, place, key_of)

    def called(self, name: str) -> list[T] | None:
        """See ``Teams``. A team whose name differs only in capitals counts if there is no other."""
        for index, key in ((self._exact, cleaned(name)), (self._alike, key_of(name))):
            if found := index.get(key) if key else None:
                return next(iter(found.values())) if len(found) == 1 else None
        return []


def _index(students: Iterable[T], place: int, key: Callable[[str], str]) -> dict[str, Members[T]]:
    """Return rows by each key that their cell may have in a download.

    Moodle writes ``&amp;`` for ``&`` into a team's name before it takes out what no path can hold: there,
    ``Red & Blue`` is ``Red amp; Blue``. It leaves alone an ``&`` that looks like the beginning of ``&amp;`` itself.
    """
    found: dict[str, Members[T]] = defaultdict(lambda: defaultdict(list))
    for one in students:
        cell = one.row.cells[place]
        for form in {key(cell), key(html.escape(cell, quote=False))} - {""}:
            found[form][cell].append(one)
    return found
