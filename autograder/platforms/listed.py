"""A row of the course's list: what in it is an id, a login, an address, and what is only a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from autograder.platforms.claims import Strength
from autograder.text import alike

LOGINS = ("login", "username", "user", "user name", "sis login id", "sis_login_id", "account")
NAMES = ("name", "full name", "student", "student name")
FIRST, LAST = (
    ("first name", "firstname", "first_name", "given name"),
    ("last name", "lastname", "last_name", "surname"),
)
IDS = ("id", "sid", "student_id", "student id", "student", "sis user id", "sis_user_id", "id number", "orgdefinedid")
SURE_IDS = tuple(column for column in IDS if column != "student")
"""In some tables, ``student`` holds names."""
GROUPS = ("group", "team")
CHOSEN = frozenset((*NAMES, *FIRST, *LAST, *GROUPS)) - {"student"}
"""Columns of what students may call themselves."""
MOODLES = "identifier"
"""Moodle counts the participants of each assignment anew: its numbers are no ids of any other column."""
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


def cells_of(row: Mapping[str, str], columns: Iterable[str]) -> list[str]:
    """What stands in columns of these names, in small letters or capitals."""
    wanted = set(columns)
    return [_number(key, cell) for key, cell in row.items() if cell and key.casefold() in wanted]


def without_names(row: Mapping[str, str]) -> list[str]:
    """What stands first, and all that is no name."""
    return [cell for place, (key, cell) in enumerate(row.items()) if not place or key.casefold() not in CHOSEN]


def mails_of(row: Mapping[str, str]) -> list[str]:
    """E-mail addresses: not those that students call themselves."""
    return [cell for key, cell in row.items() if "@" in cell and key.casefold() not in CHOSEN]


def _number(column: str, cell: str) -> str:
    """A cell; of Moodle's worksheet, which says ``Participant 7`` where a download says 7, the number alone."""
    found = re.search(r"\d+$", cell) if column.casefold() == MOODLES else None
    return found[0] if found else cell


def names_of(row: Mapping[str, str]) -> set[str]:
    """A student's name in the ways that platforms write it."""
    first, last = (" ".join(cells_of(row, columns)) for columns in (FIRST, LAST))
    names = [*cells_of(row, NAMES), f"{first} {last}", f"{last} {first}"]
    names += [" ".join(reversed(name.split(",", 1))) for name in names if "," in name]
    return {short for name in names if (short := squeezed(name))}


def squeezed(name: str) -> str:
    """Only its letters and digits: Canvas writes ``lovelaceada`` for ``Lovelace, Ada``."""
    return re.sub(r"[\W_]", "", alike(name))
