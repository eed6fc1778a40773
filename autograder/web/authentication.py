"""Identify the sender of a request, by the cookie of a signed-in browser or by a trusted reverse proxy's header."""

from __future__ import annotations

from datetime import timedelta

from flask import abort, request, session

from autograder.store.web.account_tables import Enrolment
from autograder.web.invitations import is_well_formed_login
from autograder.web.random_tokens import hash_token, is_well_formed_token, make_random_token
from autograder.web.request_context import get_course_key_in_store, get_served_course_settings, get_store

SIGNED_IN_FOR = timedelta(days=14)
COOKIE_KEY = "token"


def get_current_user() -> Enrolment | None:
    """Return the person who sends the request; None if no one is signed in.

    A request with the proxy's header is refused with status 403 if it does not come from the proxy (the header may be
    forged), or if the header does not name exactly one member of this course.
    """
    settings = get_served_course_settings()
    header_logins = request.headers.getlist(settings.user_header) if settings.user_header else []
    if header_logins:
        if request.remote_addr != settings.trusted_proxy:
            abort(403, "This request names a signed-in person but does not come from the trusted proxy.")
        login = header_logins[0].strip().lower()
        person = None
        if len(header_logins) == 1 and is_well_formed_login(login):
            person = get_store().accounts.find_enrolment(get_course_key_in_store(), login)
        if person is None:
            abort(403, "You are signed in, but not a member of this course. Ask its staff to add you.")
        return person
    token = session.get(COOKIE_KEY)
    if not is_well_formed_token(token):
        return None
    return get_store().accounts.find_signed_in_enrolment(get_course_key_in_store(), hash_token(str(token)))


def sign_in(account_id: int) -> None:
    """Sign the browser in with a new token, and clear its session first: an attacker may have set the old one."""
    session.clear()
    token = make_random_token()
    get_store().accounts.add_sign_in(account_id, hash_token(token), SIGNED_IN_FOR)
    session[COOKIE_KEY] = token
    session.permanent = True


def sign_out_browser() -> None:
    """Sign the browser out, here and in the store."""
    token = session.get(COOKIE_KEY)
    if is_well_formed_token(token):
        get_store().accounts.sign_out(hash_token(str(token)))
    session.clear()
