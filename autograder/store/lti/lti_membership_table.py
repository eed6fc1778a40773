"""Store the members of platforms' courses by the last list and later launches; former members stay, marked so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select, update

from autograder.faults import KitFault
from autograder.store.column_encoding import decode_time_or_none, encode_now
from autograder.store.lti.lti_table_definitions import memberships, people
from autograder.store.session import StoreSession
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


class LtiMembershipTable:
    """The members of platforms' courses in a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession) -> None:
        self._session = session

    def list_present_and_former_members(self, context_id: int) -> list[LtiMembership]:
        """Return everybody who was ever listed in a course, by number."""
        query = select(memberships, people.c.account).join(people, people.c.id == memberships.c.person)
        rows = self._session.fetch_all(
            query.where(memberships.c.context == context_id).order_by(memberships.c.person)
        )
        return [LtiMembership(row.person, row.account, row.role, decode_time_or_none(row.left_at)) for row in rows]

    def set_current_members(self, context_id: int, current_role_by_person: Mapping[int, Role]) -> None:
        """Replace the members of a course in one transaction; mark those who are no longer listed as having left."""
        moment = encode_now()
        members = {member.person: member for member in self.list_present_and_former_members(context_id)}
        with self._session.transaction():
            for person, role in current_role_by_person.items():
                if person in members:
                    self._update_membership(context_id, person, role=role, left_at="")
                else:
                    values = {"context": context_id, "person": person, "role": role, "left_at": ""}
                    self._session.execute(insert(memberships).values(**values))
            for person, member in members.items():
                if person not in current_role_by_person and member.left_at is None:
                    self._update_membership(context_id, person, left_at=moment)

    def add_or_readmit_member(self, context_id: int, person: int, role: Role) -> None:
        """Add a person who is not a present member of a course; change nothing about one who is."""
        conditions = (memberships.c.context == context_id, memberships.c.person == person)
        if self._session.fetch_one(select(memberships).where(*conditions)):
            query = update(memberships).where(*conditions, memberships.c.left_at != "")
            self._session.execute_and_commit(query.values(role=role, left_at=""))
            return
        values = {"context": context_id, "person": person, "role": role, "left_at": ""}
        try:
            self._session.execute_and_commit(insert(memberships).values(**values))
        except KitFault:  # the same person launched in another window a moment ago
            if not self._session.fetch_one(select(memberships).where(*conditions)):
                raise

    def _update_membership(self, context: int, person: int, **values: str) -> None:
        conditions = (memberships.c.context == context, memberships.c.person == person)
        self._session.execute(update(memberships).where(*conditions).values(**values))
