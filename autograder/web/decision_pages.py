"""What the staff decides on a student's page; the rules are those of ``autograder decide``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from autograder.batch.opened_class import OpenedGradedClass
from autograder.decisions import EVERYONE, Decision, DecisionMaker
from autograder.decisions.check_decision import check_and_normalize_decision
from autograder.decisions.decision_model import ABOUT_SUBMISSIONS
from autograder.faults import CallerFault
from autograder.store.hand_in_table import HandIn
from autograder.web.class_pages import get_student, render_class, render_student
from autograder.web.class_results import ClassResults
from autograder.web.context import get_assignment, get_course_key, get_person, get_store
from autograder.web.permissions import Action, needs
from autograder.web.student_display_names import get_student_display_names

pages = Blueprint("decision_pages", __name__)


@pages.post("/class/<name>/students/<login>/override")
@needs(Action.GRADE)
def override(name: str, login: str) -> ResponseReturnValue:
    """Set the score of an attempt, or its points for a concept."""
    wish = Decision("override", _attempt(name, login), _field("concept"), _field("points"), _field("reason"))
    return _decide(name, login, wish)


@pages.post("/class/<name>/students/<login>/comment")
@needs(Action.GRADE)
def comment(name: str, login: str) -> ResponseReturnValue:
    """Write to a student below the points of an attempt."""
    return _decide(name, login, Decision("comment", _attempt(name, login), value=_field("text")))


@pages.post("/class/<name>/students/<login>/exempt")
@needs(Action.GRADE)
def exempt_from_test(name: str, login: str) -> ResponseReturnValue:
    """Give a student the points of a test, whatever came of it."""
    return _decide(name, login, Decision("exempt", _attempt(name, login), _field("test"), reason=_field("reason")))


@pages.post("/class/<name>/students/<login>/points")
@needs(Action.GRADE)
def points(name: str, login: str) -> ResponseReturnValue:
    """Give points by hand, or take some off, beside those of the tests."""
    wish = Decision("points", _attempt(name, login), _field("for"), _field("points"), _field("reason"))
    return _decide(name, login, wish)


@pages.post("/class/<name>/students/<login>/reopen")
@needs(Action.EXTEND)
def reopen(name: str, login: str) -> ResponseReturnValue:
    """Give a student another attempt."""
    return _decide(
        name,
        login,
        Decision("reopen", get_student(name, login).login, value=_field("until"), reason=_field("reason")),
    )


@pages.post("/class/<name>/students/<login>/extend")
@needs(Action.EXTEND)
def extend(name: str, login: str) -> ResponseReturnValue:
    """Give a student more time."""
    return _decide(
        name,
        login,
        Decision("extend", get_student(name, login).login, value=_field("until"), reason=_field("reason")),
    )


@pages.post("/class/<name>/students/<login>/undo")
@needs(Action.EXTEND)
def undo(name: str, login: str) -> ResponseReturnValue:
    """Undo a decision about a student."""
    about = {get_student(name, login).login, *(one.submission for one in _attempts(name, login))}
    return _change_student(name, login, lambda opened: _undo(opened, about))


@pages.post("/class/<name>/exempt")
@needs(Action.EXTEND)
def exempt_everyone(name: str) -> ResponseReturnValue:
    """Give the whole class the points of a test."""
    wish = Decision("exempt", EVERYONE, _field("test"), reason=_field("reason"))
    return _change_class(name, lambda opened: _keep(opened, wish))


@pages.post("/class/<name>/undo")
@needs(Action.EXTEND)
def undo_for_everyone(name: str) -> ResponseReturnValue:
    """Undo a decision about the whole class."""
    return _change_class(name, lambda opened: _undo(opened, {EVERYONE}))


def _decide(name: str, login: str, wish: Decision) -> ResponseReturnValue:
    def carry_out(opened: OpenedGradedClass) -> None:
        if wish.kind in ABOUT_SUBMISSIONS and wish.who not in {one.submission for one in _attempts(name, login)}:
            abort(404)
        _keep(opened, wish)

    return _change_student(name, login, carry_out)


def _keep(opened: OpenedGradedClass, wish: Decision) -> None:
    """Check a decision, and keep it.

    Raises:
        CallerFault: it cannot be made.
    """
    maker = _maker()
    reports = {one.report.submission.id: one.report for one in opened.load_entries()}
    one = check_and_normalize_decision(
        wish, reports, opened.deadline_rules_before_decisions, datetime.fromisoformat(maker.decided_at)
    )
    sha256 = reports[one.who].submission.sha256 if one.kind in ABOUT_SUBMISSIONS and one.who != EVERYONE else ""
    opened.save_and_number_decisions(
        [maker.make_decision(one.kind, one.who, one.subject, one.value, one.reason, sha256)]
    )


def _undo(opened: OpenedGradedClass, about: set[str]) -> None:
    """Undo the decision that the form names, if it is about one of ``about``.

    Raises:
        CallerFault: it is not, or no reason is given.
    """
    if not _field("reason").strip():
        raise CallerFault("no reason is given", advice="say why it is undone; the audit log keeps it")
    chosen = [
        one
        for one in opened.load_history()
        if str(one.id) == _field("decision") and not one.is_undone and one.who in about
    ]
    if not chosen:
        raise CallerFault("there is no such decision here", advice="load the page again")
    opened.undo_decisions(chosen, _maker(), _field("reason"))


def _change_student(name: str, login: str, carry_out: Callable[[OpenedGradedClass], None]) -> ResponseReturnValue:
    get_student(name, login)
    try:
        carry_out(_open_class(name))
    except CallerFault as fault:
        return render_student(name, login, str(fault)), 422
    return redirect(url_for("class_pages.show_student", name=name, login=login), 303)


def _change_class(name: str, carry_out: Callable[[OpenedGradedClass], None]) -> ResponseReturnValue:
    try:
        carry_out(_open_class(name))
    except CallerFault as fault:
        return render_class(name, str(fault)), 422
    return redirect(url_for("class_pages.show_class", name=name), 303)


def _open_class(name: str) -> OpenedGradedClass:
    """Return the class.

    Raises:
        CallerFault: nothing was graded yet.
    """
    opened = ClassResults(get_store(), get_course_key(), get_assignment(name)).graded_class_if_any
    if opened is None:
        raise CallerFault("nothing of this assignment was graded yet", advice="wait for the first result")
    return opened


def _attempts(name: str, login: str) -> list[HandIn]:
    return get_store().hand_ins.list_hand_ins(get_course_key(), name, get_student(name, login).account)


def _attempt(name: str, login: str) -> str:
    """Return the id of the attempt that the form names, as the staff sees it; what is not there, as it is."""
    identities, said = get_student_display_names(name), _field("attempt")
    known = {identities.mask_submission(one.submission): one.submission for one in _attempts(name, login)}
    return known.get(said, said)


def _field(name: str) -> str:
    return request.form.get(name, "")[:10_000]


def _maker() -> DecisionMaker:
    person = get_person()
    return DecisionMaker(person.name, f"web:{person.login}")
