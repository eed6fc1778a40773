"""Sign in by a personal link, or in a demo by a click; sign out."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from autograder.web.context import get_course_key, get_settings, get_store
from autograder.web.permissions import Action, needs
from autograder.web.request_identity import sign_in, sign_out
from autograder.web.tokens import hash_token, is_token

pages = Blueprint("sign_in_pages", __name__)


@pages.get("/sign-in")
@needs(Action.SIGN_IN)
def ask() -> ResponseReturnValue:
    """Say how to sign in; in a demo, offer everybody there is."""
    people = get_store().accounts.list_enrolments(get_course_key()) if get_settings().demo else []
    return render_template("sign_in.html.j2", people=sorted(people, key=lambda one: one.role == "student"))


@pages.get("/link/<token>")
@needs(Action.SIGN_IN)
def show_link(token: str) -> ResponseReturnValue:
    """Show the button behind a personal link. Looking at it changes nothing: scanners of mail follow links, too."""
    accounts = get_store().accounts
    account = accounts.find_invited(hash_token(token)) if is_token(token) else None
    invited = accounts.find_enrolment_by_account(get_course_key(), account) if account else None
    return render_template("link.html.j2", invited=invited, token=token), 200 if invited else 404


@pages.post("/link/<token>")
@needs(Action.SIGN_IN)
def use_link(token: str) -> ResponseReturnValue:
    """Use a personal link up, and sign in."""
    account = get_store().accounts.use_invitation(hash_token(token)) if is_token(token) else None
    if account is None:
        return render_template("link.html.j2", invited=None, token=token), 404
    sign_in(account)
    return redirect(url_for("student_pages.show_assignments"), 303)


@pages.post("/demo")
@needs(Action.SIGN_IN)
def use_demo() -> ResponseReturnValue:
    """Sign in as anybody; there is no such page outside a demo."""
    if not get_settings().demo:
        abort(404)
    person = get_store().accounts.find_enrolment(get_course_key(), request.form.get("login", ""))
    if person is None:
        abort(404)
    sign_in(person.account)
    return redirect(url_for("student_pages.show_assignments"), 303)


@pages.post("/sign-out")
@needs(Action.SIGN_IN)
def end() -> ResponseReturnValue:
    """Sign out."""
    sign_out()
    return redirect(url_for("sign_in_pages.ask"), 303)
