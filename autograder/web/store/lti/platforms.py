"""Store platforms, their courses, links and people, and one-time tickets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

from sqlalchemy import and_, delete, insert, select, update

from autograder.store.session import StorePart, delete_rows_cascading
from autograder.store.tables import utc_now
from autograder.web.store.accounts import Role, hash_token
from autograder.web.store.lti.tables import RecordTable, contexts, line_items, memberships, people, platforms, tickets

PlatformKind = Literal["moodle", "canvas", "openedx", "brightspace", "blackboard", "other"]
KINDS: tuple[PlatformKind, ...] = get_args(PlatformKind)


@dataclass(frozen=True, slots=True)
class LtiPlatform:
    """A registered learning management system, with the addresses and ids that both sides agreed on."""

    name: str
    """What the staff calls it, such as ``moodle``."""
    issuer: str
    """The issuer. All customers of Canvas's cloud share one; the client id distinguishes them."""
    client_id: str
    login_url: str
    """Where browsers are sent to prove who they are (OpenID Connect's authentication request)."""
    token_url: str
    keys_url: str
    """Its JSON Web Key Set."""
    deployments: tuple[str, ...] = ()
    """Those that are accepted; none is by default."""
    kind: PlatformKind = "other"
    token_audience: str = ""
    """The audience of a request for an access token; the token URL when empty."""
    allow_private: bool = False
    """Whether its addresses may be plain HTTP or in a private network."""
    id: int = 0
    """Its number in the store; 0 where it is not there yet."""


class LtiPlatformTable(RecordTable[LtiPlatform]):
    """The platforms of a store."""

    table, kind = platforms, LtiPlatform

    def save_platform(self, platform: LtiPlatform) -> LtiPlatform:
        """Add a platform, or replace the one of that name; return it with its number.

        People and line items stay with it, also if it was removed and comes back with the same issuer and client id.
        Its deployments are those that are given now.
        """
        values = asdict(platform)
        del values["id"]
        with self._session.transaction():
            old_platform = self.find_active(name=platform.name)
            is_removed = and_(
                platforms.c.issuer == platform.issuer,
                platforms.c.client_id == platform.client_id,
                platforms.c.removed_at.is_not(None),
            )
            removed_query = select(platforms.c.id).where(is_removed).order_by(platforms.c.id.desc())
            known_id = old_platform.id if old_platform else self._session.fetch_value(removed_query)
            if known_id is None:
                self._session.execute(insert(platforms).values(**values))
            else:
                self._update(known_id, **values, removed_at=None)
        new_platform = self.find_active(name=platform.name)
        assert new_platform is not None
        return new_platform

    def find_active(self, **values: Any) -> LtiPlatform | None:
        """Return the platform with these values, such as ``name="moodle"``; None for none, or a removed one."""
        return self.find(**values, removed_at=None)

    def list_active(self, **values: Any) -> list[LtiPlatform]:
        """Return the platforms with these values that were not removed, by name."""
        return sorted(self.list_all(**values, removed_at=None), key=lambda platform: platform.name)

    def retire(self, platform: LtiPlatform) -> None:
        """Refuse launches of a platform from now on; keep its people and line items."""
        self._update(platform.id, name=f"{platform.name} (removed {platform.id})", removed_at=utc_now())


NO_COURSE_NAMED = "(no course named)"
"""The label of what launches without a context claim come from."""


@dataclass(frozen=True, slots=True)
class LtiContext:
    """A course of a platform."""

    id: int
    platform: int
    deployment: str
    context: str
    """What the platform calls it; empty for launches that name no course."""
    title: str
    course: str
    """The course here that it asked for."""
    is_connected: bool
    """Whether an administrator connected it; until then, its launches are refused."""
    members_url: str = ""
    """Where its members are read (names and roles); empty where the platform does not say."""
    line_items_url: str = ""
    scopes: tuple[str, ...] = ()
    members_read_at: datetime | None = None

    @property
    def label(self) -> str:
        """Return its title for people, or else its id, or else that it has neither."""
        return self.title or self.context or NO_COURSE_NAMED


class LtiContextTable(RecordTable[LtiContext]):
    """The courses of platforms in a store."""

    table, kind = contexts, LtiContext

    def add_or_update_context(
        self, platform_id: int, deployment: str, context_on_platform: str, course_if_new: str, **values: Any
    ) -> LtiContext:
        """Add a course of a platform, not connected yet, or change what is known of it; return it.

        Args:
            platform_id: the platform's number.
            deployment: the deployment.
            context_on_platform: what the platform calls the course.
            course_if_new: the course here, for a new one.
            values: ``title``, ``members_url``, ``line_items_url`` and ``scopes``, as far as they are known.
        """
        key = {"platform": platform_id, "deployment": deployment, "context": context_on_platform}
        return self.add_or_update_record(key, {"course": course_if_new, "is_connected": False}, **values)

    def set_connected(self, context_id: int, *, is_connected: bool) -> None:
        """Accept or refuse launches from a course of a platform."""
        self._update(context_id, is_connected=is_connected)

    def mark_members_fetched(self, context_id: int) -> None:
        """Remember that the members of a course were read just now."""
        self._update(context_id, members_read_at=utc_now())


@dataclass(frozen=True, slots=True)
class LtiResourceLink:
    """A link to an assignment in a course of a platform."""

    id: int
    context: int
    """The number of its ``LtiContext``."""
    resource_link: str
    assignment: str
    line_item_url: str = ""
    """The column of the gradebook; empty where the platform gave none."""
    line_items_url: str = ""
    scopes: tuple[str, ...] = ()
    """The scopes that the last launch granted the tool."""


class LtiResourceLinkTable(RecordTable[LtiResourceLink]):
    """The links to assignments in a store."""

    table, kind = line_items, LtiResourceLink

    def add_or_update(self, context_id: int, resource_link: str, assignment: str, **values: Any) -> LtiResourceLink:
        """Add a link to an assignment, or change it; return it.

        Args:
            context_id: the number of its course.
            resource_link: what the platform calls the link.
            assignment: the assignment.
            values: ``line_item_url``, ``line_items_url`` and ``scopes``; empty where nothing is said.
        """
        key = {"context": context_id, "resource_link": resource_link}
        return self.add_or_update_record(key, {}, assignment=assignment, changed_at=utc_now(), **values)

    def remove_line_item_url(self, link: LtiResourceLink) -> None:
        """Remove the URL of a link's line item, unless it has another one by now."""
        is_same = and_(line_items.c.id == link.id, line_items.c.line_item_url == link.line_item_url)
        values = {"line_item_url": "", "changed_at": utc_now()}
        self._session.execute_and_commit(update(line_items).where(is_same).values(**values))

    def delete_link(self, link_id: int) -> None:
        """Delete a link with its deadlines, its marks, and what was asked about them; a launch adds it again."""
        with self._session.transaction():
            delete_rows_cascading(self._session, line_items, line_items.c.id == link_id)

    def list_in_connected_courses(self, course: str, assignment: str = "") -> list[LtiResourceLink]:
        """Return the links to the assignments of a course, or to one of them, from courses that are connected."""
        query = select(line_items).join(contexts, contexts.c.id == line_items.c.context)
        query = query.where(contexts.c.course == course, contexts.c.is_connected)
        query = query.where(line_items.c.assignment == assignment) if assignment else query
        return self._session.fetch_all_as(LtiResourceLink, query.order_by(line_items.c.id))


TicketKind = Literal["login", "sign-in", "content", "registration"]


class LtiOneTimeTicketTable(StorePart):
    """The tickets of a store, each found by its token."""

    def add(self, kind: TicketKind, token: str, ticket_data: dict[str, Any], lifetime: timedelta) -> None:
        """Save a ticket, and delete expired ones."""
        now = utc_now()
        with self._session.transaction():
            self._session.execute(delete(tickets).where(tickets.c.expires_at <= now))
            values = {"kind": kind, "data": ticket_data, "expires_at": now + lifetime}
            self._session.execute(insert(tickets).values(token=hash_token(token), **values))

    def find_ticket_data(self, kind: TicketKind, token: str) -> dict[str, Any] | None:
        """Return what a ticket holds without using it up; None if it is unknown, of another kind or expired."""
        row = self._session.fetch_one(select(tickets.c.data).where(_is_valid(kind, token)))
        return row.data if row else None

    def take_ticket_data_or_none(self, kind: TicketKind, token: str) -> dict[str, Any] | None:
        """Use a ticket up, and return what it holds; None if it is unknown, of another kind or expired.

        Of two calls at once, only one gets it.
        """
        with self._session.transaction():
            row = self._session.fetch_one(delete(tickets).where(_is_valid(kind, token)).returning(tickets.c.data))
        return row.data if row else None


def _is_valid(kind: TicketKind, token: str) -> Any:
    return and_(tickets.c.token == hash_token(token), tickets.c.kind == kind, tickets.c.expires_at > utc_now())


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
