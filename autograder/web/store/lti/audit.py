"""Record changes and messages of LTI in the audit log: platforms, courses, people, deadlines, marks."""

from __future__ import annotations

from typing import NamedTuple, TypedDict, Unpack

from autograder.store.audit import AuditContext, AuditEvent, AuditLog, AuditState
from autograder.web.store.accounts import Enrolment


class LtiActor(NamedTuple):
    """The person or program that does something by LTI."""

    account: str
    """As the audit log names accounts: ``web:LOGIN``, or the user of the system."""
    name: str = ""


PLATFORM = LtiActor("lti", "the LMS")
"""A platform as the actor, proved by the signature of its message."""


def make_lti_actor_from_enrolment(person: Enrolment) -> LtiActor:
    """Return somebody who is signed in on the web."""
    return LtiActor(person.audit_account, person.name)


class ChangeDetails(TypedDict, total=False):
    """What else is known of a change."""

    place: str
    """The platform, or the course there."""
    about: Enrolment | None
    """The person here whom it is about."""
    subject: str
    """The person's id on the platform; without person and id, the change is about the whole class."""
    assignment: str
    """The assignment that it is about; all if left out."""
    state: AuditState
    """How far it is; ``decided`` if left out."""


def record_lti_change(
    audit: AuditLog,
    course: str,
    done_by: LtiActor,
    what: str,
    before: str,
    after: str,
    **details: Unpack[ChangeDetails],
) -> int:
    """Add a row to the audit log, and return its id.

    Args:
        audit: the log.
        course: the course here.
        done_by: who does it.
        what: what is changed or sent.
        before: what it was; empty for nothing.
        after: what it is now.
        details: what else is known of it.
    """
    about, subject = details.get("about"), details.get("subject", "")
    event = AuditEvent(
        changed_item=what,
        target=details.get("place", ""),
        student=subject,
        student_label=about.name if about else subject or "everyone",
        submission=about.login if about else "",
        before=before,
        after=after,
    )
    context = AuditContext("lms", done_by.account, "lti", course, details.get("assignment", ""))
    return audit.add_events(context, [event], details.get("state", "decided"), done_by.name)[0]
