"""Record changes and messages of LTI in the audit log: platforms, courses, people, deadlines, marks."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.store.audit_event_state import AuditState
from autograder.store.audit_log import AuditLog
from autograder.store.audit_model import AuditContext, AuditEvent
from autograder.store.web.account_tables import Enrolment


@dataclass(frozen=True, slots=True)
class LtiActor:
    """The person or program that does something by LTI."""

    account: str
    """As the audit log names accounts: ``web:LOGIN``, or the user of the system."""
    name: str = ""


PLATFORM = LtiActor("lti", "the LMS")
"""A platform as the actor, proved by the signature of its message."""


def make_lti_actor_from_enrolment(person: Enrolment) -> LtiActor:
    """Return somebody who is signed in on the web."""
    return LtiActor(person.audit_account, person.name)


def make_lti_change_event(
    what_changes: str,
    before: str,
    after: str,
    *,
    platform_or_lms_course: str = "",
    about_person: Enrolment | None = None,
    subject_on_platform: str = "",
) -> AuditEvent:
    """Return a change for the audit log.

    Args:
        what_changes: what is changed or sent.
        before: what it was; empty for nothing.
        after: what it is now.
        platform_or_lms_course: the platform, or the course there.
        about_person: the person here whom it is about, if there is one.
        subject_on_platform: the person's id on the platform; without person and id, the event is about the whole
            class.
    """
    label, login = (
        (about_person.name, about_person.login) if about_person else (subject_on_platform or "everyone", "")
    )
    return AuditEvent(
        changed_item=what_changes,
        target=platform_or_lms_course,
        student=subject_on_platform,
        student_label=label,
        submission=login,
        before=before,
        after=after,
    )


def add_lti_audit_event(
    audit: AuditLog,
    course: str,
    done_by: LtiActor,
    event: AuditEvent,
    assignment: str = "",
    state: AuditState = "decided",
) -> int:
    """Add a row to the audit log, and return its id.

    Args:
        audit: the log.
        course: the course here.
        done_by: who does it.
        event: what is done.
        assignment: the assignment that it is about; empty for all.
        state: how far it is.
    """
    action = AuditContext("lms", done_by.account, "lti", course, assignment)
    return audit.add_events(action, [event], state, done_by.name)[0]
