"""Read the file of the course's list, row by row: CSV of any program, or the members that a platform lists for LTI.

Format of the second: LTI Names and Role Provisioning Services 2.0,
``application/vnd.ims.lti-nrps.v2.membershipcontainer+json``; Moodle and Open edX send it. A class of several pages
comes in an array of such containers.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from autograder.faults import CallerFault
from autograder.roster.row_fields import (
    CERTAIN_ID_COLUMNS,
    FIRST_NAME_COLUMNS,
    KNOWN_COLUMNS,
    LAST_NAME_COLUMNS,
    LOGIN_COLUMNS,
)
from autograder.tables import EditableCsv
from autograder.text import make_file_name_collision_key

MOST_NAME_CHARACTERS = 200


class LtiProfile(msgspec.Struct, frozen=True, kw_only=True):
    """The names and the e-mail address of a person; a platform may send any of them or none."""

    name: str | None = None
    given_name: str | None = None
    family_name: str | None = None
    email: str | None = None

    @property
    def full_name_or_empty(self) -> str:
        """Return the full name on the platform; empty if the platform does not give it."""
        joined_name = " ".join(filter(None, (self.given_name, self.family_name)))
        return " ".join((self.name or joined_name).split())[:MOST_NAME_CHARACTERS]


def normalize_identifiers(*identifiers: str | None) -> list[str]:
    """Return the identifiers that are set, without blanks around them and in lower case."""
    return [identifier.strip().lower() for identifier in identifiers if identifier and identifier.strip()]


JSON_STARTS = (b"{", b"[")
LEARNER = "Learner"
ACTIVE = "Active"
LTI_KEY_COLUMNS = ("email", "username", "id number", "lti user id")
"""Columns that may identify students, best first; the first one that differs in all rows becomes the first column."""

POINTS_POSSIBLE = "Points Possible"
"""The first cell of the row in Canvas's gradebook that belongs to no student."""


def parse_roster_rows(file_content: bytes, file_name_in_messages: str) -> list[dict[str, str]]:
    r"""Return a row per student, by column; the first cell of each is the course's name for the student.

    Args:
        file_content: CSV in UTF-8, in UTF-16 with a byte order mark or as Excel writes it, such as a platform's own
            export; or JSON, a platform's list of members. A header may be missing where cells show what they are.

    Raises:
        CallerFault: the content is not such a table, or two rows have the same first cell.

    >>> parse_roster_rows(b"login;name\nada;Ada Lovelace\n", "roster.csv")
    [{'login': 'ada', 'name': 'Ada Lovelace'}]
    """
    cells = _parse_lti_members_if_json(file_content, file_name_in_messages) or [
        [*row.cells] for row in EditableCsv(file_content, file_name_in_messages, by_hand=True).rows
    ]
    table = _add_missing_header([[cell.strip() for cell in row] for row in cells])
    header, *rows = _move_key_first(table)
    keys = [cell or f"column {number}" for number, cell in enumerate(header, start=1)]
    student_rows = [row for row in rows if row and row[0] and row[0] != POINTS_POSSIBLE]
    seen_keys: set[str] = set()
    for row in student_rows:
        if make_file_name_collision_key(row[0]) in seen_keys:
            raise CallerFault(
                f"two rows begin with '{row[0]}'",
                where=file_name_in_messages,
                advice="keep one, or put a column first that differs",
            )
        seen_keys.add(make_file_name_collision_key(row[0]))
    return [dict(zip(keys, [*row, *[""] * len(keys)], strict=False)) for row in student_rows]


def _move_key_first(table: list[list[str]]) -> list[list[str]]:
    """Return the table; if it begins with parts of names, move a column that tells students apart to the front."""
    header, *rows = table
    if header[0].casefold() not in (*FIRST_NAME_COLUMNS, *LAST_NAME_COLUMNS):
        return table
    columns = {index: [row[index] if index < len(row) else "" for row in rows] for index in range(len(header))}
    keys = [
        index
        for index, cells in columns.items()
        if all(cells)
        and (header[index].casefold() in (*CERTAIN_ID_COLUMNS, *LOGIN_COLUMNS) or all("@" in cell for cell in cells))
    ]
    if not keys:
        return table
    return [[*row[keys[0] : keys[0] + 1], *row[: keys[0]], *row[keys[0] + 1 :]] for row in table]


def _add_missing_header(table: list[list[str]]) -> list[list[str]]:
    """Return the table with a header, if its first row is a student's.

    It is one where no cell is the title of a known column and each cell looks like those below it, one of them like
    what no title is: a login, a number or an e-mail address.
    """
    first, *rows = table
    if not rows or {cell.casefold() for cell in first} & {*KNOWN_COLUMNS}:
        return table
    kinds = [_tell_kind(cell) for cell in first]
    for column, kind in enumerate(kinds):
        kinds_below = {_tell_kind(row[column]) for row in rows if len(row) > column and row[column]}
        if kinds_below and kinds_below != {kind} and not (kind == "login" and kinds_below <= {"login", "id"}):
            return table
    if not {"login", "id", "email"}.intersection(kinds):
        return table
    header = [kind if kind and kind not in kinds[:column] else "" for column, kind in enumerate(kinds)]
    return [header, *table]


def _tell_kind(cell: str) -> str:
    """Return the column that a cell seems to belong to.

    >>> [_tell_kind(cell) for cell in ("ada.l", "Ada Lovelace", "2023123", "ada@uni.example", "")]
    ['login', 'name', 'id', 'email', '']
    """
    if "@" in cell or not cell:
        return "email" if cell else ""
    if cell.isdecimal():
        return "id"
    return "login" if cell == cell.lower() and " " not in cell else "name"


class ListedLtiMember(LtiProfile, frozen=True):
    """One person in a course."""

    user_id: str
    roles: tuple[str, ...] = ()
    status: str = ACTIVE
    lis_person_sourcedid: str | None = None
    ext_user_username: str | None = None

    @property
    def is_active(self) -> bool:
        """Return whether the person is in the course now; a status is a word, or a URI that ends with it."""
        return self.status.rpartition("/")[2] == ACTIVE

    @property
    def is_active_student(self) -> bool:
        """Return whether the person is a student now; roles are words, or URIs with one (``…membership#Learner``)."""
        return self.is_active and any(role.rpartition("#")[2] == LEARNER for role in self.roles)


class _Container(msgspec.Struct, frozen=True):
    """One page of members."""

    members: tuple[ListedLtiMember, ...]


def _parse_lti_members_if_json(file_content: bytes, file_name_in_messages: str) -> list[list[str]] | None:
    """Return the students in a list of members, a row each, with a header.

    Returns:
        A table whose first column has what the course can call its students; None if the content is not JSON.

    Raises:
        CallerFault: it is JSON but not such a list, or it lists no student.
    """
    if not file_content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(JSON_STARTS):
        return None
    try:
        content = msgspec.json.decode(file_content.removeprefix(b"\xef\xbb\xbf"), type=_Container | list[_Container])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        advice = "save what the platform's LTI membership service answered, or name a CSV file"
        raise CallerFault(
            f"the file is not a list of LTI members: {error}", where=file_name_in_messages, advice=advice
        ) from error
    pages = content if isinstance(content, list) else [content]
    students = [member for page in pages for member in page.members if member.is_active_student]
    if not students:
        raise CallerFault(
            "the list holds no active student",
            where=file_name_in_messages,
            advice="check that it holds all pages of the answer",
        )
    return _add_key_column([_make_row(student) for student in students])


def _make_row(member: ListedLtiMember) -> dict[str, str]:
    """Return a member by the columns of a roster; a platform that withholds names omits them, or sends null."""
    return {
        "email": member.email or "",
        "username": member.ext_user_username or "",
        "id number": member.lis_person_sourcedid or "",
        "lti user id": member.user_id,
        "name": member.name or "",
        "given name": member.given_name or "",
        "surname": member.family_name or "",
    }


def _add_key_column(rows: Sequence[dict[str, str]]) -> list[list[str]]:
    """Return the rows as a table, led by the first one of ``LTI_KEY_COLUMNS`` whose values differ in all rows."""
    key = next((key for key in LTI_KEY_COLUMNS if _is_unique_key(key, rows)), LTI_KEY_COLUMNS[-1])
    header = [key, *(column for column in rows[0] if column != key)]
    return [header, *([row[column] for column in header] for row in rows)]


def _is_unique_key(key: str, rows: Sequence[dict[str, str]]) -> bool:
    return len({make_file_name_collision_key(row[key]) for row in rows if row[key]}) == len(rows)
