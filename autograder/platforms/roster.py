"""Read the course's own list of students: who is who on every platform, and who handed in nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from autograder.faults import CallerFault
from autograder.platforms.claims import Claim, Recognised, Strength, settled
from autograder.platforms.register import Register
from autograder.platforms.roster_table import students_in
from autograder.submissions import Entry, Person


class Roster:
    """A table with a row a student; what stands in its first column is what the course calls them.

    In a table that begins with parts of names, as Moodle's export of grades, it is the first column that says more.
    """

    def __init__(self, content: bytes, name: str) -> None:
        """Read the list.

        Args:
            content: CSV in UTF-8 with a header; a platform's own export will do.
            name: its name, for messages.

        Raises:
            CallerFault: the content is not such a table, or two rows begin alike.
        """
        self.rows = students_in(content, name)
        self._register = Register(self.rows)

    def of(self, person: Person, platform: str) -> dict[str, str] | None:
        """Find a person's row by id, login and e-mail, or else by name; None if no row or several would do."""
        row, _ = self._register.of(person, platform)
        return row

    def called(self, name: str) -> dict[str, str] | None:
        """Find the row of a submission with this name; None if no row or several would do."""
        row, _ = self._register.called(name)
        return row

    def other_names(self, chosen: Iterable[str]) -> dict[str, str]:
        """Map all other names of the students that have one of these names to that name.

        Args:
            chosen: names. If two are one student's, the first column's name counts, or else the last of them. What
                stands in several rows, such as a group, is not a student's name.
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
        """Return one entry with the rows that it belongs to, as if there were no other entries."""
        return self.recognised_all([entry]).entries[0]

    def recognised_all(self, entries: Sequence[Entry]) -> Recognised:
        """Return the entries of a class, each with the rows that it belongs to, and what is disputed among them."""
        return settled(entries, [self._claim(entry) for entry in entries])

    def without(self, entries: Iterable[Entry]) -> list[str]:
        """Return the students of the list that handed in nothing, by what the course calls them."""
        there = {id(row) for entry in entries if entry.origin for row in entry.origin.roster}
        return [_first(row) for row in self.rows if id(row) not in there]

    def _claim(self, entry: Entry) -> Claim:
        origin = entry.origin
        if origin is None or not (origin.people or origin.group):
            row, strength = self._register.called(entry.name)
            return Claim((row,) if row else (), strength)
        if not origin.people:
            return Claim(tuple(self._register.in_group(origin.group)), Strength.NAMED, origin.group)
        found = [self._register.of(person, origin.platform) for person in origin.people]
        rows = [row for row, _ in found if row]
        return Claim(tuple(rows) if len(rows) == len(found) else (), min(how for _, how in found), origin.people)


def read_roster(path: Path) -> Roster:
    """Read the list in a file.

    Raises:
        CallerFault: the file cannot be read, or is not such a list.
    """
    try:
        return Roster(path.read_bytes(), str(path))
    except OSError as error:
        raise CallerFault(f"cannot be read: {error.strerror}", str(path), "name a CSV file with --roster") from error


def _first(row: Mapping[str, str]) -> str:
    """Return what the course calls a student."""
    return next(iter(row.values()))
