"""Carry out what the staff decides on a student's page; the rules are those of ``autograder decide``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from autograder.batch.opened_graded_class import OpenedGradedClass
from autograder.decisions import EVERYONE, Decision, DecisionContext
from autograder.decisions.decision_check import check_and_normalize_decision
from autograder.decisions.decision_model import ABOUT_SUBMISSIONS
from autograder.faults import CallerFault
from autograder.store.web.hand_in_table import HandIn
from autograder.web.request_context import (
    get_assignment_or_404,
    get_course_name_in_store,
    get_person_or_401,
    get_store,
)
from autograder.web.staff.staff_class_pages import get_student_or_404, render_class, render_student
from autograder.web.stored_class_results import StoredClassResults
from autograder.web.student_display_names import get_student_display_names
from autograder.web.view_permissions import Permission, requires

pages = Blueprint("decision_actions", __name__)


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/override")
@requires(Permission.GRADE)
def override_points(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Set the score of an attempt, or its points for a concept."""
    wish = Decision(
        "override",
        _attempt(assignment_name, login_or_pseudonym),
        _field("concept"),
        _field("points"),
        _field("reason"),
    )
    return _decide(assignment_name, login_or_pseudonym, wish)


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/comment")
@requires(Permission.GRADE)
def comment_on_attempt(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Write to a student below the points of an attempt."""
    return _decide(
        assignment_name,
        login_or_pseudonym,
        Decision("comment", _attempt(assignment_name, login_or_pseudonym), value=_field("text")),
    )


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/exempt")
@requires(Permission.GRADE)
def award_test_points(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Give a student the points of a test, whatever came of it."""
    return _decide(
        assignment_name,
        login_or_pseudonym,
        Decision("exempt", _attempt(assignment_name, login_or_pseudonym), _field("test"), reason=_field("reason")),
    )


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/points")
@requires(Permission.GRADE)
def adjust_points(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Give points by hand, or take some off, beside those of the tests."""
    wish = Decision(
        "points", _attempt(assignment_name, login_or_pseudonym), _field("for"), _field("points"), _field("reason")
    )
    return _decide(assignment_name, login_or_pseudonym, wish)


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/reopen")
@requires(Permission.EXTEND)
def grant_another_attempt(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Give a student another attempt."""
    return _decide(
        assignment_name,
        login_or_pseudonym,
        Decision(
            "reopen",
            get_student_or_404(assignment_name, login_or_pseudonym).login,
            value=_field("until"),
            reason=_field("reason"),
        ),
    )


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/extend")
@requires(Permission.EXTEND)
def extend_deadline(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Give a student more time."""
    return _decide(
        assignment_name,
        login_or_pseudonym,
        Decision(
            "extend",
            get_student_or_404(assignment_name, login_or_pseudonym).login,
            value=_field("until"),
            reason=_field("reason"),
        ),
    )


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/undo")
@requires(Permission.EXTEND)
def undo_decision_about_student(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Undo a decision about a student."""
    about = {
        get_student_or_404(assignment_name, login_or_pseudonym).login,
        *(one.submission for one in _attempts(assignment_name, login_or_pseudonym)),
    }
    return _change_student(assignment_name, login_or_pseudonym, lambda opened: _undo(opened, about))


@pages.post("/class/<assignment_name>/exempt")
@requires(Permission.EXTEND)
def exempt_everyone_from_test(assignment_name: str) -> ResponseReturnValue:
    """Give the whole class the points of a test."""
    wish = Decision("exempt", EVERYONE, _field("test"), reason=_field("reason"))
    return _change_class(assignment_name, lambda opened: _keep(opened, wish))


@pages.post("/class/<assignment_name>/undo")
@requires(Permission.EXTEND)
def undo_decision_about_everyone(assignment_name: str) -> ResponseReturnValue:
    """Undo a decision about the whole class."""
    return _change_class(assignment_name, lambda opened: _undo(opened, {EVERYONE}))


def _decide(assignment_name: str, login_or_pseudonym: str, decision: Decision) -> ResponseReturnValue:
    def carry_out(opened: OpenedGradedClass) -> None:
        if decision.kind in ABOUT_SUBMISSIONS and decision.who not in {
            one.submission for one in _attempts(assignment_name, login_or_pseudonym)
        }:
            abort(404)
        _keep(opened, decision)

    return _change_student(assignment_name, login_or_pseudonym, carry_out)


def _keep(opened: OpenedGradedClass, wish: Decision) -> None:
    """Check a decision, and save it.

    Raises:
        CallerFault: it cannot be made.
    """
    author_and_time = _get_author_and_time()
    reports = {one.report.submission.id: one.report for one in opened.load_personalized_entries()}
    one = check_and_normalize_decision(
        wish, reports, opened.deadline_rules_before_decisions, datetime.fromisoformat(author_and_time.decided_at)
    )
    sha256 = reports[one.who].submission.sha256 if one.kind in ABOUT_SUBMISSIONS and one.who != EVERYONE else ""
    opened.save_and_number_decisions(
        [author_and_time.make_decision(one.kind, one.who, one.subject, one.value, one.reason, sha256)]
    )


def _undo(opened: OpenedGradedClass, about: set[str]) -> None:
    """Undo the decision that the form names, if it is about one of ``about``.

    Raises:
        CallerFault: it is not, or no reason is given.
    """
    if not _field("reason").strip():
        raise CallerFault("the reason is missing", advice="say why it is undone; the audit log keeps it")
    chosen = [
        one
        for one in opened.load_decision_history()
        if str(one.id) == _field("decision") and not one.is_undone and one.who in about
    ]
    if not chosen:
        raise CallerFault("no decision here matches", advice="load the page again")
    opened.undo_decisions(chosen, _get_author_and_time(), _field("reason"))


def _change_student(
    assignment_name: str, login_or_pseudonym: str, carry_out: Callable[[OpenedGradedClass], None]
) -> ResponseReturnValue:
    get_student_or_404(assignment_name, login_or_pseudonym)
    try:
        carry_out(_open_class(assignment_name))
    except CallerFault as fault:
        return render_student(assignment_name, login_or_pseudonym, str(fault)), 422
    return redirect(
        url_for(
            "staff_class_pages.show_student",
            assignment_name=assignment_name,
            login_or_pseudonym=login_or_pseudonym,
        ),
        303,
    )


def _change_class(assignment_name: str, carry_out: Callable[[OpenedGradedClass], None]) -> ResponseReturnValue:
    try:
        carry_out(_open_class(assignment_name))
    except CallerFault as fault:
        return render_class(assignment_name, str(fault)), 422
    return redirect(url_for("staff_class_pages.show_class", assignment_name=assignment_name), 303)


def _open_class(assignment_name: str) -> OpenedGradedClass:
    """Return the class.

    Raises:
        CallerFault: nothing was graded yet.
    """
    opened = StoredClassResults(
        get_store(), get_course_name_in_store(), get_assignment_or_404(assignment_name)
    ).graded_class_if_any
    if opened is None:
        raise CallerFault("nothing of this assignment was graded yet", advice="wait for the first result")
    return opened


def _attempts(assignment_name: str, login_or_pseudonym: str) -> list[HandIn]:
    return get_store().hand_ins.list_hand_ins(
        get_course_name_in_store(), assignment_name, get_student_or_404(assignment_name, login_or_pseudonym).account
    )


def _attempt(assignment_name: str, login_or_pseudonym: str) -> str:
    """Return the real id of the attempt that the form names by its shown id; return an unknown id unchanged."""
    identities, said = get_student_display_names(assignment_name), _field("attempt")
    known = {
        identities.mask_submission_id(one.submission): one.submission
        for one in _attempts(assignment_name, login_or_pseudonym)
    }
    return known.get(said, said)


def _field(field_name: str) -> str:
    return request.form.get(field_name, "")[:10_000]


def _get_author_and_time() -> DecisionContext:
    person = get_person_or_401()
    return DecisionContext(person.name, f"web:{person.login}")
