"""Define which roles may do what, in one table for all pages; everything else is refused."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar, get_args

from autograder.store.web.account_tables import Role

View = TypeVar("View", bound=Callable[..., Any])

NOBODY = "nobody"
"""The role of a visitor who is not signed in."""
STAFF: tuple[Role, ...] = ("teaching assistant", "instructor", "administrator")
INSTRUCTORS: tuple[Role, ...] = ("instructor", "administrator")
"""Roles with the rights of an instructor."""
ALL: tuple[Role, ...] = get_args(Role)


class Permission(Enum):
    """An action that a page lets somebody do."""

    SIGN_IN = "sign in"
    LAUNCH = "come in from an LMS, which says who it is"
    SEE_COURSE = "see the assignments"
    HAND_IN = "hand in"
    SEE_HAND_IN = "see a hand-in; students see their own alone"
    SEE_INQUIRIES = "see inquiries, and close them; students see their own alone"
    ASK = "ask about a result of their own"
    CHOOSE_MAIL = "say which mails one gets"
    ANSWER = "answer inquiries"
    SEE_CLASS = "see the class and everybody in it"
    GRADE = "override points, comment, grade again"
    EXTEND = "move a deadline, and undo what was decided"
    PUBLISH = "publish results, and take them back"
    IMPORT = "bring in a platform's download"
    EXPORT = "see and download what platforms take of a class"
    LINK_PEOPLE = "say whether somebody from an LMS is a student of the class, and read its list of members"
    SET_UP_LMS = "let an LMS and its courses in"
    SEND_MARKS = "see which marks went to an LMS, send them again, say when they are sent"
    SEE_HEALTH = "see how the server is"
    AUDIT = "read the audit log"


ALLOWED: dict[Permission, tuple[str, ...]] = {
    Permission.SIGN_IN: (NOBODY, *ALL),
    Permission.LAUNCH: (NOBODY, *ALL),
    Permission.SEE_COURSE: ALL,
    Permission.HAND_IN: ("student",),
    Permission.SEE_HAND_IN: ALL,
    Permission.SEE_INQUIRIES: ALL,
    Permission.ASK: ("student",),
    Permission.CHOOSE_MAIL: ("student",),
    Permission.ANSWER: STAFF,
    Permission.SEE_CLASS: STAFF,
    Permission.GRADE: STAFF,
    Permission.EXTEND: INSTRUCTORS,
    Permission.PUBLISH: INSTRUCTORS,
    Permission.IMPORT: INSTRUCTORS,
    Permission.EXPORT: INSTRUCTORS,
    Permission.LINK_PEOPLE: INSTRUCTORS,
    Permission.SET_UP_LMS: ("administrator",),
    Permission.SEND_MARKS: INSTRUCTORS,
    Permission.SEE_HEALTH: ("administrator",),
    Permission.AUDIT: INSTRUCTORS,
}


def requires(permission: Permission) -> Callable[[View], View]:
    """Return a decorator that records on a view the permission that a visitor needs to call it.

    The decorator checks nothing: before every request, the course's app asks ``may_role_call_view``, which refuses a
    view without a recorded permission to everyone. Put it below ``@pages.get(...)``.
    """

    def record(view: View) -> View:
        view.permission = permission  # type: ignore[attr-defined]
        return view

    return record


def may_role_call_view(role: str, view: Callable[..., Any] | None) -> bool:
    """Return whether a role may call a view."""
    permission = getattr(view, "permission", None)
    return permission is not None and role in ALLOWED[permission]
