"""Carry out what a form of the staff decides about students, or say why it cannot be done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from flask import request
from flask.typing import ResponseReturnValue

from autograder.batch.graded_class import OpenedGradedClass
from autograder.decisions import Decision, DecisionProvenance
from autograder.decisions.decision_model import Kind
from autograder.decisions.decision_sheet import check_and_normalize_decision
from autograder.faults import CallerFault
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


def carry_out(
    change: Callable[[OpenedGradedClass], None],
    assignment_name: str,
    show_again: Callable[[str], str],
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
    graded_class: OpenedGradedClass, kind: Kind, subjects: Iterable[str], composed_value: str = ""
) -> None:
    """Check the decision in the form about each of some students or submissions, and save them all.

    A moment that was typed counts before one that was picked.

    Args:
        graded_class: the class.
        kind: what is decided.
        subjects: the students, or their submissions.
        composed_value: stands in place of what the form says; empty where that is the value.

    Raises:
        CallerFault: one of them cannot be made, or they are about nobody.
    """
    provenance = _make_provenance()
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
        raise CallerFault("no student is chosen", advice="tick the boxes before the names")
    graded_class.save_and_number_decisions(decisions)


def undo_decision(graded_class: OpenedGradedClass, subjects: set[str]) -> None:
    """Undo the decision that the form names, if it is about one of ``subjects``.

    Raises:
        CallerFault: it is not, or no reason is given.
    """
    reason = read_field("reason").strip()
    if not reason:
        raise CallerFault("the reason is missing", advice="say why it is undone; the audit log keeps it")
    matching_decisions = [
        decision
        for decision in graded_class.load_decision_history()
        if str(decision.id) == read_field("decision")
        and not decision.is_undone
        and decision.who in subjects
        and may_undo(decision)
    ]
    if not matching_decisions:
        raise CallerFault("no decision here matches", advice="load the page again")
    graded_class.undo_decisions(matching_decisions, _make_provenance(), reason)


def may_undo(decision: Decision) -> bool:
    """Return whether the person may undo a decision; assistants may undo their own."""
    person = current.person
    return person.role in INSTRUCTORS or decision.account == person.audit_account


def read_field(field_name: str) -> str:
    """Return what a field of the form holds, uncut: what is too long is refused; empty where there is no field."""
    return request.form.get(field_name, "").replace("\r\n", "\n") if field_name else ""


def _make_provenance() -> DecisionProvenance:
    person = current.person
    return DecisionProvenance(person.name, person.audit_account)
