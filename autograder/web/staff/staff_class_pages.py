"""The staff's pages on a class: everybody, one student, the audit log."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.decisions import EVERYONE
from autograder.decisions.decision_line import format_decision_line
from autograder.decisions.outweighed_decisions import find_outweighed_decisions
from autograder.store.audit_model import AuditRow
from autograder.store.web.account_tables import Enrolment
from autograder.store.web.hand_in_model import HandIn
from autograder.web.request_context import (
    get_assignment_or_404,
    get_class_results,
    get_course_key_in_store,
    get_store,
)
from autograder.web.role_permissions import Permission, requires
from autograder.web.staff.anonymity_actions import can_lift_anonymity
from autograder.web.staff.class_table_rows import SHOWN, SORTS, filter_and_sort_rows, make_class_table_rows
from autograder.web.student_display_names import StudentDisplayNames, get_student_display_names
from autograder.web.students.attempt_text import list_counting_sentences
from autograder.web.students.student_visibility_text import list_visible_parts, list_withheld_parts

pages = Blueprint("staff_class_pages", __name__)


@pages.get("/class/<assignment_name>")
@requires(Permission.SEE_CLASS)
def show_class(assignment_name: str) -> ResponseReturnValue:
    """Show the class as a table."""
    return render_class_page(assignment_name)


@pages.get("/class/<assignment_name>/students/<login_or_pseudonym>")
@requires(Permission.SEE_CLASS)
def show_student(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Show a student: attempts, decisions, and the forms to decide."""
    return render_student(assignment_name, login_or_pseudonym)


@pages.get("/class/<assignment_name>/log")
@requires(Permission.AUDIT)
def show_audit_log(assignment_name: str) -> ResponseReturnValue:
    """Show every change and sending of a mark, the latest first."""
    assignment = get_assignment_or_404(assignment_name)
    events = get_store().audit.load_audit_rows(get_course_key_in_store(), assignment_name)
    shown_events = [_mask_event(row, get_student_display_names(assignment_name)) for row in events[::-1]]
    return render_template("log.html.j2", assignment=assignment, events=shown_events)


def render_class_page(assignment_name: str, refusal_reason: str = "") -> str:
    """Return the page of a class.

    Args:
        assignment_name: the assignment.
        refusal_reason: why the submitted form was refused; empty if none was.
    """
    store, course, assignment = get_store(), get_course_key_in_store(), get_assignment_or_404(assignment_name)
    students = store.accounts.list_students(course)
    hand_ins = store.hand_ins.list_hand_ins(course, assignment_name)
    results = get_class_results(assignment_name)
    display_names = get_student_display_names(assignment_name)
    rows = [
        row.mask_members_if_graded_anonymously(display_names)
        for row in make_class_table_rows(results, students, hand_ins)
    ]
    search_text, row_filter = request.args.get("words", "")[:200], request.args.get("shown", "")
    sort, descending = request.args.get("sort", "look"), request.args.get("order") == "down"
    return render_template(
        "class.html.j2",
        assignment=assignment,
        tests=sorted({test.id for entry in results.entries_by_submission_id.values() for test in entry.report.tests}),
        decided=[
            (decision.id, format_decision_line(decision))
            for decision in results.decisions_in_force
            if decision.who == EVERYONE
        ],
        refused=display_names.mask_text(refusal_reason),
        is_anonymous=display_names.are_hidden,
        can_lift_anonymity=can_lift_anonymity(results),
        rows=filter_and_sort_rows(rows, search_text, row_filter, sort, descending),
        total=len(rows),
        words=search_text,
        shown=row_filter if row_filter in SHOWN else "",
        choices=SHOWN,
        sort=sort if sort in SORTS else "look",
        descending=descending,
        published_at=results.published_at,
        shown_now=list_visible_parts(assignment.feedback, results.visibility_stage),
        shown_then=list_visible_parts(assignment.feedback, "published"),
        withheld=list_withheld_parts(assignment.feedback, results.visibility_stage),
        waiting=sum(hand_in.state in ("queued", "grading") for hand_in in hand_ins),
    )


def render_student(assignment_name: str, login_or_pseudonym: str, refusal_reason: str = "") -> str:
    """Return the page of a student.

    Args:
        assignment_name: the assignment.
        login_or_pseudonym: the student, as the staff sees them.
        refusal_reason: why the submitted form was refused; empty if none was.
    """
    store, course, assignment = get_store(), get_course_key_in_store(), get_assignment_or_404(assignment_name)
    student = get_student_or_404(assignment_name, login_or_pseudonym)
    display_names, results = get_student_display_names(assignment_name), get_class_results(assignment_name)
    login_or_pseudonym = student.login
    attempts: list[HandIn] = store.hand_ins.list_hand_ins(course, assignment_name, student.account)[::-1]
    reports = {attempt.key: report for attempt in attempts if (report := results.find_full_report(attempt))}
    attempt_ids = {attempt.submission for attempt in attempts}
    outweighed_decisions = find_outweighed_decisions(
        decision for decision in results.decisions_in_force if decision.who in attempt_ids
    )
    subjects = {login_or_pseudonym, *attempt_ids}
    members = store.accounts.list_team_members(course, student)
    counting = results.find_counting_reasons(attempts, reports)
    return render_template(
        "student.html.j2",
        assignment=assignment,
        student=display_names.mask_person(student),
        team=[display_names.mask_person(member) for member in members if member.login != login_or_pseudonym],
        attempts=[display_names.mask_hand_in(attempt) for attempt in attempts],
        reports=reports,
        counting=counting,
        counting_sentences=list_counting_sentences(attempts, counting),
        preselected_key=next((attempt.key for attempt in attempts if attempt.key in counting), ""),
        problems={attempt.key: display_names.mask_text(attempt.problem) for attempt in attempts if attempt.problem},
        deadline=results.find_deadline_of_members(member.login for member in members),
        is_lms_deadline_in_force=results.is_lms_deadline_in_force,
        tests=sorted({test.id for report in reports.values() for test in report.tests}),
        decided=[
            (
                decision.id if decision.who in subjects else 0,
                display_names.mask_text(format_decision_line(decision, outweighed_decisions)),
            )
            for decision in results.decisions_in_force
            if decision.who in subjects or decision.who == EVERYONE
        ],
        refused=display_names.mask_text(refusal_reason),
    )


def get_student_or_404(assignment_name: str, login_or_pseudonym: str) -> Enrolment:
    """Return a student by the login that the staff sees; end the request with 404 if nobody is shown so."""
    student = get_store().accounts.find_enrolment(
        get_course_key_in_store(),
        get_student_display_names(assignment_name).unmask_login(login_or_pseudonym),
    )
    if student is None or student.role != "student":
        abort(404)
    return student


def _mask_event(row: AuditRow, display_names: StudentDisplayNames) -> AuditRow:
    """Return a row of the audit log as the staff may see it."""
    if not display_names.are_hidden:
        return row
    mask_text = display_names.mask_text
    event = replace(
        row.event,
        student="",
        student_label=mask_text(row.event.student_label),
        submission=mask_text(row.event.submission),
        before=mask_text(row.event.before),
        after=mask_text(row.event.after),
    )
    action = replace(row.action, account=mask_text(row.action.account))
    return replace(
        row, action=action, event=event, as_account=mask_text(row.as_account), answer=mask_text(row.answer)
    )
