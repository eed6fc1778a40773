"""Store the deadlines that platforms state, and whose deadline counts for each assignment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from sqlalchemy import and_, delete, func, insert, select, update

from autograder.store.audit import AuditLog
from autograder.store.session import StoreSession
from autograder.store.tables import utc_now
from autograder.web.store.accounts import AccountTables, Enrolment
from autograder.web.store.lti.audit import PLATFORM, make_lti_actor_from_enrolment, record_lti_change
from autograder.web.store.lti.platforms import LtiContextTable, LtiPerson, LtiResourceLink
from autograder.web.store.lti.tables import contexts, deadline_sources, deadlines, line_items, people
from autograder.web.store.tables import accounts

DeadlineSource = Literal["grading.yml", "LMS"]
DEADLINE_SOURCES: tuple[DeadlineSource, ...] = get_args(DeadlineSource)
SaidBy = Literal["launch", "line item"]
"""The source of a deadline: a launch, for the person who follows the link or for all; or the gradebook's column."""


@dataclass(frozen=True, slots=True)
class PlatformDeadline:
    """The deadline that a platform stated last."""

    line_item: int
    """The number of an ``LtiResourceLink``."""
    login: str
    """The student whose personal deadline this is; empty for the general deadline of the link."""
    deadline: datetime
    said_by: SaidBy
    said_at: datetime


class LtiDeadlineTable:
    """The deadlines of platforms in a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession, audit: AuditLog) -> None:
        self._session, self._audit = session, audit

    def get_deadline_source(self, course: str, assignment: str) -> DeadlineSource:
        """Return whose deadline counts for an assignment; by default, that of ``grading.yml``."""
        query = select(deadline_sources.c.source).filter_by(course=course, assignment=assignment)
        source: DeadlineSource = self._session.fetch_value(query) or "grading.yml"
        return source

    def set_deadline_source(
        self, course: str, assignment: str, source: DeadlineSource, decided_by: Enrolment
    ) -> None:
        """Set whose deadline counts; do nothing if it is set already."""
        old_source = self.get_deadline_source(course, assignment)
        if old_source == source:
            return
        with self._session.group_statements():
            key = {"course": course, "assignment": assignment}
            self._session.update_or_insert(deadline_sources, key, source=source)
            actor, what = make_lti_actor_from_enrolment(decided_by), "whose deadline counts"
            record_lti_change(self._audit, course, actor, what, old_source, source, assignment=assignment)

    def list_platform_deadlines(self, course: str, assignment: str) -> list[PlatformDeadline]:
        """Return the deadlines that connected courses state for an assignment."""
        query = (
            select(deadlines, func.coalesce(accounts.c.login, "").label("login"))
            .join(line_items, line_items.c.id == deadlines.c.line_item)
            .join(contexts, contexts.c.id == line_items.c.context)
            .join(people, people.c.id == deadlines.c.person, isouter=True)
            .join(accounts, accounts.c.id == people.c.account, isouter=True)
            .where(contexts.c.course == course, contexts.c.is_connected)
            .where(line_items.c.assignment == assignment)
            .order_by(deadlines.c.id)
        )
        return self._session.fetch_all_as(PlatformDeadline, query)

    def record_platform_deadline_unless_outranked(
        self,
        link: LtiResourceLink,
        deadline_or_none: datetime | None,
        said_by: SaidBy,
        only_for_person: LtiPerson | None = None,
    ) -> None:
        """Save a platform's deadline; None removes the one it stated before.

        When the general deadline is moved or removed, so are personal deadlines equal to the old one: those students'
        next launch may come too late to tell. A launch never replaces a deadline from a line item.

        Args:
            link: the link whose deadline it is.
            deadline_or_none: the deadline; None for none.
            said_by: the source of the deadline.
            only_for_person: the person whose deadline it is; the general one when None.
        """
        person = only_for_person.id if only_for_person else None
        is_of_person = and_(deadlines.c.line_item == link.id, deadlines.c.person == person)
        row = self._session.fetch_one(select(deadlines).where(is_of_person))
        old_deadline = row.deadline if row else None
        if old_deadline == deadline_or_none or (row and (row.said_by, said_by) == ("line item", "launch")):
            return
        is_same = and_(deadlines.c.line_item == link.id, deadlines.c.deadline == old_deadline)
        condition = is_of_person if only_for_person else is_same
        values = {"deadline": deadline_or_none, "said_by": said_by, "said_at": utc_now()}
        with self._session.transaction():
            if deadline_or_none is None:
                self._session.execute(delete(deadlines).where(condition))
            elif row is None:
                self._session.execute(insert(deadlines).values(line_item=link.id, person=person, **values))
            else:
                self._session.execute(update(deadlines).where(condition).values(**values))
            before, after = (moment.isoformat() if moment else "" for moment in (old_deadline, deadline_or_none))
            self._record_change(link, only_for_person, before, after)

    def _record_change(self, link: LtiResourceLink, person: LtiPerson | None, before: str, after: str) -> None:
        context = LtiContextTable(self._session).find(id=link.context)
        assert context is not None
        accounts_of_course = AccountTables(self._session)
        record_lti_change(
            self._audit, context.course, PLATFORM, "deadline there", before, after, place=context.label,
            about=accounts_of_course.find_enrolment_by_account(context.course, person.account) if person else None,
            subject=person.subject if person else "", assignment=link.assignment, state="taken",
        )  # fmt: skip
