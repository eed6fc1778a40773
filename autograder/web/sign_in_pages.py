"""The pages of an account: sign in by a personal link, or in a demo by a click; choose mails; sign out."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.store.web.mail_settings_table import KINDS, MailKind
from autograder.web.authentication import sign_in, sign_out_browser
from autograder.web.random_tokens import hash_token, is_well_formed_token
from autograder.web.request_context import (
    get_course,
    get_course_key_in_store,
    get_person_or_401,
    get_served_course_settings,
    get_store,
    see_other,
)
from autograder.web.role_permissions import Permission, requires

pages = Blueprint("sign_in_pages", __name__)
TITLES: dict[MailKind, str] = {
    "receipt": "when something was handed in",
    "result": "when a result is there",
    "answer": "when the staff answered a question",
}


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


@pages.get("/mail")
@requires(Permission.CHOOSE_MAIL)
def show_mail_settings() -> ResponseReturnValue:
    """Show which mails a student gets, and where they go."""
    settings = get_store().mail_settings.load_recipient_settings(get_person_or_401().account)
    offered = list_offered_mail_kinds()
    return render_template(
        "mail.html.j2",
        address=settings.address,
        kinds=[(kind, TITLES[kind], kind not in settings.unwanted) for kind in offered],
        is_saved=request.args.get("saved") == "yes",
    )


@pages.post("/mail")
@requires(Permission.CHOOSE_MAIL)
def save_mail_settings() -> ResponseReturnValue:
    """Save which mails a student wants; choices for kinds that are not offered now stay as they are."""
    store, account = get_store(), get_person_or_401().account
    wanted, offered = {*request.form.getlist("wanted")}, list_offered_mail_kinds()
    before = store.mail_settings.load_recipient_settings(account).unwanted
    unwanted = {kind for kind in KINDS if (kind not in wanted if kind in offered else kind in before)}
    store.mail_settings.save_unwanted_mail_kinds(account, unwanted)
    return see_other("sign_in_pages.show_mail_settings", saved="yes")


def list_offered_mail_kinds() -> tuple[MailKind, ...]:
    """Return the mails that this server sends and this course does not turn off."""
    course = get_course().mail
    return tuple(kind for kind in KINDS if getattr(course, kind)) if get_served_course_settings().mail_server else ()
