"""Find rows of the roster by a platform's data about a student, or by a submission's name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from autograder.file_name_collisions import make_file_name_collision_key
from autograder.roster.row_claims import Row, RowMatchStrength
from autograder.roster.row_fields import (
    CERTAIN_ID_COLUMNS,
    GROUP_COLUMNS,
    ID_COLUMNS,
    LOGIN_COLUMNS,
    list_emails_not_chosen_by_students,
    list_identifying_cells,
    list_student_name_variants,
    make_name_comparison_keys,
)
from autograder.student_name_comparison import is_name_variant, is_same_name
from autograder.submissions import Person

FoundRow = tuple[Row | None, RowMatchStrength]
NOBODY: FoundRow = (None, RowMatchStrength.NAMED)

MOODLE = "moodle"
MOODLES = "identifier"
"""The column of Moodle's participant numbers. They differ in each assignment, so they match no other id column."""
ID_ENDS = ("", "_id", " id")
LOGIN_ENDS = ("", "_login", " login", "_username", " username")
"""Endings of a platform's name in the titles of columns: ``github_username``, or just ``github``."""
OWN_NUMBERS = {"moodle": (MOODLES,), "brightspace": ()}
"""Platforms whose own numbers for people are not ids of the course, with the columns that hold these numbers."""


class RosterRowFinder:
    """Finds rows of a roster by their cells; each index is built when it is first used."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self._indexes: dict[str | tuple[str, ...], RosterRowIndex] = {}

    def find_person_row(self, person: Person, platform_name: str) -> FoundRow:
        """Find a person's row by id, login and e-mail, or by name if none of these matches a row.

        Students may choose some of these values themselves, such as another login. If two of them match different
        rows, the person gets no row.
        """
        own_ids, own_logins = (
            tuple(f"{platform_name}{end}" for end in ends) if platform_name else () for ends in (ID_ENDS, LOGIN_ENDS)
        )
        own_columns = (*own_ids, *own_logins)
        ids: Sequence[tuple[str, ...]] = [CERTAIN_ID_COLUMNS, ID_COLUMNS]
        logins = [LOGIN_COLUMNS, CERTAIN_ID_COLUMNS, ID_COLUMNS]
        if platform_name in OWN_NUMBERS:
            ids = [OWN_NUMBERS[platform_name]]
        # a column of this platform's own goes before all others, which are not used then
        usable_columns = (*(own_ids if person.id else ()), *(own_logins if person.login else ()))
        if uses_own_columns := bool(self._get_index_of_columns(usable_columns).exact):
            ids, logins = [own_ids], [own_logins]
        candidates = [
            *(self._get_index_of_columns(columns).match_row(person.id) for columns in ids),
            *(self._get_index_of_columns(columns).match_row(person.login) for columns in logins),
            self._get_index("mails", list_emails_not_chosen_by_students).match_row(person.email),
        ]
        matches = [(row, strength) for row, strength in candidates if row]
        if platform_name == MOODLE and not uses_own_columns:
            matches = [(row, strength) for row, strength in matches if _may_have_name(row, person.name)]
        if not matches:
            return self._find_by_name(person.name, own_columns)
        is_agreed = all(row is matches[0][0] for row, _ in matches)
        return (matches[0][0], max(strength for _, strength in matches)) if is_agreed else NOBODY

    def find_named_row(self, submission_name: str) -> FoundRow:
        """Find the row of a submission by its name; a name that students choose may be another student's."""
        index = self._get_index("called", list_identifying_cells)
        if make_file_name_collision_key(submission_name) in index.alike:
            return index.match_row(submission_name)
        row, _ = self._get_index("any", lambda row: [*row.values()]).match_row(submission_name)
        return (row, RowMatchStrength.NAMED) if row else self._find_by_name(submission_name)

    def list_rows_of_group(self, group_name: str) -> list[Row]:
        """Return the rows of a group's members."""
        return [
            row
            for row in self.rows
            if make_file_name_collision_key(group_name)
            in map(make_file_name_collision_key, _list_cells(row, GROUP_COLUMNS))
        ]

    def _find_by_name(self, name: str, own_columns: tuple[str, ...] = ()) -> FoundRow:
        """Find a row by name alone; skip rows that give their student's id or login on this platform."""
        index = self._get_index(
            "names",
            lambda row: [
                key for variant in list_student_name_variants(row) for key in make_name_comparison_keys(variant)
            ],
        ).exact
        rows = {id(row): row for key in make_name_comparison_keys(name) for row in index.get(key, [])}.values()
        matches = [row for row in rows if not _list_cells(row, own_columns)]
        return (matches[0] if len(matches) == 1 else None), RowMatchStrength.NAMED

    def _get_index_of_columns(self, columns: tuple[str, ...]) -> RosterRowIndex:
        return self._get_index(columns, lambda row: _list_cells(row, columns))

    def _get_index(self, key: str | tuple[str, ...], cells: Callable[[Row], Iterable[str]]) -> RosterRowIndex:
        if key not in self._indexes:
            self._indexes[key] = RosterRowIndex([(row, cells(row)) for row in self.rows])
        return self._indexes[key]


def _list_cells(row: Row, columns: Iterable[str]) -> list[str]:
    wanted_columns = set(columns)
    return [_extract_number(key, cell) for key, cell in row.items() if cell and key.casefold() in wanted_columns]


def _may_have_name(row: Row, name: str) -> bool:
    """Return whether a row that matches by number may belong to a person with this name.

    It may not if, for example, the number is a team's that equals a participant's number. Either side may hide names;
    then it has the word for a participant in place of a name.
    """
    words = [re.sub(r"(?<!\d)\d+$", "", cell) for key, cell in row.items() if key.casefold() == MOODLES]
    variants = list_student_name_variants(row)
    return not (name and variants) or any(
        is_name_variant(name, variant) or is_same_name(name, variant) for variant in (*variants, *words)
    )


def _extract_number(column: str, cell: str) -> str:
    """Return a cell; of Moodle's worksheet, only the number: it has ``Participant 7``, and the download ``7``."""
    match = re.search(r"(?<!\d)\d+$", cell) if column.casefold() == MOODLES else None
    return match[0] if match else cell


class RosterRowIndex:
    """An index of rows by the cells in some columns."""

    def __init__(self, rows: Iterable[tuple[Row, Iterable[str]]]) -> None:
        self.exact: dict[str, list[Row]] = {}
        self.alike: dict[str, list[Row]] = {}
        for row, cells in rows:
            filled_cells = {cell for cell in cells if cell}
            for index, keys in (
                (self.exact, filled_cells),
                (self.alike, {make_file_name_collision_key(cell) for cell in filled_cells}),
            ):
                for key in keys:
                    index.setdefault(key, []).append(row)

    def match_row(self, cell: str) -> FoundRow:
        """Find the only row with exactly this cell, or else the only one with a cell like it.

        Several rows with exactly this cell end the search.

        Returns:
            The row and how it was found; ``NOBODY``, a pair without a row, if there is no such row or several.
        """
        for rows, strength in (
            (self.exact.get(cell), RowMatchStrength.EXACT),
            (self.alike.get(make_file_name_collision_key(cell)), RowMatchStrength.ALIKE),
        ):
            if cell and rows:
                return (rows[0], strength) if len(rows) == 1 else NOBODY
        return NOBODY
