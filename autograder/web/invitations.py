"""Invite people: make their accounts, and the personal links with which they sign in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from autograder.english_wording import choose_by_count, join_with_and
from autograder.faults import CallerFault
from autograder.safe_text import escape_for_display
from autograder.store.store import Store
from autograder.store.web.account_tables import Enrolment, Role
from autograder.web.random_tokens import hash_token, make_random_token

LOGIN = re.compile(r"[a-z0-9][a-z0-9._@+'-]{0,79}")
"""The form of a login, e-mail addresses included; it becomes part of a submission's id and of a file's name."""


@dataclass(frozen=True, slots=True)
class EnrolmentDetails:
    """A person who is to be in a course, and their role."""

    login: str
    """Names the account: in reports, in the gradebook, and by a trusted proxy."""
    role: Role
    person_name: str = ""
    """The name that people call them; the login when empty."""
    team: str = ""
    """Students of the same team hand in together."""


def enrol_with_sign_in_link(
    store: Store, course: str, new: EnrolmentDetails, *, valid_days: int = 14
) -> tuple[Enrolment, str]:
    """Add somebody to a course, and return them with the path of their new link; an older link ends.

    Args:
        store: keeps the account.
        course: the key of the course in the store.
        new: who is added, and as what; takes the place of an earlier enrolment.
        valid_days: how long the link works.

    Raises:
        CallerFault: that is no login.
    """
    require_well_formed_logins([new.login])
    login = new.login.strip().lower()
    person = store.accounts.upsert_enrolment(course, login, new.role, new.person_name, new.team)
    token = make_random_token()
    store.accounts.replace_invitation(person.account, hash_token(token), timedelta(days=valid_days))
    return person, f"/link/{token}"


def require_well_formed_logins(logins: Iterable[str]) -> None:
    """Raise ``CallerFault`` with all those that are no logins, as people write them."""
    wrong = [f"'{escape_for_display(login, 80)}'" for login in logins if not LOGIN.fullmatch(login.strip().lower())]
    if wrong:
        are_no_logins = choose_by_count(len(wrong), "is not a login", "are not logins")
        raise CallerFault(
            f"{join_with_and(wrong)} {are_no_logins}, so nobody was invited",
            advice="write letters without accents, digits and . _ @ + ' - (at most 80), such as ada@uni.example",
        )


def revoke_access(store: Store, course: str, login: str) -> Enrolment:
    """End the link and all sessions of an account; what it handed in stays.

    Raises:
        CallerFault: nobody in the course is called so.
    """
    person = store.accounts.find_enrolment(course, login.strip().lower())
    if person is None:
        raise CallerFault(
            f"no member of this course has the login '{escape_for_display(login, 80)}'",
            advice="write the login as `autograder invite` was given it",
        )
    store.accounts.revoke_invitation_and_sign_ins(person.account)
    return person


def is_well_formed_login(text: object) -> bool:
    """Return whether a text can be a login."""
    return isinstance(text, str) and bool(LOGIN.fullmatch(text))
