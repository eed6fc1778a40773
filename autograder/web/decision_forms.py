"""Carry out what a form of the staff decides about students, or say why it cannot be done."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import replace
from datetime import datetime

from flask import Response, request
from flask.typing import ResponseReturnValue

from autograder.batch.graded_class import OpenedGradedClass
from autograder.decisions import Decision, DecisionProvenance
from autograder.decisions.decision_model import Kind
from autograder.decisions.decision_sheet import check_and_normalize_decision
from autograder.faults import CallerFault
from autograder.web.programs import ABOUT_LINE
from autograder.web.request import INSTRUCTORS, current

FIELDS: dict[Kind, tuple[str, str]] = {
    "override": ("concept", "points"),
    "comment": ("", "text"),
    "exempt": ("test", ""),
    "points": ("for", "points"),
    "reopen": ("", "until"),
    "extend": ("", "until"),
}
"""For each kind of decision, the fields of its form that say what it is about, and its value."""
NOBODY_CHOSEN = "no student is chosen", "", "tick the boxes before the names"
"""What is wrong with a form about chosen students, where, and what to do."""


def carry_out(
    change: Callable[[OpenedGradedClass], None],
    assignment_name: str,
    show_again: Callable[[str], str | Response],
    done: Callable[[], ResponseReturnValue],
) -> ResponseReturnValue:
    """Change something about a class, and answer with what is ``done``, or show the page again with why it is not."""
    try:
        graded_class = current.results(assignment_name).graded_class_if_any
        if graded_class is None:
            raise CallerFault("nothing of this assignment was graded yet", advice="wait for the first result")
        change(graded_class)
    except CallerFault as fault:
        return show_again(str(fault)), 422
    return done()


def save_decisions(
    graded_class: OpenedGradedClass,
    kind: Kind,
    subjects: Iterable[str],
    composed_value: str = "",
    subjects_of_replaced: Container[str] = (),
) -> None:
    """Check the decision in the form about each of some students or submissions, and save them all.

    A moment that was typed counts before one that was picked.

    Args:
        graded_class: the class.
        kind: what is decided.
        subjects: the students, or their submissions.
        composed_value: stands in place of what the form says; empty where that is the value.
        subjects_of_replaced: whom the decision may be about that the form replaces, if it names one. Its time stays,
            since what a reopening or a score means depends on when it was decided.

    Raises:
        CallerFault: one of them cannot be made, or they are about nobody.
    """
    provenance = _make_provenance()
    number = read_field("replaces")
    replaced = _find_decision(graded_class, number, subjects_of_replaced, kind) if number else None
    reports = {entry.report.submission.id: entry.report for entry in graded_class.load_personalized_entries()}
    subject, value = (read_field(f"{name}_typed").strip() or read_field(name) for name in FIELDS[kind])
    value = composed_value or value
    decisions = []
    for who in subjects:
        decision = check_and_normalize_decision(
            Decision(kind, who, subject, value, read_field("reason")),
            reports,
            graded_class.deadline_rules_before_decisions,
            datetime.fromisoformat(provenance.decided_at),
        )
        sha256 = reports[who].submission.sha256 if who in reports else ""
        decisions.append(
            provenance.make_decision(kind, who, decision.subject, decision.value, decision.reason, sha256)
        )
    if not decisions:
        raise CallerFault(*NOBODY_CHOSEN)
    if replaced is None:
        graded_class.save_and_number_decisions(decisions)
        return
    with graded_class.store.group():
        decisions = [replace(decision, decided_at=replaced.decided_at) for decision in decisions]
        (saved,) = graded_class.save_and_number_decisions(decisions)
        graded_class.undo_decisions([replaced], provenance, f"edited: decision {saved.id} is in its place")


def undo_decision(graded_class: OpenedGradedClass, subjects: Container[str]) -> None:
    """Undo the decision that the form names, if it is about one of ``subjects``.

    Raises:
        CallerFault: it is not, or no reason is given.
    """
    reason = read_field("reason").strip()
    if not reason:
        raise CallerFault("the reason is missing", advice="say why it is undone; the audit log keeps it")
    decision = _find_decision(graded_class, read_field("decision"), subjects)
    graded_class.undo_decisions([decision], _make_provenance(), reason)


def _find_decision(
    graded_class: OpenedGradedClass, number: str, subjects: Container[str], kind: Kind | None = None
) -> Decision:
    """Return a decision by its number, if it is of a kind, about one of ``subjects``, and the person may change it.

    Raises:
        CallerFault: there is none.
    """
    for decision in graded_class.load_decision_history():
        is_meant = (
            str(decision.id) == number and decision.kind == (kind or decision.kind) and decision.who in subjects
        )
        if is_meant and not decision.is_undone and may_change(decision):
            return decision
    raise CallerFault("no decision here matches", advice="load the page again")


def may_change(decision: Decision) -> bool:
    """Return whether the person may undo or edit a decision; assistants may do so with their own."""
    return current.person.role in INSTRUCTORS or is_own(decision)


def is_own(decision: Decision) -> bool:
    """Return whether the person made a decision."""
    return decision.account == current.person.audit_account


def fill_form(decision: Decision) -> dict[str, str]:
    """Return the fields of the form that makes a decision, as they were when it was made."""
    subject, value = FIELDS[decision.kind]
    fields = {subject: decision.subject, value: decision.value, "reason": decision.reason}
    if decision.kind == "comment" and (about := ABOUT_LINE.match(decision.value)):
        fields = {"text": decision.value[about.end() :], "line": about["line"]}
    return {"replaces": str(decision.id), **fields}


def read_field(field_name: str) -> str:
    """Return what a field of the form holds, uncut: what is too long is refused; empty where there is no field."""
    return request.form.get(field_name, "").replace("\r\n", "\n") if field_name else ""


def _make_provenance() -> DecisionProvenance:
    person = current.person
    return DecisionProvenance(person.name, person.audit_account)
