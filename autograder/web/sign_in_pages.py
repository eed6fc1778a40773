"""Sign in by a personal link, or in a demo by a click; sign out."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.web.authentication import sign_in, sign_out_browser
from autograder.web.random_tokens import hash_token, is_well_formed_token
from autograder.web.request_context import get_course_key_in_store, get_served_course_settings, get_store, see_other
from autograder.web.role_permissions import Permission, requires

pages = Blueprint("sign_in_pages", __name__)


@pages.get("/sign-in")
@requires(Permission.SIGN_IN)
def show_sign_in() -> ResponseReturnValue:
    """Show how to sign in; in a demo, offer every person of the course."""
    people = (
        get_store().accounts.list_enrolments(get_course_key_in_store()) if get_served_course_settings().demo else []
    )
    return render_template("sign_in.html.j2", people=sorted(people, key=lambda person: person.role == "student"))


@pages.get("/link/<token>")
@requires(Permission.SIGN_IN)
def show_sign_in_link_page(token: str) -> ResponseReturnValue:
    """Show the sign-in button of a personal link. Opening the page changes nothing: mail scanners open links, too."""
    accounts = get_store().accounts
    account = accounts.find_invited_account(hash_token(token)) if is_well_formed_token(token) else None
    invited_person = accounts.find_enrolment_by_account(get_course_key_in_store(), account) if account else None
    return render_template("link.html.j2", invited=invited_person, token=token), 200 if invited_person else 404


@pages.post("/link/<token>")
@requires(Permission.SIGN_IN)
def sign_in_with_link(token: str) -> ResponseReturnValue:
    """Use a personal link up, and sign in."""
    account = get_store().accounts.try_redeem_invitation(hash_token(token)) if is_well_formed_token(token) else None
    if account is None:
        return render_template("link.html.j2", invited=None, token=token), 404
    sign_in(account)
    return see_other("student_assignment_pages.show_assignments")


@pages.post("/demo")
@requires(Permission.SIGN_IN)
def sign_in_as_demo_person() -> ResponseReturnValue:
    """Sign in as the chosen person; the page exists only in a demo."""
    if not get_served_course_settings().demo:
        abort(404)
    person = get_store().accounts.find_enrolment(get_course_key_in_store(), request.form.get("login", ""))
    if person is None:
        abort(404)
    sign_in(person.account)
    return see_other("student_assignment_pages.show_assignments")


@pages.post("/sign-out")
@requires(Permission.SIGN_IN)
def end_session() -> ResponseReturnValue:
    """Sign out."""
    sign_out_browser()
    return see_other("sign_in_pages.show_sign_in")
