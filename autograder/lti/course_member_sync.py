"""Fetch the members of a course on a platform, and update the class to match.

Format: https://www.imsglobal.org/spec/lti-nrps/v2p0. Moodle names roles by their last word and Open edX by URIs;
names and e-mails may be missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from autograder.faults import ServiceFault
from autograder.lti.account_provisioning import PlatformUser, is_up_to_date, upsert_person_and_enrolment
from autograder.lti.address_guard import redact_url_query
from autograder.lti.http_client import is_retryable_status
from autograder.lti.json_response import decode_json_response
from autograder.lti.lti_roles import find_role_for_lti_roles, is_test_user
from autograder.lti.platform_client import MEMBERS_READ_ONLY, PlatformClient
from autograder.roster.lti_profile import normalize_identifiers
from autograder.roster.roster_file import ListedLtiMember
from autograder.store.lti.lti_audit_events import LtiActor, record_lti_change
from autograder.store.lti.lti_context_table import LtiContext
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.store.store import Store
from autograder.store.web.account_tables import Role

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
    store: Store, course: str, client: PlatformClient, context: LtiContext, done_by: LtiActor
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
    proposed_ids = {person.id for person in store.lti_people.list_all("proposed")}
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
    store: Store, course: str, platform: LtiPlatform, context: LtiContext, members: list[PlatformCourseMember]
) -> dict[int, Role]:
    """Add new members and change names that changed, and return the role there of each member by person.

    What is known is read at once: most members of most lists are as they were.
    """
    role_by_person: dict[int, Role] = {}
    person_by_subject = store.lti_people.map_by_subject(platform.id, context.deployment)
    enrolment_by_account = {enrolment.account: enrolment for enrolment in store.accounts.list_enrolments(course)}
    for member in members:
        if member.role is None:
            continue
        name, person = member.full_name_or_empty, person_by_subject.get(member.user_id)
        enrolment = enrolment_by_account.get(person.account) if person else None
        if person is None or enrolment is None or not is_up_to_date(person, enrolment, enrolment.role, name):
            identifiers = member.unverified_roster_identifiers
            platform_user = PlatformUser(
                context.deployment, member.user_id, member.role, name, identifiers, is_test_user(member.roles)
            )
            person, _ = upsert_person_and_enrolment(store, course, platform, platform_user, keep_role_if_known=True)
        role_by_person[person.id] = member.role
    return role_by_person
