"""Let students say which mails they get."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from autograder.store.web.mail_settings_table import KINDS, MailKind
from autograder.web.request_context import (
    get_course,
    get_person_or_401,
    get_served_course_settings,
    get_store,
    see_other,
)
from autograder.web.role_permissions import Permission, requires

pages = Blueprint("mail_settings_pages", __name__)
TITLES: dict[MailKind, str] = {
    "receipt": "when something was handed in",
    "result": "when a result is there",
    "answer": "when the staff answered a question",
}


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
    return see_other("mail_settings_pages.show_mail_settings", saved="yes")


def list_offered_mail_kinds() -> tuple[MailKind, ...]:
    """Return the mails that this server sends and this course does not turn off."""
    course = get_course().mail
    return tuple(kind for kind in KINDS if getattr(course, kind)) if get_served_course_settings().mail_server else ()
