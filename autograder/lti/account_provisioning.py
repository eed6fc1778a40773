"""Find or make the account of a platform's user."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.faults import KitFault
from autograder.store.lti.lti_audit_events import PLATFORM, record_lti_change
from autograder.store.lti.lti_person_table import LtiPerson
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.store.store import Store
from autograder.store.web.account_tables import Enrolment, Role

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


def upsert_person_and_enrolment(
    store: Store, course: str, platform: LtiPlatform, platform_user: PlatformUser, *, keep_role_if_known: bool = False
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
    person = store.lti_people.find(platform.id, platform_user.deployment, platform_user.subject)
    if person is None:
        try:
            return _add_person(store, course, platform, platform_user)
        except KitFault:  # the same person launched in another window a moment ago
            person = store.lti_people.find(platform.id, platform_user.deployment, platform_user.subject)
            if person is None:
                raise
    enrolment = store.accounts.find_enrolment_by_account(course, person.account)
    if enrolment is None:  # known from another course of this store
        login = store.accounts.get_login(person.account)
        return person, store.accounts.upsert_enrolment(course, login, platform_user.role, platform_user.name)
    role = enrolment.role if keep_role_if_known else platform_user.role
    if not is_up_to_date(person, enrolment, role, platform_user.name):
        old_role = enrolment.role
        enrolment = store.accounts.upsert_enrolment(course, enrolment.login, role, platform_user.name, enrolment.team)
        if old_role != role:
            _record_change(store, course, platform, platform_user, enrolment, old_role)
    return person, enrolment


def is_up_to_date(person: LtiPerson, enrolment: Enrolment, role: Role, name: str) -> bool:
    """Return whether there is nothing to change about a person who has this role, and this name unless it is empty.

    Nothing is ever changed about a student of the class whom the staff linked to the person.
    """
    is_own = person.account == person.own_account
    return not is_own or (enrolment.role == role and name in ("", enrolment.name))


def _add_person(
    store: Store, course: str, platform: LtiPlatform, platform_user: PlatformUser
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
    store: Store, course: str, platform: LtiPlatform, platform_user: PlatformUser, enrolment: Enrolment, old_role: str
) -> None:
    record_lti_change(
        store.audit, course, PLATFORM, "account", old_role, enrolment.role,
        place=platform.name, about=enrolment, subject=platform_user.subject, state="taken",
    )  # fmt: skip


def _find_proposal(store: Store, course: str, platform: LtiPlatform, platform_user: PlatformUser) -> int | None:
    """Return the account of the one student who fits the identifiers and is not linked to a platform user yet."""
    if platform_user.role != "student" or platform_user.is_test_user:
        return None
    account_ids = {
        enrolment.account
        for name in platform_user.known_as
        if (enrolment := store.accounts.find_enrolment(course, name)) is not None and enrolment.role == "student"
    }
    free_ids = [account_id for account_id in account_ids if not store.lti_people.list_people_of_account(account_id)]
    return free_ids[0] if len(account_ids) == len(free_ids) == 1 else None


def _iterate_logins(platform: LtiPlatform, platform_user: PlatformUser) -> Iterator[str]:
    """Yield candidate logins for a person: a readable one if possible, then ever longer digests."""
    if READABLE.fullmatch(platform_user.subject):
        yield f"{platform.name}-{platform_user.subject}"
    identity = "\0".join((platform.issuer, platform.client_id, platform_user.deployment, platform_user.subject))
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    for length in (10, 20, 40):
        yield f"{platform.name}-{digest[:length]}"
