"""Find each student's row in a table that a platform exported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autograder.file_name_collisions import make_file_name_collision_key
from autograder.platforms.common.platform_model import SubmissionResult
from autograder.roster.row_fields import (
    CERTAIN_ID_COLUMNS,
    ID_COLUMNS,
    LOGIN_COLUMNS,
    STUDENT_CHOSEN_COLUMNS,
    fold_to_letters_and_digits,
    list_emails_not_chosen_by_students,
    list_nonempty_cells,
    list_student_name_variants,
)

IdentityFact = tuple[str, str]
"""A fact about a student: its kind (``login``, ``id``, ``email``, ``name``, or ``called`` for any) and value."""
KINDS = ("login", "id", "email", "name")


class StudentRowIndex:
    """Finds rows of a table by facts about a student."""

    def __init__(self, header: Sequence[str], cells_by_row: Mapping[int, Sequence[str]]) -> None:
        """Look through a table.

        Args:
            header: names of the columns.
            cells_by_row: the cells, by the row number that ``find_unique_row_number`` returns.
        """
        self._rows_by_fact: dict[IdentityFact, set[int]] = {}
        for number, cells in cells_by_row.items():
            for kind, value in list_identity_facts(dict(zip(header, cells, strict=False))):
                self._rows_by_fact.setdefault((kind, _normalize_fact(kind, value)), set()).add(number)

    def find_unique_row_number(self, facts: Sequence[IdentityFact]) -> int | None:
        """Return the one row that is a student's; None if no row or several would do.

        A name decides only if the table has no other matching kind of fact: two students may have the same name.
        """
        table_kinds = {kind for kind, _ in self._rows_by_fact}
        has_certain_kind = any(kind in table_kinds for kind, _ in facts if kind != "name")
        for kind, value in facts:
            kind_groups = (
                (KINDS[:-1], KINDS[-1:])
                if kind == "called"
                else ()
                if kind == "name" and has_certain_kind
                else ((kind,),)
            )
            # real ids and logins go before names, which may equal another student's login
            for kind_group in kind_groups:
                rows = set().union(
                    *(self._rows_by_fact.get((kind, _normalize_fact(kind, value)), set()) for kind in kind_group)
                )
                if len(rows) == 1:
                    return rows.pop()
                if rows:
                    break
        return None


def list_identity_facts(row: Mapping[str, str]) -> list[IdentityFact]:
    """Return what a table's row, by its columns' names, says of a student; the most distinctive comes first."""
    facts = [("login", cell) for key in LOGIN_COLUMNS for cell in list_nonempty_cells(row, (key,))]
    ids = CERTAIN_ID_COLUMNS if list_nonempty_cells(row, CERTAIN_ID_COLUMNS) else ID_COLUMNS
    facts += [("id", cell) for key in ids for cell in list_nonempty_cells(row, (key,))]
    facts += [("email", cell) for cell in list_emails_not_chosen_by_students(row)]
    return facts + [("name", name) for name in list_student_name_variants(row)]


def iterate_member_identities(result: SubmissionResult) -> Iterator[tuple[str, list[IdentityFact]]]:
    """Yield each student of a result: a word for messages, and what is known of the student.

    The rows of the course's list say it. Without them, the platform that the submission came from does, but its
    numbers for people stand in no table. Without that, the submission's group or name does.
    """
    if result.people:
        for row in result.people:
            title, cell = next(iter(row.items()))
            is_chosen_by_student = title.strip().casefold() in STUDENT_CHOSEN_COLUMNS  # may be another's login
            yield cell, list_identity_facts(row) + ([] if is_chosen_by_student else [("login", cell), ("id", cell)])
    elif result.origin and result.origin.people:
        for person in result.origin.people:
            facts = [("login", person.login), ("email", person.email), ("name", person.name)]
            yield person.login or person.name or person.id, [(kind, value) for kind, value in facts if value]
    else:
        name = (result.origin.group if result.origin else "") or result.name
        yield name, [("called", name)]


def _normalize_fact(kind: str, value: str) -> str:
    """Return a value as it is compared: Brightspace begins ids with ``#``, and names are written in many ways."""
    value = make_file_name_collision_key(value.strip().removeprefix("#"))
    return fold_to_letters_and_digits(" ".join(reversed(value.split(",", 1)))) if kind == "name" else value
