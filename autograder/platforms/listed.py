"""A row of a list of students, whoever made the list: which of its cells are logins, ids and names."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from autograder.text import alike

LOGINS = ("login", "username", "user", "user name", "sis login id", "sis_login_id", "account")
IDS = (
    "id",
    "sid",
    "student_id",
    "student id",
    "student number",
    "student",
    "sis user id",
    "sis_user_id",
    "id number",
    "orgdefinedid",
)
NAMES = ("name", "full name", "student", "student name", "sortable name")
FIRST = ("first name", "firstname", "first_name", "given name")
LAST = ("last name", "lastname", "last_name", "surname")
SURE_IDS = tuple(column for column in IDS if column != "student")
"""In some tables, ``student`` holds names."""
GROUPS = ("group", "team")
CHOSEN = frozenset((*NAMES, *FIRST, *LAST, *GROUPS)) - {"student"}
"""Columns of what students may call themselves."""


def cells_of(row: Mapping[str, str], columns: Iterable[str]) -> list[str]:
    """What stands in those of a row's columns that are called so; empty cells are left out."""
    wanted = set(columns)
    return [cell.strip() for key, cell in row.items() if cell.strip() and key.strip().casefold() in wanted]


def names_of(row: Mapping[str, str]) -> list[str]:
    """A student's name in the ways that a row says it."""
    first, last = (" ".join(cells_of(row, columns)) for columns in (FIRST, LAST))
    return cells_of(row, NAMES) + ([f"{first} {last}", f"{last} {first}"] if first or last else [])


def spellings(name: str) -> set[str]:
    """A name to be compared, squeezed, and turned where a comma stands behind the family's."""
    family, comma, given = name.partition(",")
    turned = [f"{given} {family}"] if comma else []
    return {short for one in (name, *turned) if (short := squeezed(one))}


def squeezed(name: str) -> str:
    """Only its letters and digits: Canvas writes ``lovelaceada`` for ``Lovelace, Ada``."""
    return "".join(letter for letter in alike(name) if unicodedata.category(letter)[0] in "LMN")


def mails_of(row: Mapping[str, str]) -> list[str]:
    """E-mail addresses: not those that students call themselves."""
    return [cell.strip() for key, cell in row.items() if "@" in cell and key.strip().casefold() not in CHOSEN]


def without_names(row: Mapping[str, str]) -> list[str]:
    """What stands first, and all that is no name."""
    cells = enumerate(row.items())
    return [cell for place, (key, cell) in cells if not place or key.strip().casefold() not in CHOSEN]
