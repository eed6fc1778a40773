"""What the staff decides on a student's page; the rules are those of ``autograder decide``."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from autograder.batch.opened_class import OpenedClass
from autograder.decisions import Decision, DecisionMaker
from autograder.decisions.check_decision import check_decision
from autograder.decisions.decision_model import ABOUT_SUBMISSIONS
from autograder.faults import CallerFault
from autograder.store.audit_log import AuditAction, MarkEvent
from autograder.store.hand_in_table import HandIn
from autograder.web.class_pages import render_student
from autograder.web.class_results import ClassResults
from autograder.web.context import get_assignment, get_course_key, get_person, get_store
from autograder.web.hand_in_pages import find_hand_in
from autograder.web.permissions import Action, needs

pages = Blueprint("decision_pages", __name__)


@pages.post("/class/<name>/students/<login>/override")
@needs(Action.GRADE)
def override(name: str, login: str) -> ResponseReturnValue:
    """Set the score of an attempt, or its points for a concept."""
    wish = Decision("override", _field("attempt"), _field("concept"), _field("points"), _field("reason"))
    return _decide(name, login, wish)


@pages.post("/class/<name>/students/<login>/comment")
@needs(Action.GRADE)
def comment(name: str, login: str) -> ResponseReturnValue:
    """Write to a student below the points of an attempt."""
    return _decide(name, login, Decision("comment", _field("attempt"), value=_field("text")))


@pages.post("/class/<name>/students/<login>/extend")
@needs(Action.EXTEND)
def extend(name: str, login: str) -> ResponseReturnValue:
    """Give a student more time."""
    return _decide(name, login, Decision("extend", login, value=_field("until"), reason=_field("reason")))


@pages.post("/class/<name>/students/<login>/undo")
@needs(Action.EXTEND)
def undo(name: str, login: str) -> ResponseReturnValue:
    """Undo a decision about a student."""

    def carry_out(opened: OpenedClass) -> None:
        if not _field("reason").strip():
            raise CallerFault("no reason is given", advice="say why it is undone; the audit log keeps it")
        about = {login, *(one.submission for one in _attempts(name, login))}
        chosen = [
            one
            for one in opened.load_history()
            if str(one.id) == _field("decision") and not one.is_undone and one.who in about
        ]
        if not chosen:
            raise CallerFault("there is no such decision about this student", advice="load the page again")
        opened.undo_decisions(chosen, _maker(), _field("reason"))

    return _change(name, login, carry_out)


@pages.post("/hand-ins/<key>/regrade")
@needs(Action.GRADE)
def regrade(key: str) -> ResponseReturnValue:
    """Grade one hand-in again, as far as the assignment or the kit changed since, or the grader failed."""
    hand_in = find_hand_in(key)
    if hand_in.state in ("graded", "failed"):
        maker = _maker()
        action = AuditAction("regrade", maker.account, "", hand_in.course, hand_in.assignment, uuid.uuid4().hex)
        event = MarkEvent("mark", "", "", hand_in.submission, hand_in.submission, "", "graded again")
        get_store().audit.add_events(action, [event], "decided", maker.author)
        get_store().hand_ins.queue_again(hand_in)
    return redirect(url_for("hand_in_pages.show", key=key), 303)


def _decide(name: str, login: str, wish: Decision) -> ResponseReturnValue:
    def carry_out(opened: OpenedClass) -> None:
        if wish.kind in ABOUT_SUBMISSIONS and wish.who not in {one.submission for one in _attempts(name, login)}:
            abort(404)
        maker = _maker()
        reports = {one.report.submission.id: one.report for one in opened.load_entries()}
        now = datetime.fromisoformat(maker.decided_at)
        one = check_decision(wish, reports, opened.assignment.due, now)
        sha256 = reports[one.who].submission.sha256 if one.kind in ABOUT_SUBMISSIONS else ""
        opened.add_decisions([maker.decide(one.kind, one.who, one.subject, one.value, one.reason, sha256)])

    return _change(name, login, carry_out)


def _change(name: str, login: str, carry_out: Callable[[OpenedClass], None]) -> ResponseReturnValue:
    student = get_store().accounts.find_enrolment(get_course_key(), login)
    if student is None or student.role != "student":
        abort(404)
    opened = ClassResults(get_store(), get_course_key(), get_assignment(name)).opened
    try:
        if opened is None:
            raise CallerFault("nothing of this assignment was graded yet", advice="wait for the first result")
        carry_out(opened)
    except CallerFault as fault:
        return render_student(name, login, str(fault)), 422
    return redirect(url_for("class_pages.show_student", name=name, login=login), 303)


def _attempts(name: str, login: str) -> list[HandIn]:
    student = get_store().accounts.find_enrolment(get_course_key(), login)
    return get_store().hand_ins.list_hand_ins(get_course_key(), name, student.account) if student else []


def _field(name: str) -> str:
    return request.form.get(name, "")[:10_000]


def _maker() -> DecisionMaker:
    person = get_person()
    return DecisionMaker(person.name, f"web:{person.login}")
