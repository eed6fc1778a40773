"""Bring people, courses, links and deadlines here up to date with launches and lists of members."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import msgspec

from autograder.faults import KitFault, ServiceFault
from autograder.roster.roster_file import ListedLtiMember, normalize_identifiers
from autograder.web.lti.http import decode_json_response, is_retryable_status, redact_url_query
from autograder.web.lti.launch import LaunchMessage, find_role_for_lti_roles, is_test_user
from autograder.web.lti.tool import MEMBERS_READ_ONLY, PlatformClient, RefusedLtiRequest
from autograder.web.store.accounts import Enrolment, Role
from autograder.web.store.lti.audit import PLATFORM, LtiActor, record_lti_change
from autograder.web.store.lti.platforms import NO_COURSE_NAMED, LtiContext, LtiPerson, LtiPlatform, LtiResourceLink
from autograder.web.store.server_store import ServerStore

DEADLINE, OWN_DEADLINE = "deadline", "own_deadline"
DEADLINE_VARIABLES = {
    DEADLINE: "$ResourceLink.submission.endDateTime",
    OWN_DEADLINE: "$ResourceLink.submission.user.endDateTime",
}
"""Custom parameters: the general deadline, and the personal deadline of the person who follows the link."""


def _record_launch_deadline(
    store: ServerStore, link: LtiResourceLink, message: LaunchMessage, person: LtiPerson, *, is_student: bool
) -> None:
    """Save the deadline that a launch states.

    Canvas sends a student's personal deadline as the general one. So a deadline from a student's launch is saved for
    that student alone.

    Args:
        store: the store.
        link: the link that was followed.
        message: the launch.
        person: who followed it.
        is_student: whether the person is a student; the general deadline is taken from the staff's launches.
    """
    custom = message.custom or {}
    texts = [custom.get(name) for name in ((OWN_DEADLINE, DEADLINE) if is_student else (DEADLINE,))]
    if any(map(_is_deadline_or_empty_text, texts)):
        deadline = next(filter(None, map(parse_platform_deadline_or_none, texts)), None)
        only_for_person = person if is_student else None
        store.lti_deadlines.record_platform_deadline_unless_outranked(link, deadline, "launch", only_for_person)


def _is_deadline_or_empty_text(deadline_text: object) -> bool:
    """Return whether a text is a deadline, or is empty, by which a platform states that there is none."""
    return deadline_text == "" or parse_platform_deadline_or_none(deadline_text) is not None


def parse_platform_deadline_or_none(deadline_text: object) -> datetime | None:
    """Return a deadline as a platform writes it, ISO 8601; None for anything else.

    >>> parse_platform_deadline_or_none("2026-11-20T23:59:00.000Z")
    datetime.datetime(2026, 11, 20, 23, 59, tzinfo=datetime.timezone.utc)
    >>> parse_platform_deadline_or_none("$ResourceLink.submission.endDateTime")
    """
    if not isinstance(deadline_text, str) or len(deadline_text) > 64:
        return None
    try:
        moment = datetime.fromisoformat(deadline_text)
    except ValueError:
        return None
    if not 1970 <= moment.year < 9000:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)


READABLE = re.compile(r"[a-z0-9._-]{1,24}")


@dataclass(frozen=True, slots=True)
class PlatformUser:
    """A platform's data about one person, from a launch or from its list of members."""

    deployment: str
    subject: str
    role: Role
    name: str = ""
    known_as: Sequence[str] = ()
    """Logins, e-mails and numbers, in lower case. They may suggest a student of the class; they are not verified."""
    is_test_user: bool = False


def _upsert_person_and_enrolment(
    store: ServerStore,
    course: str,
    platform: LtiPlatform,
    platform_user: PlatformUser,
    *,
    keep_role_if_known: bool = False,
) -> tuple[LtiPerson, Enrolment]:
    """Return a platform user's person and enrolment here; make an account when they are seen for the first time.

    The platform decides the role of an account that was made for its user: a student who became a teaching assistant
    there becomes one here. An account that the staff linked to a student of the class keeps its role.

    Args:
        store: the store.
        course: the course here.
        platform: where they come from.
        platform_user: the platform's data about them.
        keep_role_if_known: whether a known person keeps their role.
    """
    key = {"platform": platform.id, "deployment": platform_user.deployment, "subject": platform_user.subject}
    person = store.lti_people.find(**key)
    if person is None:
        try:
            return _add_person(store, course, platform, platform_user)
        except KitFault:  # the same person launched in another window a moment ago
            person = store.lti_people.find(**key)
            if person is None:
                raise
    enrolment = store.accounts.find_enrolment_by_account(course, person.account)
    if enrolment is None:  # known from another course of this store
        login = store.accounts.get_login(person.account)
        return person, store.accounts.upsert_enrolment(course, login, platform_user.role, platform_user.name)
    role = enrolment.role if keep_role_if_known else platform_user.role
    if not _is_up_to_date(person, enrolment, role, platform_user.name):
        old_role = enrolment.role
        enrolment = store.accounts.upsert_enrolment(course, enrolment.login, role, platform_user.name, enrolment.team)
        if old_role != role:
            _record_change(store, course, platform, platform_user, enrolment, old_role)
    return person, enrolment


def _is_up_to_date(person: LtiPerson, enrolment: Enrolment, role: Role, name: str) -> bool:
    """Return whether there is nothing to change about a person who has this role, and this name unless it is empty.

    Nothing is ever changed about a student of the class whom the staff linked to the person.
    """
    is_own = person.account == person.own_account
    return not is_own or (enrolment.role == role and name in ("", enrolment.name))


def _add_person(
    store: ServerStore, course: str, platform: LtiPlatform, platform_user: PlatformUser
) -> tuple[LtiPerson, Enrolment]:
    """Add a person, their account and an event of the audit log, all of it or nothing."""
    with store.group():
        proposed_account = _find_proposal(store, course, platform, platform_user)
        logins = _iterate_logins(platform, platform_user)
        login = next(login for login in logins if not store.accounts.has_login(login))
        enrolment = store.accounts.upsert_enrolment(course, login, platform_user.role, platform_user.name)
        person = store.lti_people.add(
            platform.id,
            platform_user.deployment,
            platform_user.subject,
            enrolment.account,
            proposed_account,
            is_test_user=platform_user.is_test_user,
        )
        _record_change(store, course, platform, platform_user, enrolment, "")
    return person, enrolment


def _record_change(
    store: ServerStore,
    course: str,
    platform: LtiPlatform,
    platform_user: PlatformUser,
    enrolment: Enrolment,
    old_role: str,
) -> None:
    record_lti_change(
        store.audit, course, PLATFORM, "account", old_role, enrolment.role,
        place=platform.name, about=enrolment, subject=platform_user.subject, state="taken",
    )  # fmt: skip


def _find_proposal(store: ServerStore, course: str, platform: LtiPlatform, platform_user: PlatformUser) -> int | None:
    """Return the account of the one student who fits the identifiers and is not linked to a platform user yet."""
    if platform_user.role != "student" or platform_user.is_test_user:
        return None
    account_ids = {
        enrolment.account
        for name in platform_user.known_as
        if (enrolment := store.accounts.find_enrolment(course, name)) is not None and enrolment.role == "student"
    }
    free_ids = [account_id for account_id in account_ids if not store.lti_people.list_all(account=account_id)]
    return free_ids[0] if len(account_ids) == len(free_ids) == 1 else None


def _iterate_logins(platform: LtiPlatform, platform_user: PlatformUser) -> Iterator[str]:
    """Yield candidate logins for a person: a readable one if possible, then ever longer digests."""
    if READABLE.fullmatch(platform_user.subject):
        yield f"{platform.name}-{platform_user.subject}"
    identity = "\0".join((platform.issuer, platform.client_id, platform_user.deployment, platform_user.subject))
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    for length in (10, 20, 40):
        yield f"{platform.name}-{digest[:length]}"


@dataclass(frozen=True, slots=True)
class AcceptedLaunch:
    """A person who launched the tool, with the course and the assignment."""

    enrolment: Enrolment
    context: LtiContext
    assignment: str
    """Empty where the link names none."""


def accept_verified_launch(
    store: ServerStore, course: str, assignment_names: Collection[str], platform: LtiPlatform, message: LaunchMessage
) -> AcceptedLaunch:
    """Return the person and the assignment of a launch; save the platform's data on its course and on this link.

    Args:
        store: the store.
        course: the course here.
        assignment_names: the names of its assignments.
        platform: the platform that signed the message.
        message: the launch.

    Raises:
        RefusedLtiRequest: the person has no role in that course, or the course is not connected with this one.
    """
    role = find_role_for_lti_roles(message.roles)
    if role is None:
        raise RefusedLtiRequest(
            "the platform does not say that you are a student or a member of the staff of this course",
            advice="become a member of the course there; a role in the whole platform is not enough",
        )
    context = _save_context(store, course, platform, message)
    if not context.is_connected:
        shown_course = context.label if context.label == NO_COURSE_NAMED else repr(context.label)
        raise RefusedLtiRequest(
            f"the course {shown_course} of {platform.name} is not connected with this one yet",
            advice="ask an administrator to connect it on the page LMS or with `autograder lti connect`",
        )
    platform_user = PlatformUser(
        message.deployment,
        message.sub,
        role,
        message.full_name_or_empty,
        message.unverified_roster_identifiers,
        is_test_user(message.roles),
    )
    person, enrolment = _upsert_person_and_enrolment(store, course, platform, platform_user)
    if context.members_read_at is not None:  # who enrols after that gets marks, too
        store.lti_members.add_or_readmit_member(context.id, person.id, role)
    link = _save_link(store, context, assignment_names, message)
    if link is None:
        return AcceptedLaunch(enrolment, context, "")
    if not person.is_test_user:
        _record_launch_deadline(store, link, message, person, is_student=role == "student")
    return AcceptedLaunch(enrolment, context, link.assignment)


def _save_context(store: ServerStore, course: str, platform: LtiPlatform, message: LaunchMessage) -> LtiContext:
    name = message.context.id if message.context else ""
    values: dict[str, str | tuple[str, ...]] = {}
    if message.context:
        values["title"] = (message.context.title or message.context.label or "")[:200]
    if message.members:
        values["members_url"] = message.members.context_memberships_url
    if message.grades:
        values |= {"line_items_url": message.grades.lineitems, "scopes": message.grades.scope}
    return store.lti_contexts.add_or_update_context(platform.id, message.deployment, name, course, **values)


def _save_link(
    store: ServerStore, context: LtiContext, assignments: Collection[str], message: LaunchMessage
) -> LtiResourceLink | None:
    """Save and return a link to an assignment; None if it leads to none.

    A link that names no assignment leads to the one that it led to before.
    """
    if message.resource_link is None:
        return None
    named_assignment = (message.custom or {}).get("assignment") or ""
    assignment = str(named_assignment) or _find_assignment_in_url(message.target_link_uri)
    link_id = message.resource_link.id
    if not assignment:
        known_link = store.lti_links.find(context=context.id, resource_link=link_id)
        assignment = known_link.assignment if known_link else ""
    if assignment not in assignments:
        return None
    values: dict[str, str | tuple[str, ...]] = {}
    if message.grades:
        values = {"line_items_url": message.grades.lineitems, "scopes": message.grades.scope}
        if message.grades.lineitem:  # otherwise keep the stored column, which the tool may have made
            values["line_item_url"] = message.grades.lineitem
    return store.lti_links.add_or_update(context.id, link_id, assignment, **values)


def _find_assignment_in_url(url: str) -> str:
    try:
        return next(iter(parse_qs(urlsplit(url).query).get("assignment", [])), "")
    except ValueError:
        return ""


MEMBERS_TYPE = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"


class PlatformCourseMember(ListedLtiMember, frozen=True):
    """One member of a course on a platform, with the role that follows from it here."""

    @property
    def role(self) -> Role | None:
        """Return the role of this person here; None if they left, or their roles there give none."""
        return find_role_for_lti_roles(self.roles) if self.is_active else None

    @property
    def unverified_roster_identifiers(self) -> list[str]:
        """Return further identifiers by which a roster may list this person; none of them is verified."""
        return normalize_identifiers(self.ext_user_username, self.email, self.lis_person_sourcedid)


class _Page(msgspec.Struct, frozen=True):
    members: tuple[PlatformCourseMember, ...]


@dataclass(frozen=True, slots=True)
class MemberSyncCounts:
    """Numbers of members that a synchronization found, added, or marked as having left."""

    members: int
    """Members who have a role here now."""
    new: int
    left: int
    """Members of the previous list who are no longer listed."""
    back: int
    proposed: int
    """Members for whom the staff is asked whether they are a listed student."""


def fetch_members(client: PlatformClient, members_url: str) -> list[PlatformCourseMember]:
    """Return the members of a course, over all pages of the platform's answer.

    Raises:
        ServiceFault: the platform does not answer as it should, a page is at another server, or the list is too long.
    """
    members: list[PlatformCourseMember] = []
    location = redact_url_query(members_url)
    try:
        for response in client.fetch_pages(members_url, [MEMBERS_READ_ONLY], MEMBERS_TYPE, "members"):
            if not response.is_ok:
                advice = "let the tool read them on the platform"
                advice = "try again in some minutes" if is_retryable_status(response.status) else advice
                raise ServiceFault(f"the platform gives no members: status {response.status}", location, advice)
            members += decode_json_response(response.body, _Page).members
    except ValueError:
        raise ServiceFault("the answer is not a list of members", location) from None
    return members


def sync_members(
    store: ServerStore, course: str, client: PlatformClient, context: LtiContext, done_by: LtiActor
) -> MemberSyncCounts:
    """Update the class: new members get accounts, and members who left stay and are marked as such.

    Nothing is changed unless the whole list was read. Known members keep their roles here, because lists can be
    wrong: Moodle 4.3 lists a non-editing teacher as a learner, although that teacher's launch says instructor.

    Args:
        store: keeps them.
        course: the course here.
        client: the platform's.
        context: the course there.
        done_by: who requested it, for the audit log.

    Raises:
        ServiceFault: the list cannot be read.
    """
    platform, members = client.platform, fetch_members(client, context.members_url)
    old_members = store.lti_members.list_present_and_former_members(context.id)
    role_by_person = _upsert_members(store, course, platform, context, members)
    store.lti_members.set_current_members(context.id, role_by_person)
    store.lti_contexts.mark_members_fetched(context.id)
    present_ids = {member.person for member in old_members if not member.left_at}
    known_ids = {member.person for member in old_members}
    proposed_ids = {person.id for person in store.lti_people.list_all(state="proposed")}
    counts = MemberSyncCounts(
        members=len(role_by_person),
        new=len(role_by_person.keys() - known_ids),
        left=len(present_ids - role_by_person.keys()),
        back=len(role_by_person.keys() & (known_ids - present_ids)),
        proposed=len(role_by_person.keys() & proposed_ids),
    )
    after_text = f"{counts.members} members: {counts.new} new, {counts.back} back, {counts.left} left"
    place, before_text = f"{platform.name}: {context.label}", f"{len(present_ids)} members"
    record_lti_change(store.audit, course, done_by, "members", before_text, after_text, place=place)
    return counts


def _upsert_members(
    store: ServerStore, course: str, platform: LtiPlatform, context: LtiContext, members: list[PlatformCourseMember]
) -> dict[int, Role]:
    """Add new members and change names that changed, and return the role there of each member by person.

    What is known is read at once: most members of most lists are as they were.
    """
    role_by_person: dict[int, Role] = {}
    people = store.lti_people.list_all(platform=platform.id, deployment=context.deployment)
    person_by_subject = {person.subject: person for person in people}
    enrolment_by_account = {enrolment.account: enrolment for enrolment in store.accounts.list_enrolments(course)}
    for member in members:
        if member.role is None:
            continue
        name, person = member.full_name_or_empty, person_by_subject.get(member.user_id)
        enrolment = enrolment_by_account.get(person.account) if person else None
        if person is None or enrolment is None or not _is_up_to_date(person, enrolment, enrolment.role, name):
            identifiers = member.unverified_roster_identifiers
            platform_user = PlatformUser(
                context.deployment, member.user_id, member.role, name, identifiers, is_test_user(member.roles)
            )
            person, _ = _upsert_person_and_enrolment(store, course, platform, platform_user, keep_role_if_known=True)
        role_by_person[person.id] = member.role
    return role_by_person
