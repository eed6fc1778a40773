"""Show people their account: where they are signed in, which mails they get, and how they hand in from a shell."""

from __future__ import annotations

from datetime import timedelta

from flask import render_template, request, session
from flask.typing import ResponseReturnValue

from autograder.web.people import make_random_token
from autograder.web.request import STUDENTS, Pages, Permission, current, see_other
from autograder.web.store.mails import KINDS, MailKind

SHELL_WORKS_FOR = timedelta(days=180)
"""The life of a token for a shell: a term."""
TITLES: dict[MailKind, str] = {
    "receipt": "when something was handed in",
    "result": "when a result is there",
    "answer": "when the staff answered a question",
}
pages = Pages("account_pages", __name__)


@pages.on_get("/account", Permission.SEE_COURSE)
def show_account() -> ResponseReturnValue:
    """Show the account of the person who asks."""
    return _show()


@pages.on_post("/account/mail", Permission.CHOOSE_MAIL)
def save_mail_settings() -> ResponseReturnValue:
    """Save which mails a student wants; choices for kinds that are not offered now stay as they are."""
    store, account = current.store, current.person.account
    wanted, offered = {*request.form.getlist("wanted")}, list_offered_mail_kinds()
    before = store.mail_settings.load_recipient_settings(account).unwanted
    unwanted = {kind for kind in KINDS if (kind not in wanted if kind in offered else kind in before)}
    store.mail_settings.save_unwanted_mail_kinds(account, unwanted)
    return see_other("account_pages.show_account", saved="yes")


@pages.on_post("/account/token", Permission.HAND_IN)
def make_shell_token() -> ResponseReturnValue:
    """Make a token with which a student hands in from a shell, and show it this once."""
    token = make_random_token()
    current.store.accounts.add_sign_in(current.person.account, token, SHELL_WORKS_FOR, is_shell=True)
    return _show(token)


@pages.on_post("/account/sign-out-everywhere", Permission.SEE_COURSE)
def sign_out_everywhere() -> ResponseReturnValue:
    """End the person's sessions in all browsers and all tokens for shells, this browser's session included."""
    current.store.accounts.revoke_invitation_and_sign_ins(current.person.account)
    session.clear()
    return see_other("sign_in_pages.show_sign_in")


def list_offered_mail_kinds() -> tuple[MailKind, ...]:
    """Return the mails that this server sends and this course does not turn off."""
    course = current.course.mail
    return tuple(kind for kind in KINDS if getattr(course, kind)) if current.settings.mail_server else ()


def _show(new_token: str = "") -> str:
    account, accounts = current.person.account, current.store.accounts
    settings = current.store.mail_settings.load_recipient_settings(account)
    return render_template(
        "account.html.j2",
        address=settings.address,
        kinds=[(kind, TITLES[kind], kind not in settings.unwanted) for kind in list_offered_mail_kinds()],
        is_saved=request.args.get("saved") == "yes",
        hands_in=current.person.role in STUDENTS,
        browsers=accounts.count_sign_ins(account, is_shell=False),
        shells=accounts.count_sign_ins(account, is_shell=True),
        assignments=current.course.assignments,
        new_token=new_token,
        url=current.settings.course_url,
    )
