"""Invite people by personal links, whose secrets the store never has."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from autograder.faults import CallerFault
from autograder.store.audit import AuditContext, get_os_user_name
from autograder.text import choose_by_count, escape_for_display, join_with_and
from autograder.web.store.accounts import Enrolment
from autograder.web.store.roll import CourseMember, MemberDetails
from autograder.web.store.server_store import ServerStore

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


def make_random_token() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(32)


def is_well_formed_token(text: object) -> bool:
    """Return whether a text could be a token."""
    return isinstance(text, str) and bool(TOKEN.fullmatch(text))


LOGIN = re.compile(r"[a-z0-9][a-z0-9._@+'-]{0,79}")
"""The form of a login, e-mail addresses included; it becomes part of a submission's id and of a file's name."""


def enrol_with_sign_in_link(
    store: ServerStore, course: str, new: MemberDetails, *, valid_days: int = 14
) -> tuple[Enrolment, str]:
    """Add somebody to a course from the shell, and return them with the path of their new link; an older link ends.

    Args:
        store: keeps the account.
        course: the key of the course in the store.
        new: who is added, and as what; takes the place of an earlier enrolment, but for what is empty.
        valid_days: how long the link works.

    Raises:
        CallerFault: that is no login.
    """
    require_well_formed_logins([new.login])
    login, context = new.login.strip().lower(), make_shell_context(course)
    with store.group():
        before = store.roll.find_member(course, login)
        section = new.section or (before.section if before else "")
        address = new.address or (before.address if before else "")
        details = replace(new, login=login, section=section, address=address)
        store.roll.save_member(context, context.account, details, before)
        return make_personal_link(store, context, context.account, login, valid_days)


def make_personal_link(
    store: ServerStore, context: AuditContext, made_by: str, login: str, valid_days: int = 14
) -> tuple[CourseMember, str]:
    """Return a member of a course with the path of their new link; an older one ends. They have access again."""
    token = make_random_token()
    with store.group():
        member = store.roll.find_member(context.class_name, login)
        assert member is not None
        store.roll.set_access(context, made_by, member, may_enter=True)
        store.accounts.replace_invitation(member.account, token, timedelta(days=valid_days))
        store.roll.record_link(context, made_by, member)
    return member, f"/link/{token}"


def mail_invitation(store: ServerStore, context: AuditContext, invited_by: str, member: CourseMember) -> None:
    """Have the server's worker mail a personal link to somebody whose address is known. They have access again."""
    with store.group():
        store.roll.set_access(context, invited_by, member, may_enter=True)
        store.mails.queue_link_mail(context.class_name, member.account, "invitation")
        store.roll.record_link(context, invited_by, member, "mailed")


def make_shell_context(course: str) -> AuditContext:
    """Return what the audit log says of a command about people."""
    return AuditContext("people", get_os_user_name(), "", course, "")


def require_well_formed_logins(logins: Iterable[str]) -> None:
    """Raise ``CallerFault`` with all those that are no logins, as people write them."""
    wrong = [f"'{escape_for_display(login, 80)}'" for login in logins if not LOGIN.fullmatch(login.strip().lower())]
    if wrong:
        are_no_logins = choose_by_count(len(wrong), "is not a login", "are not logins")
        raise CallerFault(
            f"{join_with_and(wrong)} {are_no_logins}, so nobody was invited",
            advice="write letters without accents, digits and . _ @ + ' - (at most 80), such as ada@uni.example",
        )


def revoke_access(store: ServerStore, course: str, login: str) -> Enrolment:
    """End the access of an account from the shell: its link, all sessions, and signing in again.

    What it handed in stays.

    Raises:
        CallerFault: nobody in the course is called so.
    """
    person = store.roll.find_member(course, login.strip().lower())
    if person is None:
        raise CallerFault(
            f"no member of this course has the login '{escape_for_display(login, 80)}'",
            advice="write the login as `autograder invite` was given it",
        )
    context = make_shell_context(course)
    end_access(store, context, context.account, person)
    return person


def end_access(store: ServerStore, context: AuditContext, ended_by: str, member: CourseMember) -> None:
    """End somebody's access to a course, with their link and all sessions."""
    with store.group():
        store.roll.set_access(context, ended_by, member, may_enter=False)
        store.accounts.revoke_invitation_and_sign_ins(member.account)


def is_well_formed_login(text: object) -> bool:
    """Return whether a text can be a login."""
    return isinstance(text, str) and bool(LOGIN.fullmatch(text))
