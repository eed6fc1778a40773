"""Find the logins, ids and names in a row of any list of students."""

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
    """Return a row's cells in the columns with these names; leave out empty cells."""
    wanted = set(columns)
    return [cell.strip() for key, cell in row.items() if cell.strip() and key.strip().casefold() in wanted]


def names_of(row: Mapping[str, str]) -> list[str]:
    """Return a student's name in each form that a row gives."""
    first, last = (" ".join(cells_of(row, columns)) for columns in (FIRST, LAST))
    return cells_of(row, NAMES) + ([f"{first} {last}", f"{last} {first}"] if first or last else [])


def spellings(name: str) -> set[str]:
    """Return a name's forms for comparison: squeezed, and also turned where a comma follows the family name."""
    family, comma, given = name.partition(",")
    turned = [f"{given} {family}"] if comma else []
    return {short for one in (name, *turned) if (short := squeezed(one))}


def squeezed(name: str) -> str:
    """Return only the letters and digits of a name: Canvas writes ``lovelaceada`` for ``Lovelace, Ada``."""
    return "".join(letter for letter in alike(name) if unicodedata.category(letter)[0] in "LMN")


def mails_of(row: Mapping[str, str]) -> list[str]:
    """Return a row's e-mail addresses, except in columns where students choose what they are called."""
    return [cell.strip() for key, cell in row.items() if "@" in cell and key.strip().casefold() not in CHOSEN]


def without_names(row: Mapping[str, str]) -> list[str]:
    """Return a row's first cell, and all others but names and groups that students choose."""
    cells = enumerate(row.items())
    return [cell for place, (key, cell) in cells if not place or key.strip().casefold() not in CHOSEN]
