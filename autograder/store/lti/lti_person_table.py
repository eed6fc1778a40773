"""Map platform users to accounts, by platform, deployment and subject, never by name or e-mail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import insert, select, update

from autograder.store.lti.lti_table_definitions import people, read_row
from autograder.store.session import StorePart

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


class LtiPersonTable(StorePart):
    """The people of platforms in a store."""

    def find(self, platform_id: int, deployment: str, subject: str) -> LtiPerson | None:
        """Return the person of a platform with this subject; None if they were never seen."""
        conditions = (people.c.deployment == deployment, people.c.subject == subject)
        return self._find_person(people.c.platform == platform_id, *conditions)

    def find_by_id(self, person_id: int) -> LtiPerson | None:
        """Return the person of a number; None if there is none."""
        return self._find_person(people.c.id == person_id)

    def map_by_subject(self, platform_id: int, deployment: str) -> dict[str, LtiPerson]:
        """Return all persons of a platform's deployment by their subject."""
        conditions = (people.c.platform == platform_id, people.c.deployment == deployment)
        persons = (read_row(LtiPerson, row) for row in self._session.fetch_all(select(people).where(*conditions)))
        return {person.subject: person for person in persons}

    def list_people_of_account(self, account: int) -> list[LtiPerson]:
        """Return the people of platforms that an account stands for."""
        query = select(people).where(people.c.account == account).order_by(people.c.id)
        return [read_row(LtiPerson, row) for row in self._session.fetch_all(query)]

    def list_all(self, state: LinkState | None = None) -> list[LtiPerson]:
        """Return all persons, or those in one state."""
        query = select(people).order_by(people.c.id)
        rows = self._session.fetch_all(query.where(people.c.state == state) if state else query)
        return [read_row(LtiPerson, row) for row in rows]

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
            row = self._session.fetch_one(insert(people).values(**values).returning(people))
        return read_row(LtiPerson, row)

    def link_to_proposed_account(self, person: LtiPerson) -> None:
        """Link a person to the proposed account, which they use from now on."""
        assert person.proposed_account is not None
        self._update_person(person, account=person.proposed_account, state="linked")

    def refuse_proposed_account(self, person: LtiPerson) -> None:
        """Let a person keep an account of their own."""
        self._update_person(person, account=person.own_account, state="own", proposed_account=None)

    def _update_person(self, person: LtiPerson, **values: Any) -> None:
        self._session.execute_and_commit(update(people).where(people.c.id == person.id).values(**values))

    def _find_person(self, *conditions: Any) -> LtiPerson | None:
        row = self._session.fetch_one(select(people).where(*conditions))
        return read_row(LtiPerson, row) if row else None
