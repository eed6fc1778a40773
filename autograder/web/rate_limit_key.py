"""Choose the key by which requests are counted for rate limits."""

from __future__ import annotations

from flask import g, request

from autograder.store.web.account_tables import Enrolment
from autograder.web.request_context import get_served_course_settings


def make_rate_limit_key() -> str:
    """Return the key of the current request: its account, or its address if no one is signed in."""
    person: Enrolment | None = g.get("person")
    if person:
        return f"account {person.account}"
    address = request.remote_addr or ""
    forwarded_for = request.headers.get("X-Forwarded-For", "")
    if forwarded_for and address == get_served_course_settings().trusted_proxy:
        address = forwarded_for.rpartition(",")[2].strip()  # the last is the one that the proxy itself saw
    return f"address {address}"
