"""Store the members of platforms' courses by the last list and later launches; former members stay, marked so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, insert, select, update

from autograder.faults import KitFault
from autograder.store.column_encoding import utc_now
from autograder.store.lti.lti_table_definitions import memberships, people, read_row
from autograder.store.session import StorePart
from autograder.store.web.account_tables import Role


@dataclass(frozen=True, slots=True)
class LtiMembership:
    """A present or former member of a course on a platform: person, account, role, and when they left."""

    person: int
    """The number of an ``LtiPerson``."""
    account: int
    role: Role
    left_at: datetime | None
    """When a list first lacked them; None for present members."""


class LtiMembershipTable(StorePart):
    """The members of platforms' courses in a store."""

    def list_present_and_former_members(self, context_id: int) -> list[LtiMembership]:
        """Return everybody who was ever listed in a course, by number."""
        query = select(memberships, people.c.account).join(people, people.c.id == memberships.c.person)
        rows = self._session.fetch_all(
            query.where(memberships.c.context == context_id).order_by(memberships.c.person)
        )
        return [read_row(LtiMembership, row) for row in rows]

    def set_current_members(self, context_id: int, current_role_by_person: Mapping[int, Role]) -> None:
        """Replace the members of a course in one transaction; mark those who are no longer listed as having left."""
        moment = utc_now()
        members = {member.person: member for member in self.list_present_and_former_members(context_id)}
        new_rows: list[dict[str, Any]] = []
        changes: list[dict[str, Any]] = []
        for person, role in current_role_by_person.items():
            if person not in members:
                new_rows.append({"context": context_id, "person": person, "role": role, "left_at": None})
            elif members[person].role != role or members[person].left_at is not None:
                changes.append({"of_person": person, "new_role": role, "new_left_at": None})
        changes += [
            {"of_person": person, "new_role": member.role, "new_left_at": moment}
            for person, member in members.items()
            if person not in current_role_by_person and member.left_at is None
        ]
        with self._session.transaction():
            if new_rows:
                self._session.execute(insert(memberships), new_rows)
            if changes:
                self._session.execute(UPDATE_MEMBERSHIP.where(memberships.c.context == context_id), changes)

    def add_or_readmit_member(self, context_id: int, person: int, role: Role) -> None:
        """Add a person who is not a present member of a course; change nothing about one who is."""
        conditions = (memberships.c.context == context_id, memberships.c.person == person)
        if self._session.fetch_one(select(memberships).where(*conditions)):
            query = update(memberships).where(*conditions, memberships.c.left_at.is_not(None))
            self._session.execute_and_commit(query.values(role=role, left_at=None))
            return
        values = {"context": context_id, "person": person, "role": role, "left_at": None}
        try:
            self._session.execute_and_commit(insert(memberships).values(**values))
        except KitFault:  # the same person launched in another window a moment ago
            if not self._session.fetch_one(select(memberships).where(*conditions)):
                raise


UPDATE_MEMBERSHIP = (
    update(memberships)
    .where(memberships.c.person == bindparam("of_person"))
    .values(role=bindparam("new_role"), left_at=bindparam("new_left_at"))
)
