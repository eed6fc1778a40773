"""Read the list of members that a platform gives to LTI tools, as a table of students.

Format: LTI Names and Role Provisioning Services 2.0, ``application/vnd.ims.lti-nrps.v2.membershipcontainer+json``;
Moodle and Open edX send it. A class of several pages comes in an array of such containers.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from autograder.faults import CallerFault
from autograder.safe_text import make_file_name_collision_key

JSON_STARTS = (b"{", b"[")
LEARNER = "Learner"
ACTIVE = "Active"
KEYS = ("email", "username", "id number", "lti user id")
"""What the course may call its students by, the best first; in the first column stands the one that all have."""


class ListedLtiMember(msgspec.Struct, frozen=True):
    """One person in a course."""

    user_id: str
    roles: tuple[str, ...] = ()
    status: str = ACTIVE
    name: str | None = None
    given_name: str | None = None
    family_name: str | None = None
    email: str | None = None
    lis_person_sourcedid: str | None = None
    ext_user_username: str | None = None

    @property
    def is_active(self) -> bool:
        """Return whether they are in the course now; a status is a name, or an address that ends with one."""
        return self.status.rpartition("/")[2] == ACTIVE

    @property
    def is_active_student(self) -> bool:
        """Return whether they are a student now; roles are names, or addresses with one (``…membership#Learner``)."""
        return self.is_active and any(role.rpartition("#")[2] == LEARNER for role in self.roles)


class _Container(msgspec.Struct, frozen=True):
    """One page of members."""

    members: tuple[ListedLtiMember, ...]


def parse_lti_student_table_if_json(file_content: bytes, file_name_in_messages: str) -> list[list[str]] | None:
    """Return the students in a list of members, a row each, with a header.

    Args:
        file_content: the content of a file.
        file_name_in_messages: the file's name, for messages.

    Returns:
        A table whose first column has what the course can call its students; None if the content is not JSON.

    Raises:
        CallerFault: it is JSON but not such a list, or it lists no student.
    """
    if not file_content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(JSON_STARTS):
        return None
    try:
        read = msgspec.json.decode(file_content.removeprefix(b"\xef\xbb\xbf"), type=_Container | list[_Container])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        advice = "save what the platform's LTI membership service answered, or name a CSV file"
        raise CallerFault(f"is no list of members: {error}", where=file_name_in_messages, advice=advice) from error
    pages = read if isinstance(read, list) else [read]
    students = [member for page in pages for member in page.members if member.is_active_student]
    if not students:
        raise CallerFault(
            "lists no active student", where=file_name_in_messages, advice="does it hold all pages of the answer?"
        )
    return _add_key_column([_row(student) for student in students])


def _row(member: ListedLtiMember) -> dict[str, str]:
    """Return a member by the columns of a roster; a platform that withholds names leaves them out, or says null."""
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
    """Return the rows as a table, led by the first column of ``KEYS`` in which each row has a value of its own."""
    key = next((key for key in KEYS if _is_unique_key(key, rows)), KEYS[-1])
    header = [key, *(column for column in rows[0] if column != key)]
    return [header, *([row[column] for column in header] for row in rows)]


def _is_unique_key(key: str, rows: Sequence[dict[str, str]]) -> bool:
    return len({make_file_name_collision_key(row[key]) for row in rows if row[key]}) == len(rows)
