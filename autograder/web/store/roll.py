"""Store a course's people as its staff sees them: with address, section, last visit, link and access."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import and_, func, or_, select, update

from autograder.store.audit import AuditContext, AuditEvent, AuditLog
from autograder.store.session import StoreSession
from autograder.store.tables import utc_now
from autograder.web.store.accounts import IS_UNUSED, Enrolment, Role
from autograder.web.store.mails import MailSettingsTable
from autograder.web.store.tables import accounts, enrolments, invitations, mail_settings

SEEN_EVERY = timedelta(hours=1)
"""How exactly it is kept when somebody was last seen: not every page is a write."""
Access = Literal["access ended", "not invited", "invited", "signed in"]
"""How far somebody came; ``invited`` means that a link waits that still works."""


@dataclass(frozen=True, slots=True)
class MemberDetails:
    """What the staff says of somebody in a course."""

    login: str
    name: str = ""
    """The person's name; the login where it is empty."""
    role: Role = "student"
    team: str = ""
    section: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class CourseMember(Enrolment):
    """Somebody in a course."""

    address: str = ""
    """Where they get mail, if not at a login that is an address."""
    link_until: datetime | None = None
    """Until when their unused link works; None if they have none."""

    @property
    def access(self) -> Access:
        """Return how far they came."""
        if self.ended_at:
            return "access ended"
        if self.seen_at:
            return "signed in"
        return "invited" if self.link_until else "not invited"

    @property
    def details(self) -> MemberDetails:
        """Return what the staff can change."""
        return MemberDetails(self.login, self.name, self.role, self.team, self.section, self.address)

    @property
    def mail_address(self) -> str:
        """Return where they get mail; empty where nobody knows."""
        return self.address or (self.login if "@" in self.login else "")


DETAILS = tuple(field.name for field in fields(MemberDetails) if field.name != "login")


class CourseRoll:
    """The people of a course, and every change of them with its row of the audit log.

    Raises ``KitFault`` wherever the database fails.
    """

    def __init__(self, session: StoreSession, audit: AuditLog, mail_settings_table: MailSettingsTable) -> None:
        self._session, self._audit, self._mail_settings = session, audit, mail_settings_table

    def list_members(self, course: str, login: str = "") -> list[CourseMember]:
        """Return everybody in a course, or only the person with a login, by login."""
        links = (
            select(invitations.c.account, func.max(invitations.c.expires_at).label("link_until"))
            .where(IS_UNUSED, invitations.c.expires_at > utc_now())
            .group_by(invitations.c.account)
            .subquery()
        )
        query = (
            select(
                *(accounts.c.id.label("account"), accounts.c.login, accounts.c.name),
                *(enrolments.c[name] for name in ("role", "team", "section", "seen_at", "ended_at")),
                *(func.coalesce(mail_settings.c.address, "").label("address"), links.c.link_until),
            )
            .join(enrolments, enrolments.c.account == accounts.c.id)
            .join(mail_settings, mail_settings.c.account == accounts.c.id, isouter=True)
            .join(links, links.c.account == accounts.c.id, isouter=True)
            .where(enrolments.c.course == course)
            .order_by(accounts.c.login)
        )
        return self._session.fetch_all_as(CourseMember, query.where(accounts.c.login == login) if login else query)

    def list_roster_rows(self, course: str) -> list[dict[str, str]]:
        """Return the students of a course as rows of a roster, to be found in tables and downloads of platforms."""
        return [
            {
                "login": one.login,
                "name": one.name,
                "email": one.mail_address,
                "section": one.section,
                "team": one.team,
            }
            for one in self.list_members(course)
            if one.role == "student"
        ]

    def find_member(self, course: str, login: str) -> CourseMember | None:
        """Return somebody by login; None if nobody in the course is called so."""
        return next(iter(self.list_members(course, login)), None) if login else None

    def save_member(
        self, context: AuditContext, changed_by: str, details: MemberDetails, before: CourseMember | None
    ) -> None:
        """Add or change somebody. An empty name changes no name.

        Args:
            context: the command or form, for the audit log; its class is the course.
            changed_by: the name of who changes it.
            details: what holds from now on.
            before: what holds now; None for somebody who is not in the course.
        """
        course, login = context.class_name, details.login
        query = select(accounts.c.id.label("account"), accounts.c.name)
        known = before or self._session.fetch_one(query.where(accounts.c.login == login))
        name = details.name or (known.name if known else login)
        now = {"role": details.role, "team": details.team, "section": details.section}
        with self._session.transaction():
            account = known.account if known else self._session.insert_row(accounts, login=login, name=name)
            if known and known.name != name:
                self._session.execute(update(accounts).where(accounts.c.id == account).values(name=name))
            self._session.update_or_insert(enrolments, {"account": account, "course": course}, **now)
            if details.address != (before.address if before else ""):
                self._mail_settings.save_address(account, details.address)
            old = {item: getattr(before, item) for item in DETAILS} if before else {}
            self._record(context, changed_by, login, old, {**now, "name": name, "address": details.address})

    def set_access(self, context: AuditContext, changed_by: str, member: CourseMember, *, may_enter: bool) -> None:
        """End somebody's access to the course, however they sign in, or give it back; what they handed in stays."""
        is_theirs = and_(enrolments.c.account == member.account, enrolments.c.course == context.class_name)
        ended_at = None if may_enter else utc_now()
        with self._session.transaction():
            self._session.execute(update(enrolments).where(is_theirs).values(ended_at=ended_at))
            words = {True: "given", False: "ended"}
            if (member.ended_at is None) != may_enter:
                before, after = ({"access": words[value]} for value in (not may_enter, may_enter))
                self._record(context, changed_by, member.login, before, after)

    def record_link(self, context: AuditContext, made_by: str, member: Enrolment, how: str = "made") -> None:
        """Record that somebody got a new personal link, shown to whoever made it or mailed."""
        with self._session.transaction():
            self._record(context, made_by, member.login, {}, {"link": how})

    def record_seen(self, course: str, person: Enrolment) -> None:
        """Record that somebody is there now; only the first time within an hour writes anything."""
        now = utc_now()
        if person.seen_at and person.seen_at > now - SEEN_EVERY:
            return
        is_theirs = and_(enrolments.c.account == person.account, enrolments.c.course == course)
        is_older = or_(enrolments.c.seen_at.is_(None), enrolments.c.seen_at <= now - SEEN_EVERY)
        self._session.execute_and_commit(update(enrolments).where(is_theirs, is_older).values(seen_at=now))

    def _record(
        self,
        context: AuditContext,
        changed_by: str,
        login: str,
        before: Mapping[str, str],
        after: Mapping[str, str],
    ) -> None:
        """Add a row of the audit log for each change. It says that names and addresses changed, and not from what.

        An erasure could not find an address in the log that somebody had long ago.
        """
        events = [
            AuditEvent(changed_item=item, student_label=login, before=_show(item, before.get(item, "")), after=shown)
            for item, value in after.items()
            if value != before.get(item, "") and (shown := _show(item, value) or "none")
        ]
        self._audit.add_events_uncommitted(context, events, "decided", changed_by)


def _show(item: str, value: str) -> str:
    return "set" if value and item in ("name", "address") else value
