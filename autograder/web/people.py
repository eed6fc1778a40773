"""Invite people by personal links, whose secrets the store never has, and make the class of a demo."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from datetime import timedelta

from autograder.course import load_course
from autograder.faults import CallerFault
from autograder.text import choose_by_count, escape_for_display, join_with_and
from autograder.web.settings import CourseServerSettings
from autograder.web.store.accounts import Enrolment, Role
from autograder.web.store.hand_ins import NewHandIn
from autograder.web.store.server_store import ServerStore, open_server_store

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


def make_random_token() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(32)


def is_well_formed_token(text: object) -> bool:
    """Return whether a text could be a token."""
    return isinstance(text, str) and bool(TOKEN.fullmatch(text))


LOGIN = re.compile(r"[a-z0-9][a-z0-9._@+'-]{0,79}")
"""The form of a login, e-mail addresses included; it becomes part of a submission's id and of a file's name."""


def enrol(
    store: ServerStore, course: str, login: str, role: Role, person_name: str = "", team: str = ""
) -> Enrolment:
    """Add somebody to a course, or change what they are there.

    Args:
        store: keeps the account.
        course: the key of the course in the store.
        login: names the account: in reports, in the gradebook, and by a trusted proxy.
        role: what they are.
        person_name: the name that people call them; the login when empty.
        team: students of the same team hand in together.

    Raises:
        CallerFault: that is no login.
    """
    require_well_formed_logins([login])
    return store.accounts.upsert_enrolment(course, login.strip().lower(), role, person_name, team)


def make_sign_in_link(store: ServerStore, person: Enrolment, valid_days: int = 14) -> str:
    """Return the path of a new personal link; an older link of the person ends."""
    token = make_random_token()
    store.accounts.replace_invitation(person.account, token, timedelta(days=valid_days))
    return f"/link/{token}"


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


STAFF: tuple[tuple[str, str, Role], ...] = (
    ("tess", "Tess Adler", "teaching assistant"),
    ("ines", "Ines Moreau", "instructor"),
    ("admin", "Alex Berg", "administrator"),
)
STUDENTS = (
    ("ada", "Ada Okafor", ""), ("bob", "Bob Larsen", ""),
    ("chen", "Chen Wei", "pair-1"), ("dana", "Dana Novák", "pair-1"),
    ("emre", "Emre Kaya", ""), ("fay", "Fay O’Brien", ""), ("gus", "Gus Papadakis", ""), ("hana", "Hana Suzuki", ""),
)  # fmt: skip
FIRST = "ada"
"""The login of a demo student without hand-ins, so that a visitor can try the first one."""


def ensure_demo_class(settings: CourseServerSettings) -> None:
    """Save the people of the demo, and hand in the examples of the first assignment unless anything was handed in.

    The people's names, roles and teams are replaced each time.

    Raises:
        CourseFault: the course does not hold together.
        CallerFault: the store cannot be opened.
    """
    course, key = load_course(settings.course), settings.location.class_key_in_store
    assignment = course.assignments[0]
    with open_server_store(settings.location) as store:
        for login, name, role in STAFF:
            store.accounts.upsert_enrolment(key, login, role, name)
        for login, name, team in STUDENTS:
            store.accounts.upsert_enrolment(key, login, "student", name, team)
        if store.hand_ins.list_hand_ins(key, assignment.name):
            return
        examples = sorted((course.folder / "examples" / "submissions").glob("*.py"))
        students = [login for login, _, _ in STUDENTS if login != FIRST]
        for login, path in zip(students, examples, strict=False):
            person = store.accounts.find_enrolment(key, login)
            assert person is not None
            members = [
                person,
                *(member for member in store.accounts.list_team_members(key, person) if member != person),
            ]
            store.hand_ins.add_hand_in_unless_duplicate(
                NewHandIn(
                    course=key,
                    assignment=assignment.name,
                    members=members,
                    file_name=path.name,
                    content=path.read_bytes(),
                )
            )
