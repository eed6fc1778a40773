"""Find or make the account of a platform's user."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.faults import KitFault
from autograder.store.lti.lti_audit_events import PLATFORM, add_lti_audit_event, make_lti_change_event
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
        person = _add(store, course, platform, platform_user)
    enrolment = store.accounts.find_enrolment_by_account(course, person.account)
    if enrolment is None:  # known from another course of this store
        login = store.accounts.get_login_or_empty(person.account)
        return person, store.accounts.upsert_enrolment(course, login, platform_user.role, platform_user.name)
    is_own = person.account == person.own_account
    role = enrolment.role if keep_role_if_known else platform_user.role
    if is_own and (enrolment.role != role or platform_user.name not in ("", enrolment.name)):
        before = enrolment.role
        enrolment = store.accounts.upsert_enrolment(course, enrolment.login, role, platform_user.name, enrolment.team)
        if before != role:
            _record(store, course, platform, platform_user, enrolment, before)
    return person, enrolment


def _add(store: Store, course: str, platform: LtiPlatform, comer: PlatformUser) -> LtiPerson:
    proposed = _find_proposal(store, course, platform, comer)
    login = next(one for one in _iterate_logins(platform, comer) if not store.accounts.has_login(one))
    enrolment = store.accounts.upsert_enrolment(course, login, comer.role, comer.name)
    try:
        added = store.lti_people.add(
            platform.id, comer.deployment, comer.subject, enrolment.account, proposed, is_test_user=comer.is_test_user
        )
    except KitFault:  # the same person launched in another window a moment ago
        person = store.lti_people.find(platform.id, comer.deployment, comer.subject)
        if person is None:
            raise
        return person
    _record(store, course, platform, comer, enrolment, "")
    return added


def _record(
    store: Store, course: str, platform: LtiPlatform, comer: PlatformUser, enrolment: Enrolment, before: str
) -> None:
    change = make_lti_change_event(
        "account",
        before,
        enrolment.role,
        platform_or_lms_course=platform.name,
        about_person=enrolment,
        subject_on_platform=comer.subject,
    )
    add_lti_audit_event(store.audit, course, PLATFORM, change, state="taken")


def _find_proposal(store: Store, course: str, platform: LtiPlatform, comer: PlatformUser) -> int | None:
    """Return the account of the one student who fits the identifiers and is not linked to a platform user yet."""
    if comer.role != "student" or comer.is_test_user:
        return None
    found = {
        one.account
        for name in comer.known_as
        if (one := store.accounts.find_enrolment(course, name)) is not None and one.role == "student"
    }
    free = [one for one in found if not store.lti_people.list_people_of_account(one)]
    return free[0] if len(found) == len(free) == 1 else None


def _iterate_logins(platform: LtiPlatform, comer: PlatformUser) -> Iterator[str]:
    """Yield candidate logins for a person: a readable one if possible, then ever longer digests."""
    if READABLE.fullmatch(comer.subject):
        yield f"{platform.name}-{comer.subject}"
    identity = "\0".join((platform.issuer, platform.client_id, comer.deployment, comer.subject))
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    for length in (10, 20, 40):
        yield f"{platform.name}-{digest[:length]}"
