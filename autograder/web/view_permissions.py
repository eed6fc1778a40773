"""Say who may do what: one table for all pages. What it does not name, nobody may do."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar, get_args

from autograder.store.account_and_sign_in_table import Role

View = TypeVar("View", bound=Callable[..., Any])

NOBODY = "nobody"
"""The role of who is not signed in."""
STAFF: tuple[Role, ...] = ("teaching assistant", "instructor", "administrator")
TEACHERS: tuple[Role, ...] = ("instructor", "administrator")
ALL: tuple[Role, ...] = get_args(Role)


class Action(Enum):
    """What a page lets somebody do."""

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


ALLOWED: dict[Action, tuple[str, ...]] = {
    Action.SIGN_IN: (NOBODY, *ALL),
    Action.LAUNCH: (NOBODY, *ALL),
    Action.SEE_COURSE: ALL,
    Action.HAND_IN: ("student",),
    Action.SEE_HAND_IN: ALL,
    Action.SEE_INQUIRIES: ALL,
    Action.ASK: ("student",),
    Action.CHOOSE_MAIL: ("student",),
    Action.ANSWER: STAFF,
    Action.SEE_CLASS: STAFF,
    Action.GRADE: STAFF,
    Action.EXTEND: TEACHERS,
    Action.PUBLISH: TEACHERS,
    Action.IMPORT: TEACHERS,
    Action.EXPORT: TEACHERS,
    Action.LINK_PEOPLE: TEACHERS,
    Action.SET_UP_LMS: ("administrator",),
    Action.SEND_MARKS: TEACHERS,
    Action.SEE_HEALTH: ("administrator",),
    Action.AUDIT: TEACHERS,
}


def mark_view_as_needing(action: Action) -> Callable[[View], View]:
    """Mark what somebody does by calling a view; a view without a mark is refused to everybody."""

    def mark(view: View) -> View:
        view.action = action  # type: ignore[attr-defined]
        return view

    return mark


def may_role_call_view(role: str, view: Callable[..., Any] | None) -> bool:
    """Return whether a role may call a view."""
    action = getattr(view, "action", None)
    return action is not None and role in ALLOWED[action]
