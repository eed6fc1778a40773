"""Find a worksheet's teams: its column has their names as they are, the download as a path can hold them."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

from autograder.csv_sheet import SheetRow
from autograder.platforms.moodle import column_titles
from autograder.platforms.moodle.worksheet_column_detection import WorksheetColumns
from autograder.student_name_comparison import format_moodle_path_name, make_moodle_name_key


class _HasRow(Protocol):
    """A row of the worksheet."""

    @property
    def row(self) -> SheetRow:
        """Return the row, with its cells."""


T = TypeVar("T", bound=_HasRow)
Members = dict[str, list[T]]
"""Rows by what stands in their cell."""


class WorksheetTeamIndex(Generic[T]):
    """The rows of a worksheet by the team that stands in them."""

    def __init__(self, students: Sequence[T], columns: WorksheetColumns, submission_names: Iterable[str]) -> None:
        """Find the column of teams.

        Args:
            students: all rows.
            columns: which column is which.
            submission_names: the names of the submissions in a download, by students alone or in teams.
        """
        submission_names = [*submission_names]
        by_place = [_TeamColumn(students, place) for place in columns.possible_team_columns]
        counts = [sum(one.find_members(name) != [] for name in submission_names) for one in by_place]
        self._places = columns.possible_team_columns
        self.known = max(counts, default=0)
        """How many of the names stand in the column."""
        self._column = by_place[counts.index(self.known)] if self.known else None

    def has_team_header(self, header: Sequence[str]) -> bool:
        """Return whether a header says that there are teams: only a hint, as a site may show other columns."""
        return any(
            header[place].strip().casefold() in column_titles.TEAM_TITLES
            for place in self._places
            if place < len(header)
        )

    def list_members_or_none_if_unsure(self, team_name: str) -> list[T] | None:
        """Return the members of the team that a download calls so; None if that may be one of several teams."""
        return self._column.find_members(team_name) if self._column else []


class _TeamColumn(Generic[T]):
    """One column that may hold teams."""

    def __init__(self, students: Iterable[T], place: int) -> None:
        self._exact = _index(students, place, format_moodle_path_name)
        self._alike = _index(students, place, make_moodle_name_key)

    def find_members(self, team_name: str) -> list[T] | None:
        """See ``WorksheetTeamIndex``. A team whose name differs only in capitals counts if there is no other."""
        for index, key in (
            (self._exact, format_moodle_path_name(team_name)),
            (self._alike, make_moodle_name_key(team_name)),
        ):
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
