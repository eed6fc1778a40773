"""Find a worksheet's teams: its column has their names as they are, the download as a path can hold them."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from autograder.platforms.moodle.column_titles import TEAM_TITLES
from autograder.platforms.moodle.worksheet_column_detection import WorksheetColumns
from autograder.platforms.moodle.worksheet_student import WorksheetStudent
from autograder.student_name_comparison import format_moodle_path_name, make_moodle_name_key

Members = dict[str, list[WorksheetStudent]]
"""Rows by what stands in their cell."""


class WorksheetTeamIndex:
    """The rows of a worksheet by the team that stands in them."""

    def __init__(
        self, students: Sequence[WorksheetStudent], columns: WorksheetColumns, submission_names: Iterable[str]
    ) -> None:
        """Find the column of teams.

        Args:
            students: all rows.
            columns: which column is which.
            submission_names: the names of the submissions in a download, by students alone or in teams.
        """
        submission_names = [*submission_names]
        team_columns = [_TeamColumn(students, column) for column in columns.possible_team_columns]
        counts = [sum(column.find_members(name) != [] for name in submission_names) for column in team_columns]
        self._team_columns = columns.possible_team_columns
        self.known = max(counts, default=0)
        """How many of the names stand in the column."""
        self._column = team_columns[counts.index(self.known)] if self.known else None

    def has_team_header(self, header: Sequence[str]) -> bool:
        """Return whether a header says that there are teams: only a hint, as a site may show other columns."""
        return any(
            header[column].strip().casefold() in TEAM_TITLES for column in self._team_columns if column < len(header)
        )

    def find_team_members(self, team_name: str) -> list[WorksheetStudent] | None:
        """Return the members of the team that a download calls so; None if that may be one of several teams."""
        return self._column.find_members(team_name) if self._column else []


class _TeamColumn:
    """One column that may hold teams."""

    def __init__(self, students: Iterable[WorksheetStudent], column: int) -> None:
        self._indexes = {
            make_key: _index_members(students, column, make_key)
            for make_key in (format_moodle_path_name, make_moodle_name_key)
        }

    def find_members(self, team_name: str) -> list[WorksheetStudent] | None:
        """See ``WorksheetTeamIndex``. A team whose name differs only in capitals counts if there is no other."""
        for make_key, members_by_key in self._indexes.items():
            if members_by_cell := members_by_key.get(make_key(team_name)):
                return next(iter(members_by_cell.values())) if len(members_by_cell) == 1 else None
        return []


def _index_members(
    students: Iterable[WorksheetStudent], column: int, make_key: Callable[[str], str]
) -> dict[str, Members]:
    """Return rows by each key that their cell may have in a download.

    Moodle writes ``&amp;`` for ``&`` into a team's name before it takes out what no path can hold: there,
    ``Red & Blue`` is ``Red amp; Blue``. It leaves alone an ``&`` that looks like the beginning of ``&amp;`` itself.
    """
    members_by_key: dict[str, Members] = defaultdict(lambda: defaultdict(list))
    for student in students:
        cell = student.row.cells[column]
        for name_key in {make_key(cell), make_key(html.escape(cell, quote=False))} - {""}:
            members_by_key[name_key][cell].append(student)
    return members_by_key
