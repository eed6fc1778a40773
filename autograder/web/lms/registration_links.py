"""Make one-time links for platforms to register this tool; without them, anyone could add a platform here."""

from __future__ import annotations

from datetime import timedelta

from autograder.store.lti.lti_audit_events import LtiActor, add_lti_audit_event, make_lti_change_event
from autograder.store.store import Store
from autograder.web.random_tokens import hash_token, make_random_token

LIFETIME = timedelta(days=1)


def create_registration_link(store: Store, course: str, done_by: LtiActor, *, allow_private: bool) -> str:
    """Save a new link, and return its path.

    Args:
        store: keeps its digest.
        course: the course here.
        done_by: who makes it, for the audit log.
        allow_private: whether the platform's addresses may be plain HTTP and in a private network.
    """
    token = make_random_token()
    change = make_lti_change_event("link to register", "", "private networks, too" if allow_private else "made")
    with store.group():
        store.lti_tickets.add("registration", hash_token(token), {"allow_private": allow_private}, LIFETIME)
        add_lti_audit_event(store.audit, course, done_by, change)
    return f"/lti/register/{token}"
