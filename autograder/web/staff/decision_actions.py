"""Carry out what the staff decides on a student's page; the rules are those of ``autograder decide``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from flask import Blueprint, abort, request
from flask.typing import ResponseReturnValue

from autograder.batch.opened_graded_class import OpenedGradedClass
from autograder.decisions import EVERYONE, Decision, DecisionProvenance
from autograder.decisions.decision_check import check_and_normalize_decision
from autograder.decisions.decision_model import ABOUT_SUBMISSIONS, Kind
from autograder.faults import CallerFault
from autograder.store.web.hand_in_model import HandIn
from autograder.web.request_context import (
    get_class_results,
    get_course_key_in_store,
    get_person_or_401,
    get_store,
    see_other,
)
from autograder.web.role_permissions import Permission, requires
from autograder.web.staff.staff_class_pages import get_student_or_404, render_class_page, render_student
from autograder.web.student_display_names import get_student_display_names

pages = Blueprint("decision_actions", __name__)


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/override")
@requires(Permission.GRADE)
def override_score_or_concept_points(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Set the score of an attempt, or its points for a concept."""
    return _decide(
        assignment_name, login_or_pseudonym, "override", subject=_get_field("concept"), value=_get_field("points")
    )


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/comment")
@requires(Permission.GRADE)
def comment_on_attempt(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Write to a student below the points of an attempt."""
    return _decide(assignment_name, login_or_pseudonym, "comment", value=_get_text("text"))


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/exempt")
@requires(Permission.GRADE)
def award_test_points(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Give a student the points of a test, whatever came of it."""
    return _decide(assignment_name, login_or_pseudonym, "exempt", subject=_get_field("test"))


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/points")
@requires(Permission.GRADE)
def adjust_points(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Give points by hand, or take some off, beside those of the tests."""
    return _decide(
        assignment_name, login_or_pseudonym, "points", subject=_get_field("for"), value=_get_field("points")
    )


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/reopen")
@requires(Permission.EXTEND)
def grant_another_attempt(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Give a student another attempt."""
    return _decide(assignment_name, login_or_pseudonym, "reopen", value=_get_field("until"))


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/extend")
@requires(Permission.EXTEND)
def extend_deadline(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Give a student more time."""
    return _decide(assignment_name, login_or_pseudonym, "extend", value=_get_field("until"))


@pages.post("/class/<assignment_name>/students/<login_or_pseudonym>/undo")
@requires(Permission.EXTEND)
def undo_decision_about_student(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Undo a decision about a student."""
    subjects = {
        get_student_or_404(assignment_name, login_or_pseudonym).login,
        *(attempt.submission for attempt in _list_attempts(assignment_name, login_or_pseudonym)),
    }
    return _change_student(
        assignment_name, login_or_pseudonym, lambda graded_class: _undo_decision(graded_class, subjects)
    )


@pages.post("/class/<assignment_name>/exempt")
@requires(Permission.EXTEND)
def exempt_everyone_from_test(assignment_name: str) -> ResponseReturnValue:
    """Give the whole class the points of a test."""
    decision = Decision("exempt", EVERYONE, _get_field("test"), reason=_get_text("reason"))
    return _change_class(assignment_name, lambda graded_class: _save_decision(graded_class, decision))


@pages.post("/class/<assignment_name>/undo")
@requires(Permission.EXTEND)
def undo_decision_about_everyone(assignment_name: str) -> ResponseReturnValue:
    """Undo a decision about the whole class."""
    return _change_class(assignment_name, lambda graded_class: _undo_decision(graded_class, {EVERYONE}))


def _decide(
    assignment_name: str, login_or_pseudonym: str, kind: Kind, *, subject: str = "", value: str = ""
) -> ResponseReturnValue:
    """Decide about the attempt that the form names, or about the student, for the reason in the form."""
    student = get_student_or_404(assignment_name, login_or_pseudonym)
    who = _get_attempt_id(assignment_name, login_or_pseudonym) if kind in ABOUT_SUBMISSIONS else student.login
    decision = Decision(kind, who, subject, value, _get_text("reason"))

    def carry_out(graded_class: OpenedGradedClass) -> None:
        if kind in ABOUT_SUBMISSIONS and who not in {
            attempt.submission for attempt in _list_attempts(assignment_name, login_or_pseudonym)
        }:
            abort(404)
        _save_decision(graded_class, decision)

    return _change_student(assignment_name, login_or_pseudonym, carry_out)


def _save_decision(graded_class: OpenedGradedClass, draft: Decision) -> None:
    """Check a decision, and save it.

    Raises:
        CallerFault: it cannot be made.
    """
    provenance = _make_provenance()
    reports = {entry.report.submission.id: entry.report for entry in graded_class.load_personalized_entries()}
    decision = check_and_normalize_decision(
        draft,
        reports,
        graded_class.deadline_rules_before_decisions,
        datetime.fromisoformat(provenance.decided_at),
    )
    sha256 = (
        reports[decision.who].submission.sha256
        if decision.kind in ABOUT_SUBMISSIONS and decision.who != EVERYONE
        else ""
    )
    graded_class.save_and_number_decisions(
        [
            provenance.make_decision(
                decision.kind, decision.who, decision.subject, decision.value, decision.reason, sha256
            )
        ]
    )


def _undo_decision(graded_class: OpenedGradedClass, subjects: set[str]) -> None:
    """Undo the decision that the form names, if it is about one of ``subjects``.

    Raises:
        CallerFault: it is not, or no reason is given.
    """
    reason = _get_text("reason").strip()
    if not reason:
        raise CallerFault("the reason is missing", advice="say why it is undone; the audit log keeps it")
    matching_decisions = [
        decision
        for decision in graded_class.load_decision_history()
        if str(decision.id) == _get_field("decision") and not decision.is_undone and decision.who in subjects
    ]
    if not matching_decisions:
        raise CallerFault("no decision here matches", advice="load the page again")
    graded_class.undo_decisions(matching_decisions, _make_provenance(), reason)


def _change_student(
    assignment_name: str, login_or_pseudonym: str, carry_out: Callable[[OpenedGradedClass], None]
) -> ResponseReturnValue:
    get_student_or_404(assignment_name, login_or_pseudonym)
    try:
        carry_out(_open_class(assignment_name))
    except CallerFault as fault:
        return render_student(assignment_name, login_or_pseudonym, str(fault)), 422
    target = "staff_class_pages.show_student"
    return see_other(target, assignment_name=assignment_name, login_or_pseudonym=login_or_pseudonym)


def _change_class(assignment_name: str, carry_out: Callable[[OpenedGradedClass], None]) -> ResponseReturnValue:
    try:
        carry_out(_open_class(assignment_name))
    except CallerFault as fault:
        return render_class_page(assignment_name, str(fault)), 422
    return see_other("staff_class_pages.show_class", assignment_name=assignment_name)


def _open_class(assignment_name: str) -> OpenedGradedClass:
    """Return the class.

    Raises:
        CallerFault: nothing was graded yet.
    """
    graded_class = get_class_results(assignment_name).graded_class_if_any
    if graded_class is None:
        raise CallerFault("nothing of this assignment was graded yet", advice="wait for the first result")
    return graded_class


def _list_attempts(assignment_name: str, login_or_pseudonym: str) -> list[HandIn]:
    return get_store().hand_ins.list_hand_ins(
        get_course_key_in_store(), assignment_name, get_student_or_404(assignment_name, login_or_pseudonym).account
    )


def _get_attempt_id(assignment_name: str, login_or_pseudonym: str) -> str:
    """Return the real id of the attempt that the form names by its shown id; return an unknown id unchanged."""
    display_names, shown_id = get_student_display_names(assignment_name), _get_field("attempt")
    real_id_by_shown_id = {
        display_names.mask_submission_id(attempt.submission): attempt.submission
        for attempt in _list_attempts(assignment_name, login_or_pseudonym)
    }
    return real_id_by_shown_id.get(shown_id, shown_id)


def _get_field(field_name: str) -> str:
    return request.form.get(field_name, "")[:10_000]


def _get_text(field_name: str) -> str:
    """Return a text of any length, so that one that is too long is refused and not cut."""
    return request.form.get(field_name, "").replace("\r\n", "\n")


def _make_provenance() -> DecisionProvenance:
    person = get_person_or_401()
    return DecisionProvenance(person.name, person.audit_account)
