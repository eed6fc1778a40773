"""The course's own list of students: who is who on every platform, and who handed in nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from autograder.faults import CallerFault
from autograder.platforms.claims import Claim, Recognised, Strength, settled
from autograder.platforms.index import NOBODY, Found, Index
from autograder.platforms.listed import (
    FIRST,
    GROUPS,
    IDS,
    LAST,
    LOGINS,
    SURE_IDS,
    mails_of,
    names_of,
    spellings,
    without_names,
)
from autograder.platforms.sheet import Sheet
from autograder.submissions import Entry, Person
from autograder.text import alike

POINTS = "Points Possible"
"""What a row of Canvas's gradebook begins with that is no student's."""
MOODLES = "identifier"
"""Moodle counts the participants of each assignment anew: its numbers are no ids of any other column."""
OWN_NUMBERS = {"moodle": (MOODLES,), "brightspace": ()}
"""Platforms whose numbers for people are no ids that a course uses, and the columns that hold them."""


class Roster:
    """A table with a row a student; what stands in its first column is what the course calls them.

    In a table that begins with parts of names, as Moodle's export of grades, it is the first column that says more.
    """

    def __init__(self, content: bytes, name: str) -> None:
        """Read it.

        Args:
            content: CSV in UTF-8 with a header; a platform's own export will do.
            name: for messages.

        Raises:
            CallerFault: it is no such table, or two rows begin alike.
        """
        table = [[cell.strip() for cell in row.cells] for row in Sheet(content, name).rows]
        header, *rows = _with_key_first(table)
        keys = [cell or f"column {number}" for number, cell in enumerate(header, start=1)]
        filled = [row for row in rows if row and row[0] and row[0] != POINTS]
        self._indexes: dict[str | tuple[str, ...], Index] = {}
        self.rows: list[dict[str, str]] = [dict(zip(keys, [*row, *[""] * len(keys)], strict=False)) for row in filled]
        seen: set[str] = set()
        for row in filled:
            if alike(row[0]) in seen:
                raise CallerFault(
                    f"has two rows for '{row[0]}'", where=name, advice="keep one, or put a column first that differs"
                )
            seen.add(alike(row[0]))

    def of(self, person: Person, platform: str) -> dict[str, str] | None:
        """A person's row: by id, login and e-mail, or else by name; None where none or several would do."""
        row, _ = self._found(person, platform)
        return row

    def called(self, name: str) -> dict[str, str] | None:
        """The row of a submission of this name; None where none or several would do."""
        row, _ = self._called(name)
        return row

    def other_names(self, chosen: Iterable[str]) -> dict[str, str]:
        """What else students are called who are called by one of these names: the name for each of the others.

        Args:
            chosen: names; of two for one student the first column's goes before the last of them. What stands in
                several rows, such as a group, is nobody's name.
        """
        found: dict[int, tuple[dict[str, str], str]] = {}
        for name in chosen:
            row = self.called(name)
            if row and not (id(row) in found and found[id(row)][1] == _first(row)):
                found[id(row)] = (row, name)
        return {
            cell: name
            for row, name in found.values()
            for cell in row.values()
            if cell and cell != name and self.called(cell) is row
        }

    def recognised(self, entry: Entry) -> Entry:
        """One entry with the rows that it belongs to, where there are no others."""
        return self.recognised_all([entry]).entries[0]

    def recognised_all(self, entries: Sequence[Entry]) -> Recognised:
        """The entries of a class, each with the rows that it belongs to; and what is disputed among them."""
        return settled(entries, [self._claim(entry) for entry in entries])

    def _claim(self, entry: Entry) -> Claim:
        origin = entry.origin
        if origin is None or not (origin.people or origin.group):
            row, strength = self._called(entry.name)
            return Claim((row,) if row else (), strength)
        if not origin.people:
            members = [row for row in self.rows if alike(origin.group) in map(alike, _cells(row, GROUPS))]
            return Claim(tuple(members), Strength.NAMED, origin.group)
        found = [self._found(person, origin.platform) for person in origin.people]
        rows = [row for row, _ in found if row]
        return Claim(tuple(rows) if len(rows) == len(found) else (), min(how for _, how in found), origin.people)

    def _found(self, person: Person, platform: str) -> Found:
        """A person's row. What students choose themselves, such as a login elsewhere, has to agree with all else."""
        own = tuple(f"{platform}{end}" for end in ("", "_id", " id", "_login")) if platform else ()
        if self._of_columns(own).exact:  # the list says what they are called there: no other column does
            ids: Sequence[tuple[str, ...]] = [own]
            logins = ids
        else:
            ids = [OWN_NUMBERS[platform]] if platform in OWN_NUMBERS else [SURE_IDS, IDS]
            logins = [LOGINS, SURE_IDS, IDS]
        ways = [
            *(self._of_columns(columns).only(person.id) for columns in ids),
            *(self._of_columns(columns).only(person.login) for columns in logins),
            self._index("mails", mails_of).only(person.email),
        ]
        sure = [(row, how) for row, how in ways if row]
        if not sure:
            return self._named(person.name, own)
        agreed = all(row is sure[0][0] for row, _ in sure)
        return (sure[0][0], max(how for _, how in sure)) if agreed else NOBODY

    def _called(self, name: str) -> Found:
        """The row of a submission that is called so: what students call themselves, they may call each other."""
        sure = self._index("called", without_names)
        if alike(name) in sure.alike:
            return sure.only(name)
        row, _ = self._index("any", lambda row: [*row.values()]).only(name)
        return (row, Strength.NAMED) if row else self._named(name)

    def _named(self, name: str, own: tuple[str, ...] = ()) -> Found:
        """By name alone; not the row of somebody who is called otherwise on the platform."""
        index = self._index("names", lambda row: [short for one in names_of(row) for short in spellings(one)]).exact
        rows = {id(row): row for short in spellings(name) for row in index.get(short, [])}.values()
        found = [row for row in rows if not _cells(row, own)]
        return (found[0] if len(found) == 1 else None), Strength.NAMED

    def _of_columns(self, columns: tuple[str, ...]) -> Index:
        return self._index(columns, lambda row: _cells(row, columns))

    def _index(self, key: str | tuple[str, ...], cells: Callable[[dict[str, str]], Iterable[str]]) -> Index:
        if key not in self._indexes:
            self._indexes[key] = Index([(row, cells(row)) for row in self.rows])
        return self._indexes[key]

    def without(self, entries: Iterable[Entry]) -> list[str]:
        """Who of the list handed in nothing, by what the course calls them."""
        there = {id(row) for entry in entries if entry.origin for row in entry.origin.roster}
        return [_first(row) for row in self.rows if id(row) not in there]


def read_roster(path: Path) -> Roster:
    """The list in a file.

    Raises:
        CallerFault: it cannot be read, or is none.
    """
    try:
        return Roster(path.read_bytes(), str(path))
    except OSError as error:
        raise CallerFault(f"cannot be read: {error.strerror}", str(path), "name a CSV file with --roster") from error


def _with_key_first(table: list[list[str]]) -> list[list[str]]:
    """The table, with a column first that tells students apart, where parts of names come first."""
    header, *rows = table
    if header[0].casefold() not in (*FIRST, *LAST):
        return table
    columns = {place: [row[place] if place < len(row) else "" for row in rows] for place in range(len(header))}
    keys = [
        place
        for place, cells in columns.items()
        if all(cells) and (header[place].casefold() in (*SURE_IDS, *LOGINS) or all("@" in cell for cell in cells))
    ]
    if not keys:
        return table
    return [[*row[keys[0] : keys[0] + 1], *row[: keys[0]], *row[keys[0] + 1 :]] for row in table]


def _first(row: Mapping[str, str]) -> str:
    """What the course calls a student."""
    return next(iter(row.values()))


def _cells(row: Mapping[str, str], columns: Iterable[str]) -> list[str]:
    wanted = set(columns)
    return [_number(key, cell) for key, cell in row.items() if cell and key.casefold() in wanted]


def _number(column: str, cell: str) -> str:
    """A cell; of Moodle's worksheet, which says ``Participant 7`` where a download says 7, the number alone."""
    found = re.search(r"\d+$", cell) if column.casefold() == MOODLES else None
    return found[0] if found else cell
