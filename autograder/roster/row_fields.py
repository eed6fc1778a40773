"""Read the logins, ids and names in a row of a roster from any source."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from autograder.text import make_file_name_collision_key

LOGIN_COLUMNS = ("login", "username", "user", "user name", "sis login id", "sis_login_id", "account")
ID_COLUMNS = (
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
NAME_COLUMNS = ("name", "full name", "student", "student name", "sortable name")
FIRST_NAME_COLUMNS = ("first name", "firstname", "first_name", "given name")
LAST_NAME_COLUMNS = ("last name", "lastname", "last_name", "surname")
CERTAIN_ID_COLUMNS = tuple(column for column in ID_COLUMNS if column != "student")
"""In some tables, ``student`` holds names."""
GROUP_COLUMNS = ("group", "team")
KNOWN_COLUMNS = (
    *(*LOGIN_COLUMNS, *ID_COLUMNS, *NAME_COLUMNS, *FIRST_NAME_COLUMNS, *LAST_NAME_COLUMNS, *GROUP_COLUMNS),
    *("email", "e-mail", "mail", "identifier"),
)
"""Titles of columns of many platforms; tables of others have their own."""
STUDENT_CHOSEN_COLUMNS = frozenset(
    column
    for column in (*NAME_COLUMNS, *FIRST_NAME_COLUMNS, *LAST_NAME_COLUMNS, *GROUP_COLUMNS)
    if column != "student"
)
"""Columns whose values students may choose themselves."""


def list_nonempty_cells(row: Mapping[str, str], columns: Iterable[str]) -> list[str]:
    """Return a row's cells in the columns with these names; leave out empty cells."""
    wanted_columns = set(columns)
    return [cell.strip() for key, cell in row.items() if cell.strip() and key.strip().casefold() in wanted_columns]


def list_student_name_variants(row: Mapping[str, str]) -> list[str]:
    """Return a student's name in each form that a row gives.

    >>> list_student_name_variants({"First name": "Ada", "Surname": "Lovelace", "Login": "ada"})
    ['Ada Lovelace', 'Lovelace Ada']
    """
    first_name, last_name = (
        " ".join(list_nonempty_cells(row, columns)) for columns in (FIRST_NAME_COLUMNS, LAST_NAME_COLUMNS)
    )
    return list_nonempty_cells(row, NAME_COLUMNS) + (
        [f"{first_name} {last_name}", f"{last_name} {first_name}"] if first_name or last_name else []
    )


def make_name_comparison_keys(name: str) -> set[str]:
    """Return a name's forms for comparison: squeezed, and also turned where a comma follows the family name.

    >>> sorted(make_name_comparison_keys("Lovelace, Ada"))
    ['adalovelace', 'lovelaceada']
    """
    family_name, comma, given_name = name.partition(",")
    variants = (name, f"{given_name} {family_name}") if comma else (name,)
    return {key for variant in variants if (key := fold_to_letters_and_digits(variant))}


def fold_to_letters_and_digits(name: str) -> str:
    """Return only the letters and digits of a name: Canvas writes ``lovelaceada`` for ``Lovelace, Ada``.

    >>> fold_to_letters_and_digits("O'Brien, Bob-2")
    'obrienbob2'
    """
    return "".join(
        letter for letter in make_file_name_collision_key(name) if unicodedata.category(letter)[0] in "LMN"
    )


def list_emails_not_chosen_by_students(row: Mapping[str, str]) -> list[str]:
    """Return a row's e-mail addresses, except in columns where students choose what they are called."""
    return [
        cell.strip()
        for key, cell in row.items()
        if "@" in cell and key.strip().casefold() not in STUDENT_CHOSEN_COLUMNS
    ]


def list_identifying_cells(row: Mapping[str, str]) -> list[str]:
    """Return a row's first cell, and all other cells except names and groups that students choose.

    >>> list_identifying_cells({"student": "ada", "Name": "The Countess", "SID": "1815"})
    ['ada', '1815']
    """
    cells = enumerate(row.items())
    return [cell for index, (key, cell) in cells if not index or key.strip().casefold() not in STUDENT_CHOSEN_COLUMNS]
