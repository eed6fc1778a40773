"""Sign people in: by a personal link, a link that is mailed to them, or a trusted proxy."""

from __future__ import annotations

from datetime import timedelta

from flask import abort, render_template, request, session
from flask.typing import ResponseReturnValue

from autograder.web.people import is_well_formed_login, make_random_token
from autograder.web.request import Pages, Permission, current, see_other
from autograder.web.settings import is_mail_address
from autograder.web.store.accounts import Enrolment

SIGNED_IN_FOR = timedelta(days=14)
COOKIE_KEY = "token"
MOST_OFFERED = 12
"""How many people of a demo have a button; others are signed in by login."""


def get_current_user() -> Enrolment | None:
    """Return the person who sends the request; None if no one is signed in.

    A request with the proxy's header is refused with status 403 if it does not come from the proxy (the header may be
    forged), or if the header does not name exactly one member of this course.
    """
    settings = current.settings
    header_logins = request.headers.getlist(settings.user_header) if settings.user_header else []
    if header_logins:
        if request.remote_addr != settings.trusted_proxy:
            abort(403, "This request names a signed-in person but does not come from the trusted proxy.")
        login = header_logins[0].strip().lower()
        person = None
        if len(header_logins) == 1 and is_well_formed_login(login):
            person = current.store.accounts.find_enrolment(current.course_key, login)
        if person is None:
            abort(403, "You are signed in, but not a member of this course. Ask its staff to add you.")
        return person
    token = session.get(COOKIE_KEY)
    if not token:
        return None
    accounts = current.store.accounts
    person = accounts.find_signed_in_enrolment(current.course_key, str(token))
    if person:
        accounts.renew_sign_in(str(token), SIGNED_IN_FOR)
    return person


def sign_in(account_id: int) -> None:
    """Sign the browser in with a new token, and clear its session first: an attacker may have set the old one."""
    session.clear()
    token = make_random_token()
    current.store.accounts.add_sign_in(account_id, token, SIGNED_IN_FOR)
    session[COOKIE_KEY] = token
    session.permanent = True


pages = Pages("sign_in_pages", __name__)


@pages.on_get("/sign-in", Permission.SIGN_IN)
def show_sign_in() -> ResponseReturnValue:
    """Show how to sign in; in a demo, offer the staff, and those students who were added first."""
    people = current.store.accounts.list_enrolments(current.course_key) if current.settings.demo else []
    by_role = sorted(people, key=lambda person: (person.role == "student", person.account))
    return render_template("sign_in.html.j2", people=by_role[:MOST_OFFERED], others=len(by_role[MOST_OFFERED:]))


@pages.on_post("/sign-in", Permission.SIGN_IN)
def mail_sign_in_link() -> ResponseReturnValue:
    """Mail a link to whom an address belongs. The answer is the same for an address that nobody has."""
    if current.settings.mail_server is None:
        abort(404)
    address = request.form.get("address", "").strip()
    if not is_mail_address(address):
        return render_template("sign_in.html.j2", people=[], refused="That is no e-mail address."), 422
    for person in current.store.accounts.find_enrolments_by_address(current.course_key, address):
        current.store.mails.queue_link_mail(current.course_key, person.account, "sign-in")
    return render_template("sign_in.html.j2", people=[], sent_to=address)


@pages.on_get("/link/<token>", Permission.SIGN_IN)
def show_sign_in_link_page(token: str) -> ResponseReturnValue:
    """Show the sign-in button of a personal link. Opening the page changes nothing: mail scanners open links, too."""
    accounts = current.store.accounts
    account = accounts.find_invited_account(token)
    invited_person = accounts.find_enrolment_by_account(current.course_key, account) if account else None
    return render_template("link.html.j2", invited=invited_person, token=token), 200 if invited_person else 404


@pages.on_post("/link/<token>", Permission.SIGN_IN)
def sign_in_with_link(token: str) -> ResponseReturnValue:
    """Use a personal link up, and sign in."""
    account = current.store.accounts.try_redeem_invitation(token)
    if account is None:
        return render_template("link.html.j2", invited=None, token=token), 404
    sign_in(account)
    return see_other("student_assignment_pages.show_assignments")


@pages.on_post("/demo", Permission.SIGN_IN)
def sign_in_as_demo_person() -> ResponseReturnValue:
    """Sign in as the chosen person; the page exists only in a demo."""
    if not current.settings.demo:
        abort(404)
    person = current.store.accounts.find_enrolment(current.course_key, request.form.get("login", ""))
    if person is None:
        abort(404)
    sign_in(person.account)
    return see_other("student_assignment_pages.show_assignments")


@pages.on_post("/sign-out", Permission.SIGN_IN)
def end_session() -> ResponseReturnValue:
    """Sign the browser out, here and in the store."""
    token = session.get(COOKIE_KEY)
    if token:
        current.store.accounts.sign_out(str(token))
    session.clear()
    return see_other("sign_in_pages.show_sign_in")
