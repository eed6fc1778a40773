"""Map platforms' users to accounts, and keep who is a member of which course."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import and_, insert, select, update

from autograder.store.session import StorePart
from autograder.store.tables import utc_now
from autograder.web.store.accounts import Role
from autograder.web.store.lti.tables import RecordTable, contexts, memberships, people

LinkState = Literal["own", "proposed", "linked"]
"""``own``: has an account of its own. ``proposed``: the same, and the staff is asked whether the person is a listed
student. ``linked``: uses that student's account."""


@dataclass(frozen=True, slots=True)
class LtiPerson:
    """A user of a platform, and their account here."""

    id: int
    platform: int
    deployment: str
    subject: str
    """What the platform calls them in this deployment (``sub``, ``user_id``)."""
    account: int
    own_account: int
    """The account that their first launch made."""
    state: LinkState
    proposed_account: int | None
    """The account of the student who this person may be; None if there is no candidate."""
    is_test_user: bool
    """Whether the platform marks this as a test user, such as Canvas's test student."""


class LtiPersonTable(RecordTable[LtiPerson]):
    """The people of platforms in a store."""

    table, kind = people, LtiPerson

    def add(
        self,
        platform_id: int,
        deployment: str,
        subject: str,
        own_account: int,
        proposed_account: int | None = None,
        *,
        is_test_user: bool = False,
    ) -> LtiPerson:
        """Add a person with an account of their own, and a proposed account if they may be a listed student."""
        state: LinkState = "own" if proposed_account is None else "proposed"
        values = {
            "platform": platform_id,
            "deployment": deployment,
            "subject": subject,
            "account": own_account,
            "own_account": own_account,
            "state": state,
            "proposed_account": proposed_account,
            "is_test_user": is_test_user,
        }
        with self._session.transaction():
            return self._session.fetch_all_as(LtiPerson, insert(people).values(**values).returning(people))[0]

    def link_to_proposed_account(self, person: LtiPerson) -> None:
        """Link a person to the proposed account, which they use from now on."""
        assert person.proposed_account is not None
        self._update(person.id, account=person.proposed_account, state="linked")

    def refuse_proposed_account(self, person: LtiPerson) -> None:
        """Let a person keep an account of their own."""
        self._update(person.id, account=person.own_account, state="own", proposed_account=None)


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
        query = query.where(memberships.c.context == context_id).order_by(memberships.c.person)
        return self._session.fetch_all_as(LtiMembership, query)

    def set_current_members(self, context_id: int, current_role_by_person: Mapping[int, Role]) -> None:
        """Replace the members of a course in one transaction; mark those who are no longer listed as having left."""
        before = {member.person: member for member in self.list_present_and_former_members(context_id)}
        with self._session.transaction():
            for person, role in current_role_by_person.items():
                if person not in before or (before[person].role, before[person].left_at) != (role, None):
                    self._set_present(context_id, person, role)
            for person in [one for one in before if one not in current_role_by_person]:
                is_present = and_(*_make_conditions(context_id, person), memberships.c.left_at.is_(None))
                self._session.execute(update(memberships).where(is_present).values(left_at=utc_now()))

    def add_or_readmit_member(self, context_id: int, person: int, role: Role) -> None:
        """Add a person who is not a present member of a course; change nothing about one who is."""
        with self._session.transaction():
            self._session.lock_rows(contexts, contexts.c.id == context_id)  # launches in two windows wait here
            query = select(memberships).where(*_make_conditions(context_id, person), memberships.c.left_at.is_(None))
            if self._session.fetch_one(query) is None:
                self._set_present(context_id, person, role)

    def _set_present(self, context_id: int, person: int, role: Role) -> None:
        self._session.update_or_insert(
            memberships, {"context": context_id, "person": person}, role=role, left_at=None
        )


def _make_conditions(context_id: int, person: int) -> tuple[Any, ...]:
    return memberships.c.context == context_id, memberships.c.person == person
