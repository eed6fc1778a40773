"""Make the links by which platforms register this tool: without one, anybody could make a platform known here."""

from __future__ import annotations

from datetime import timedelta

from autograder.store.database import Store
from autograder.store.lti_audit import Actor, add_lti_audit_event, make_change_event
from autograder.web.tokens import hash_token, make_token

LIFETIME = timedelta(days=1)


def add_registration_link_path(store: Store, course: str, by: Actor, *, allow_private: bool) -> str:
    """Keep a new link, and return its path.

    Args:
        store: keeps its digest.
        course: the course here.
        by: who makes it, for the audit log.
        allow_private: whether the platform's addresses may be plain HTTP and in a private network.
    """
    token = make_token()
    store.lti_tickets.add("registration", hash_token(token), {"allow_private": allow_private}, LIFETIME)
    change = make_change_event("link to register", "", "private networks, too" if allow_private else "made")
    add_lti_audit_event(store.audit, course, by, change)
    return f"/lti/register/{token}"
