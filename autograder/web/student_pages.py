"""Show the staff a student, and carry out what is decided about them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace

from flask import Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.batch.graded_class import OpenedGradedClass
from autograder.decisions import EVERYONE, Decision
from autograder.decisions.decision_model import (
    ABOUT_SUBMISSIONS,
    Kind,
    find_outweighed_decisions,
    format_decision_line,
)
from autograder.reports.html_report import render_result_within_page
from autograder.web.class_pages import load_class_rows, read_class_view
from autograder.web.decision_forms import (
    carry_out,
    fill_form,
    is_own,
    may_change,
    read_field,
    save_decisions,
    undo_decision,
)
from autograder.web.listing import fold_for_search, read_filters
from autograder.web.names import get_student_display_names, name_label
from autograder.web.programs import compose_comment, list_used_comments, load_shown_program, read_program_lines
from autograder.web.request import Pages, Permission, current, see_other, send_with_scripts
from autograder.web.results import EffectiveClassResults
from autograder.web.setting_values import name_zone
from autograder.web.store.accounts import Enrolment
from autograder.web.store.hand_ins import HandIn
from autograder.web.wording import list_counting_sentences

pages = Pages("staff_student_pages", __name__)
STUDENT = "/class/<assignment_name>/students/<login_or_pseudonym>"


@pages.on_get(STUDENT, Permission.SEE_CLASS)
def show_student(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Show a student: attempts, decisions, and the forms to decide."""
    return _render_student(assignment_name, login_or_pseudonym)


@pages.on_post(f"{STUDENT}/<any(override, comment, exempt, points):kind>", Permission.GRADE)
def decide_about_attempt(assignment_name: str, login_or_pseudonym: str, kind: Kind) -> ResponseReturnValue:
    """Override or add points of an attempt, comment on it, or give it the points of a test."""
    mask_id = get_student_display_names(assignment_name).mask_submission_id
    attempts = _list_attempts(assignment_name, login_or_pseudonym)
    hand_in = next((one for one in attempts if mask_id(one.submission) == read_field("attempt")), None) or abort(404)

    def save(graded_class: OpenedGradedClass) -> None:
        comment = ""
        if kind == "comment":
            program = read_program_lines(current.store, hand_in, current.assignment(assignment_name))
            comment = compose_comment(read_field("text"), read_field("used"), read_field("line"), program)
        subjects = {one.submission for one in attempts}
        save_decisions(graded_class, kind, [hand_in.submission], comment, subjects)

    return _change(assignment_name, login_or_pseudonym, save)


@pages.on_post(f"{STUDENT}/<any(reopen, extend):kind>", Permission.EXTEND)
def decide_about_student(assignment_name: str, login_or_pseudonym: str, kind: Kind) -> ResponseReturnValue:
    """Give a student another attempt, or more time."""
    login = _get_student_or_404(assignment_name, login_or_pseudonym).login
    return _change(
        assignment_name,
        login_or_pseudonym,
        lambda graded_class: save_decisions(graded_class, kind, [login], subjects_of_replaced={login}),
    )


@pages.on_post(f"{STUDENT}/undo", Permission.GRADE)
def undo_decision_about_student(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Undo a decision about a student; assistants undo their own."""
    login = _get_student_or_404(assignment_name, login_or_pseudonym).login
    subjects = {login, *(attempt.submission for attempt in _list_attempts(assignment_name, login_or_pseudonym))}
    return _change(assignment_name, login_or_pseudonym, lambda graded_class: undo_decision(graded_class, subjects))


def _change(
    assignment_name: str, login_or_pseudonym: str, change: Callable[[OpenedGradedClass], None]
) -> ResponseReturnValue:
    return carry_out(
        change,
        assignment_name,
        lambda refusal: _render_student(assignment_name, login_or_pseudonym, refusal),
        lambda: see_other(
            "staff_student_pages.show_student",
            assignment_name=assignment_name,
            login_or_pseudonym=login_or_pseudonym,
            **read_class_view(assignment_name).filters,
            saved="yes",
        ),
    )


def _list_attempts(assignment_name: str, login_or_pseudonym: str) -> list[HandIn]:
    student = _get_student_or_404(assignment_name, login_or_pseudonym)
    return current.store.hand_ins.list_hand_ins(current.course_key, assignment_name, student.account)


def _find_neighbours(assignment_name: str, shown_login: str) -> tuple[str, str]:
    """Return the students before and after one in the list that the address shows; empty where there is none."""
    view = read_class_view(assignment_name)
    members: Iterable[Enrolment | None]
    if view.filters:
        members = (row.first_enrolled_member for row in view.select_rows(load_class_rows(assignment_name)))
    else:
        students = filter(current.may_see_student, current.student_by_login.values())
        masked = [get_student_display_names(assignment_name).mask_person(student) for student in students]
        masked.sort(key=lambda one: (fold_for_search(one.name), one.login))
        members = masked
    logins = ["", *(member.login for member in members if member), ""]
    place = logins.index(shown_login) if shown_login in logins else 0
    return (logins[place - 1], logins[place + 1]) if place else ("", "")


@dataclass(frozen=True, slots=True)
class ListedDecision:
    """A decision about a student or the class, on the page of the student."""

    decision: Decision
    line: str
    """What was decided, with the names that the person may see."""
    may_undo: bool
    may_edit: bool


def _list_decisions(results: EffectiveClassResults, subjects: Container[str]) -> list[ListedDecision]:
    """Return the decisions in force about a student with their attempts, and about the class."""
    names, in_force = get_student_display_names(results.assignment.name), results.decisions_in_force
    about = [decision for decision in in_force if decision.who in subjects]
    outweighed = find_outweighed_decisions(one for one in about if one.kind in ABOUT_SUBMISSIONS)
    listed = []
    for decision in in_force:
        if decision.who not in subjects and decision.who != EVERYONE:
            continue
        named = replace(decision, who=name_label(results.assignment.name, decision.who))
        line = names.mask_text(format_decision_line(named, {named} if decision in outweighed else ()))
        may_undo = decision in about and may_change(decision)
        # what somebody else wrote may hold a name, which the form would show
        listed.append(
            ListedDecision(decision, line, may_undo, may_undo and (is_own(decision) or not names.are_hidden))
        )
    return listed


def _render_student(assignment_name: str, login_or_pseudonym: str, refusal_reason: str = "") -> Response:
    """Return the page of a student, with the attempt that counts or the one that the address names.

    Args:
        assignment_name: the assignment.
        login_or_pseudonym: the student, as the staff sees them.
        refusal_reason: why the submitted form was refused; empty if none was.
    """
    store, course, assignment = current.store, current.course_key, current.assignment(assignment_name)
    student = _get_student_or_404(assignment_name, login_or_pseudonym)
    display_names, results = get_student_display_names(assignment_name), current.results(assignment_name)
    login_or_pseudonym = student.login
    attempts: list[HandIn] = store.hand_ins.list_hand_ins(course, assignment_name, student.account)[::-1]
    reports = {attempt.key: report for attempt in attempts if (report := results.find_full_report(attempt))}
    decided = _list_decisions(results, {student.login, *(attempt.submission for attempt in attempts)})
    members = store.accounts.list_team_members(course, student)
    counting = results.find_counting_reasons(attempts, reports)
    asked = read_filters("edit", "attempt")
    edited = next((one.decision for one in decided if one.may_edit and str(one.decision.id) == asked["edit"]), None)
    filled = request.form if refusal_reason else fill_form(edited) if edited else {}
    wanted = display_names.mask_submission_id(edited.who) if edited else filled.get("attempt") or asked["attempt"]
    by_id = {display_names.mask_submission_id(attempt.submission): attempt for attempt in attempts}
    preselected = by_id.get(wanted) or next(
        (attempt for attempt in attempts if attempt.key in counting), attempts[0] if attempts else None
    )
    report = reports.get(preselected.key) if preselected else None
    page = render_template(
        "student.html.j2",
        shown=load_shown_program(store, preselected, report, assignment, display_names) if preselected else None,
        result=render_result_within_page(display_names.mask_report(report), {}) if report else "",
        filled=filled,
        filled_form=request.path.rpartition("/")[2] if refusal_reason else edited.kind if edited else "",
        used_comments=list_used_comments(results.decisions_in_force),
        assignment=assignment,
        student=display_names.mask_person(student),
        team=[display_names.mask_person(member) for member in members if member.login != login_or_pseudonym],
        attempts=[display_names.mask_hand_in(attempt) for attempt in attempts],
        reports=reports,
        counting=counting,
        counting_sentences=list_counting_sentences(attempts, counting),
        preselected_key=preselected.key if preselected else "",
        problems={attempt.key: display_names.mask_text(attempt.problem) for attempt in attempts if attempt.problem},
        lateness=results.compute_lateness_now(member.login for member in members),
        zone=name_zone(results.effective_deadline_rules) or "UTC",
        is_lms_deadline_in_force=results.is_lms_deadline_in_force,
        tests=sorted({test.id for report in reports.values() for test in report.tests}),
        decided=decided,
        refused=display_names.mask_text(refusal_reason),
        neighbours=_find_neighbours(assignment_name, display_names.mask_login(student.login)),
        view=read_class_view(assignment_name),
    )
    return send_with_scripts(page, has_result=bool(report), waits=False)


def _get_student_or_404(assignment_name: str, login_or_pseudonym: str) -> Enrolment:
    """Return a student by the login that the staff sees; end the request with 404 if nobody is shown so."""
    student = current.store.accounts.find_enrolment(
        current.course_key, get_student_display_names(assignment_name).unmask_login(login_or_pseudonym)
    )
    if student is None or student.role != "student" or not current.may_see_student(student):
        abort(404)
    return student
