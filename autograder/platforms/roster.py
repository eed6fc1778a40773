"""The course's own list of students: who is who on every platform, and who handed in nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path

from autograder.faults import CallerFault
from autograder.platforms.listed import IDS, LOGINS, names_of, spellings
from autograder.platforms.sheet import Sheet
from autograder.submissions import Entry, Origin, Person
from autograder.text import alike

MOODLES = "identifier"
"""Moodle counts the participants of each assignment anew: its numbers are no ids of any other column."""
OWN_NUMBERS = {"moodle": (MOODLES,), "brightspace": ()}
"""Platforms whose numbers for people are no ids that a course uses, and the columns that hold them."""


class Roster:
    """A table with a row a student; what stands in its first column is what the course calls them."""

    def __init__(self, content: bytes, name: str) -> None:
        """Read it.

        Args:
            content: CSV in UTF-8 with a header; a platform's own export will do.
            name: for messages.

        Raises:
            CallerFault: it is no such table, or two rows begin alike.
        """
        header, *rows = [[cell.strip() for cell in row.cells] for row in Sheet(content, name).rows]
        keys = [cell or f"column {number}" for number, cell in enumerate(header, start=1)]
        filled = [row for row in rows if row and row[0]]
        self.rows: list[dict[str, str]] = [dict(zip(keys, [*row, *[""] * len(keys)], strict=False)) for row in filled]
        seen: set[str] = set()
        for row in filled:
            if alike(row[0]) in seen:
                raise CallerFault(f"has two rows for '{row[0]}'", where=name, advice="keep one of them")
            seen.add(alike(row[0]))

    def of(self, person: Person, platform: str) -> dict[str, str] | None:
        """A person's row: by the platform's id, then login, e-mail and name; None where none or several would do."""
        others = OWN_NUMBERS.get(platform, IDS)
        ways = (
            (person.id, lambda row: _cells(row, (platform, f"{platform}_id", f"{platform} id", *others))),
            (person.login, lambda row: _cells(row, (platform, f"{platform}_login", *LOGINS, *IDS))),
            (person.email, lambda row: [cell for cell in row.values() if "@" in cell]),
        )
        for wanted, cells in ways:
            if wanted:
                found = [row for row in self.rows if alike(wanted) in map(alike, cells(row))]
                if len(found) == 1:
                    return found[0]
        places = {place for name in spellings(person.name) for place in self._named.get(name, ())}
        return self.rows[places.pop()] if len(places) == 1 else None

    @cached_property
    def _named(self) -> Mapping[str, set[int]]:
        """Places of rows, by each way to write a student's name."""
        found: dict[str, set[int]] = {}
        for place, row in enumerate(self.rows):
            for spelling in chain.from_iterable(map(spellings, names_of(row))):
                found.setdefault(spelling, set()).add(place)
        return found

    def called(self, name: str) -> dict[str, str] | None:
        """The row in which a cell is this name of a submission; None where none or several have it."""
        found = [row for row in self.rows if alike(name) in map(alike, row.values())]
        return found[0] if len(found) == 1 else self.of(Person(name=name), "")

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

    def group(self, name: str) -> list[dict[str, str]]:
        """The rows of a group's members."""
        return [row for row in self.rows if name and alike(name) in map(alike, _cells(row, ("group", "team")))]

    def recognised(self, entry: Entry) -> Entry:
        """The entry with the rows that it belongs to."""
        origin = entry.origin
        if origin is None or not (origin.people or origin.group):
            row = self.called(entry.name)
            rows = [row] if row else []
            return replace(entry, origin=replace(origin or Origin(""), roster=tuple(rows)))
        rows = self.group(origin.group) if not origin.people else []
        known = [row for person in origin.people if (row := self.of(person, origin.platform))]
        whole = len(known) == len(origin.people)
        return replace(entry, origin=replace(origin, roster=tuple([*rows, *known] if whole else rows)))

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
