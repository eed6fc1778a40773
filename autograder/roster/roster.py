"""Match submissions with the rows of the course's roster, settle disputes, and find students without a submission."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path

from autograder.faults import translate_file_errors
from autograder.roster.roster_file import parse_roster_rows
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
from autograder.submissions import Person, SubmissionEntry, SubmissionOrigin
from autograder.text import (
    escape_name_unambiguously,
    is_name_variant,
    is_same_name,
    join_with_and,
    make_file_name_collision_key,
)

Row = dict[str, str]


class RowMatchStrength(IntEnum):
    """How certain the match of a row is."""

    NAMED = 1
    """By name, which students and groups can choose themselves."""
    ALIKE = 2
    """By id, login or e-mail address, ignoring differences such as capitals."""
    EXACT = 3


@dataclass(frozen=True, slots=True)
class RowClaim:
    """The rows that match one submission, before other submissions are considered."""

    rows: tuple[Row, ...]
    strength: RowMatchStrength
    owner: tuple[Person, ...] | str = ""
    """The submission's owner on the platform, the same for all attempts of one student."""


@dataclass(frozen=True, slots=True)
class RosterMatchResult:
    """All entries of a class, each with its rows of the roster if it has any, and the disputes about rows."""

    entries: list[SubmissionEntry]
    disputes: tuple[str, ...] = ()
    """A sentence for each submission that seems to match a student, but is left unmatched."""


def _resolve_row_claims(entries: Sequence[SubmissionEntry], claims: Sequence[RowClaim]) -> RosterMatchResult:
    """Return each entry with its rows, and a sentence for each dispute.

    The strongest claim to a row wins, so an id beats a name. If several students' claims are equally strong, none of
    them gets the row; attempts of one student share it.
    """
    best_strength: dict[int, RowMatchStrength] = {}
    for claim in claims:
        for row in claim.rows:
            best_strength[id(row)] = max(claim.strength, best_strength.get(id(row), claim.strength))
    holders: dict[int, dict[tuple[Person, ...] | str, str]] = {}
    for entry, claim in zip(entries, claims, strict=True):
        for row in claim.rows:
            if claim.strength == best_strength[id(row)]:
                holders.setdefault(id(row), {}).setdefault(claim.owner, entry.name)
    matched_entries, disputes = [], {}
    for entry, claim in zip(entries, claims, strict=True):
        lost_rows = [
            row for row in claim.rows if claim.strength < best_strength[id(row)] or len(holders[id(row)]) > 1
        ]
        rows = () if lost_rows else claim.rows
        matched_entries.append(replace(entry, origin=replace(entry.origin or SubmissionOrigin(""), roster=rows)))
        for row in lost_rows:
            is_weaker = claim.strength < best_strength[id(row)]
            disputes[_format_dispute(entry.name if is_weaker else "", row, [*holders[id(row)].values()])] = True
    return RosterMatchResult(matched_entries, tuple(disputes))


def _format_dispute(weaker_name: str, row: Row, holders: Sequence[str]) -> str:
    """Say why submissions are left unmatched: ``weaker_name`` alone, or all holders."""
    student, names = (
        escape_name_unambiguously(next(iter(row.values())), 80),
        join_with_and([escape_name_unambiguously(holder, 80) for holder in holders[:5]]),
    )
    if weaker_name:
        shown_name = escape_name_unambiguously(weaker_name, 80)
        return f"ambiguous roster match for {shown_name}; left unmatched, because {names} matches {student} better"
    return f"ambiguous roster match for {names}; left unmatched, because all match {student}"


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


class Roster:
    """A table with a row per student; the first column has the course's name for the student.

    If a table begins with parts of names, like Moodle's export of grades, a column that identifies students is moved
    to the front, where there is one.
    """

    def __init__(self, file_content: bytes, file_name: str) -> None:
        """Read the list.

        Args:
            file_content: CSV with a header, in UTF-8 or UTF-16, or a platform's list of members as JSON.

        Raises:
            CallerFault: the content is not such a table, or two rows have the same first cell.
        """
        self._set_rows(parse_roster_rows(file_content, file_name))

    @classmethod
    def from_parsed_rows(cls, rows: Iterable[dict[str, str]]) -> Roster:
        """Return a roster of rows that an earlier roster had in ``rows``."""
        roster = cls.__new__(cls)
        roster._set_rows([*rows])
        return roster

    def _set_rows(self, rows: list[dict[str, str]]) -> None:
        self.rows = rows
        self._row_finder = RosterRowFinder(rows)

    def find_submission_row(self, submission_name: str) -> dict[str, str] | None:
        """Find the row of a submission with this name; None if no row or several match."""
        row, _ = self._row_finder.find_named_row(submission_name)
        return row

    def map_aliases_to_names(self, wanted_names: Iterable[str]) -> dict[str, str]:
        """Map all other names of the students that have one of these names to that name.

        Args:
            wanted_names: names. If two of them belong to one student, the name in the first column is used, or else
                the last one. A cell that several rows have, such as a group, is not a student's name.
        """
        match_by_row_id: dict[int, tuple[dict[str, str], str]] = {}
        for name in wanted_names:
            row = self.find_submission_row(name)
            if row and not (id(row) in match_by_row_id and match_by_row_id[id(row)][1] == _get_course_name(row)):
                match_by_row_id[id(row)] = (row, name)
        return {
            cell: name
            for row, name in match_by_row_id.values()
            for cell in row.values()
            if cell and cell != name and self.find_submission_row(cell) is row
        }

    def match_entries_to_rows(self, entries: Sequence[SubmissionEntry]) -> RosterMatchResult:
        """Return the entries of a class, each with its rows, and the disputes about rows."""
        return _resolve_row_claims(entries, [self._make_claim(entry) for entry in entries])

    def list_students_without_entry(self, matched_entries: Iterable[SubmissionEntry]) -> list[str]:
        """Return the students without a submission, by the course's names.

        The entries must be those that ``match_entries_to_rows`` of this roster returned.
        """
        matched_ids = {id(row) for entry in matched_entries if entry.origin for row in entry.origin.roster}
        return [_get_course_name(row) for row in self.rows if id(row) not in matched_ids]

    def _make_claim(self, entry: SubmissionEntry) -> RowClaim:
        origin = entry.origin
        if origin is None or not (origin.people or origin.group):
            row, strength = self._row_finder.find_named_row(entry.name)
            return RowClaim((row,) if row else (), strength)
        if not origin.people:
            return RowClaim(
                tuple(self._row_finder.list_rows_of_group(origin.group)), RowMatchStrength.NAMED, origin.group
            )
        matches = [self._row_finder.find_person_row(person, origin.platform) for person in origin.people]
        rows = [row for row, _ in matches if row]
        return RowClaim(
            tuple(rows) if len(rows) == len(matches) else (), min(strength for _, strength in matches), origin.people
        )


def read_roster(path: Path) -> Roster:
    """Read the list in a file.

    Raises:
        CallerFault: the file cannot be read, or is not such a list.
    """
    with translate_file_errors(path, advice="name a CSV file with --roster"):
        return Roster(path.read_bytes(), str(path))


def _get_course_name(row: Mapping[str, str]) -> str:
    """Return the course's name for a student: the first cell of the row."""
    return next(iter(row.values()))
