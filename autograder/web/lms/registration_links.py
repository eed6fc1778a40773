"""Make one-time links for platforms to register this tool; without them, anyone could add a platform here."""

from __future__ import annotations

from datetime import timedelta

from autograder.web.people import hash_token, make_random_token
from autograder.web.store.lti.audit import LtiActor, record_lti_change
from autograder.web.store.server_store import ServerStore

LIFETIME = timedelta(days=1)


def create_registration_link(store: ServerStore, course: str, done_by: LtiActor, *, allow_private: bool) -> str:
    """Save a new link, and return its path.

    Args:
        store: keeps its digest.
        course: the course here.
        done_by: who makes it, for the audit log.
        allow_private: whether the platform's addresses may be plain HTTP and in a private network.
    """
    token = make_random_token()
    change = "private networks, too" if allow_private else "made"
    with store.group():
        store.lti_tickets.add("registration", hash_token(token), {"allow_private": allow_private}, LIFETIME)
        record_lti_change(store.audit, course, done_by, "link to register", "", change)
    return f"/lti/register/{token}"
