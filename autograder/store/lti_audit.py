"""Record in the audit log what is changed or sent by LTI: platforms, courses, people, deadlines, marks."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from autograder.store.account_table import Enrolment
from autograder.store.audit_log import AuditContext, AuditEvent, AuditLog
from autograder.store.last_written_change import AuditState


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something by LTI."""

    account: str
    """As the audit log names accounts: ``web:LOGIN``, or the user of the system."""
    name: str = ""


PLATFORM = Actor("lti", "the LMS")
"""A message of a platform, which its signature proves."""


def make_web_actor(person: Enrolment) -> Actor:
    """Return somebody who is signed in on the web."""
    return Actor(f"web:{person.login}", person.name)


def make_change_event(
    what: str, before: str, after: str, *, place: str = "", about: Enrolment | None = None, subject: str = ""
) -> AuditEvent:
    """Return a change for the audit log.

    Args:
        what: what is changed or sent.
        before: what it was; empty for nothing.
        after: what it is now.
        place: the platform, or the course there.
        about: the person here whom it is about, if there is one.
        subject: what the platform calls them; the whole class is meant where neither is said.
    """
    label, login = (about.name, about.login) if about else (subject or "everyone", "")
    return AuditEvent(what, place, subject, label, login, before, after)


def add_lti_audit_event(
    audit: AuditLog, course: str, by: Actor, event: AuditEvent, assignment: str = "", state: AuditState = "decided"
) -> int:
    """Add a row to the audit log, and return its id.

    Args:
        audit: the log.
        course: the course here.
        by: who does it.
        event: what is done.
        assignment: the assignment that it is about; empty for all.
        state: how far it is.
    """
    action = AuditContext("lms", by.account, "lti", course, assignment, uuid.uuid4().hex)
    return audit.add_events(action, [event], state, by.name)[0]
