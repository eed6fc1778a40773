"""Define which roles may do what, in one table for all pages; everything else is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])

NOBODY = "nobody"
"""The role of a visitor who is not signed in."""
STUDENTS: tuple[str, ...] = ("student",)
STAFF = ("teaching assistant", "instructor", "administrator")
INSTRUCTORS = ("instructor", "administrator")
"""Roles with the rights of an instructor."""
ADMINISTRATORS = ("administrator",)
MEMBERS = (*STUDENTS, *STAFF)
ANYBODY = (NOBODY, *MEMBERS)


class Permission:
    """Who may do what: for each action that pages let people do, the roles that may.

    Students see their own hand-ins and inquiries alone.
    """

    SIGN_IN = LAUNCH = ANYBODY
    SEE_COURSE = SEE_HAND_IN = SEE_INQUIRIES = MEMBERS
    HAND_IN = ASK = CHOOSE_MAIL = STUDENTS
    SEE_CLASS = GRADE = ANSWER = STAFF
    EXTEND = PUBLISH = IMPORT = EXPORT = AUDIT = LINK_PEOPLE = SEND_MARKS = INSTRUCTORS
    SEE_HEALTH = SET_UP_LMS = ADMINISTRATORS


def requires(permission: tuple[str, ...]) -> Callable[[View], View]:
    """Return a decorator that records on a view the roles that may call it, such as ``Permission.GRADE``.

    The decorator checks nothing: before every request, the course's app asks ``may_role_call_view``, which refuses a
    view without recorded roles to everyone. Put it below ``@pages.get(...)``.
    """

    def record(view: View) -> View:
        view.permission = permission  # type: ignore[attr-defined]
        return view

    return record


def may_role_call_view(role: str, view: Callable[..., Any] | None) -> bool:
    """Return whether a role may call a view."""
    return role in getattr(view, "permission", ())
