"""Show the staff a class and its students, and carry out what is decided there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from datetime import datetime
from itertools import chain

from flask import abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.batch.graded_class import OpenedGradedClass
from autograder.decisions import EVERYONE, Decision, DecisionProvenance
from autograder.decisions.decision_model import Kind, find_outweighed_decisions, format_decision_line
from autograder.decisions.decision_sheet import check_and_normalize_decision
from autograder.faults import CallerFault
from autograder.store.audit import AuditRow
from autograder.web.class_table import (
    SHOWN,
    SORTS,
    ClassTableRow,
    ClassView,
    make_class_table_rows,
)
from autograder.web.listing import cut_page, fold_for_search, make_page_link
from autograder.web.names import StudentDisplayNames, get_student_display_names
from autograder.web.programs import (
    compose_comment,
    list_repaired_lines,
    list_used_comments,
    read_program_lines,
)
from autograder.web.request import INSTRUCTORS, Pages, Permission, current, see_other
from autograder.web.results import EffectiveClassResults
from autograder.web.store.accounts import Enrolment
from autograder.web.store.hand_ins import HandIn
from autograder.web.wording import list_counting_sentences, list_visible_parts, list_withheld_parts

pages = Pages("staff_class_pages", __name__)
STUDENT = "/class/<assignment_name>/students/<login_or_pseudonym>"
FIELDS: dict[Kind, tuple[str, str]] = {
    "override": ("concept", "points"),
    "comment": ("", "text"),
    "exempt": ("test", ""),
    "points": ("for", "points"),
    "reopen": ("", "until"),
    "extend": ("", "until"),
}
"""For each kind of decision, the fields of its form that say what it is about, and its value."""
VIEW_FIELDS = tuple(field.name for field in fields(ClassView))


@pages.on_get("/class/<assignment_name>", Permission.SEE_CLASS)
def show_class(assignment_name: str) -> ResponseReturnValue:
    """Show the class as a table."""
    return render_class_page(assignment_name)


@pages.on_get("/class/<assignment_name>/students/<login_or_pseudonym>", Permission.SEE_CLASS)
def show_student(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Show a student: attempts, decisions, and the forms to decide."""
    return _render_student(assignment_name, login_or_pseudonym)


@pages.on_get("/class/<assignment_name>/log", Permission.AUDIT)
def show_audit_log(assignment_name: str) -> ResponseReturnValue:
    """Show every change and sending of a mark, the latest first."""
    assignment = current.assignment(assignment_name)
    events = current.store.audit.load_audit_rows(current.course_key, assignment_name)
    page = cut_page(events[::-1])
    shown = replace(page, rows=[_mask_event(row, get_student_display_names(assignment_name)) for row in page.rows])
    link = make_page_link("staff_class_pages.show_audit_log", assignment_name=assignment_name)
    return render_template("log.html.j2", assignment=assignment, page=shown, link=link)


@pages.on_post("/class/<assignment_name>/<any(publish, unpublish):action>", Permission.PUBLISH)
def publish_or_take_back(assignment_name: str, action: str) -> ResponseReturnValue:
    """Publish the results, also of what is handed in later; or take them back, so that students see less again."""
    current.store.publications.set_results_published(
        current.course_key, current.assignment(assignment_name).name, current.person, is_published=action == "publish"
    )
    return see_other("staff_class_pages.show_class", assignment_name=assignment_name)


@pages.on_post("/class/<assignment_name>/show-names", Permission.PUBLISH)
def lift_anonymity(assignment_name: str) -> ResponseReturnValue:
    """Show the names from now on.

    Refuse with 409 until ``can_lift_anonymity``, since names could sway those who still grade.
    """
    if not _can_lift_anonymity(current.results(assignment_name)):
        abort(409, "Publish the results first: then you may show the names.")
    current.store.anonymity.lift_anonymity(current.course_key, assignment_name, current.person)
    return see_other("staff_class_pages.show_class", assignment_name=assignment_name)


@pages.on_post(f"{STUDENT}/<any(override, comment, exempt, points):kind>", Permission.GRADE)
def decide_about_attempt(assignment_name: str, login_or_pseudonym: str, kind: Kind) -> ResponseReturnValue:
    """Override or add points of an attempt, comment on it, or give it the points of a test."""
    mask_id = get_student_display_names(assignment_name).mask_submission_id
    attempts = _list_attempts(assignment_name, login_or_pseudonym)
    hand_in = next((one for one in attempts if mask_id(one.submission) == _read("attempt")), None) or abort(404)

    def save(graded_class: OpenedGradedClass) -> None:
        comment = ""
        if kind == "comment":
            program = read_program_lines(current.store, hand_in, current.assignment(assignment_name))
            comment = compose_comment(_read("text"), _read("used"), _read("line"), program)
        _save_decisions(graded_class, kind, [hand_in.submission], comment)

    return _change(save, assignment_name, login_or_pseudonym)


@pages.on_post(f"{STUDENT}/<any(reopen, extend):kind>", Permission.EXTEND)
def decide_about_student(assignment_name: str, login_or_pseudonym: str, kind: Kind) -> ResponseReturnValue:
    """Give a student another attempt, or more time."""
    login = _get_student_or_404(assignment_name, login_or_pseudonym).login
    return _change(
        lambda graded_class: _save_decisions(graded_class, kind, [login]), assignment_name, login_or_pseudonym
    )


@pages.on_post(f"{STUDENT}/undo", Permission.GRADE)
def undo_decision_about_student(assignment_name: str, login_or_pseudonym: str) -> ResponseReturnValue:
    """Undo a decision about a student; assistants undo their own."""
    login = _get_student_or_404(assignment_name, login_or_pseudonym).login
    subjects = {login, *(attempt.submission for attempt in _list_attempts(assignment_name, login_or_pseudonym))}
    return _change(lambda graded_class: _undo_decision(graded_class, subjects), assignment_name, login_or_pseudonym)


@pages.on_post("/class/<assignment_name>/exempt", Permission.EXTEND)
def exempt_everyone_from_test(assignment_name: str) -> ResponseReturnValue:
    """Give the whole class the points of a test."""
    return _change(lambda graded_class: _save_decisions(graded_class, "exempt", [EVERYONE]), assignment_name)


@pages.on_post("/class/<assignment_name>/chosen/<any(extend, exempt):kind>", Permission.EXTEND)
def decide_about_chosen(assignment_name: str, kind: Kind) -> ResponseReturnValue:
    """Give the chosen students more time, or the points of a test in the attempts that count; all of them or none."""
    unmask_login = get_student_display_names(assignment_name).unmask_login
    rows = list_chosen_rows(assignment_name)
    if kind == "extend":
        chosen = [unmask_login(member.login) for row in rows for member in row.members if member.account]
    else:
        chosen = [row.counted.submission for row in rows if row.counted]
    return _change(lambda graded_class: _save_decisions(graded_class, kind, chosen), assignment_name)


@pages.on_post("/class/<assignment_name>/undo", Permission.EXTEND)
def undo_decision_about_everyone(assignment_name: str) -> ResponseReturnValue:
    """Undo a decision about the whole class."""
    return _change(lambda graded_class: _undo_decision(graded_class, {EVERYONE}), assignment_name)


def _change(
    carry_out: Callable[[OpenedGradedClass], None], assignment_name: str, login_or_pseudonym: str = ""
) -> ResponseReturnValue:
    """Change something about a student, or else the class, and show the page again, with a fault if there is one."""
    try:
        graded_class = current.results(assignment_name).graded_class_if_any
        if graded_class is None:
            raise CallerFault("nothing of this assignment was graded yet", advice="wait for the first result")
        carry_out(graded_class)
    except CallerFault as fault:
        if login_or_pseudonym:
            return _render_student(assignment_name, login_or_pseudonym, str(fault)), 422
        return render_class_page(assignment_name, str(fault)), 422
    if login_or_pseudonym:
        target = "staff_class_pages.show_student"
        return see_other(target, assignment_name=assignment_name, login_or_pseudonym=login_or_pseudonym)
    return see_other("staff_class_pages.show_class", assignment_name=assignment_name)


def _save_decisions(
    graded_class: OpenedGradedClass, kind: Kind, subjects: Iterable[str], composed_value: str = ""
) -> None:
    """Check the decision in the form about each of some students or submissions, and save them all.

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
    subject, value = map(_read, FIELDS[kind])
    value = composed_value or value
    decisions = []
    for who in subjects:
        decision = check_and_normalize_decision(
            Decision(kind, who, subject, value, _read("reason")),
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


def _undo_decision(graded_class: OpenedGradedClass, subjects: set[str]) -> None:
    """Undo the decision that the form names, if it is about one of ``subjects``.

    Raises:
        CallerFault: it is not, or no reason is given.
    """
    reason = _read("reason").strip()
    if not reason:
        raise CallerFault("the reason is missing", advice="say why it is undone; the audit log keeps it")
    matching_decisions = [
        decision
        for decision in graded_class.load_decision_history()
        if str(decision.id) == _read("decision")
        and not decision.is_undone
        and decision.who in subjects
        and _may_undo(decision)
    ]
    if not matching_decisions:
        raise CallerFault("no decision here matches", advice="load the page again")
    graded_class.undo_decisions(matching_decisions, _make_provenance(), reason)


def _may_undo(decision: Decision) -> bool:
    person = current.person
    return person.role in INSTRUCTORS or decision.account == person.audit_account


def _list_attempts(assignment_name: str, login_or_pseudonym: str) -> list[HandIn]:
    student = _get_student_or_404(assignment_name, login_or_pseudonym)
    return current.store.hand_ins.list_hand_ins(current.course_key, assignment_name, student.account)


def _read(field_name: str) -> str:
    """Return what a field of the form holds, uncut: what is too long is refused; empty where there is no field."""
    return request.form.get(field_name, "").replace("\r\n", "\n") if field_name else ""


def _make_provenance() -> DecisionProvenance:
    person = current.person
    return DecisionProvenance(person.name, person.audit_account)


def load_class_rows(assignment_name: str) -> list[ClassTableRow]:
    """Return the rows of a class that the person may see, under the names that are shown to them."""
    store, course = current.store, current.course_key
    members = store.roll.list_members(course)
    students = [one for one in members if one.role == "student"]
    rows = make_class_table_rows(
        current.results(assignment_name), students, store.hand_ins.list_hand_ins(course, assignment_name)
    )
    display_names = get_student_display_names(assignment_name)
    return [
        row.mask_members_if_graded_anonymously(display_names)
        for row in rows
        if any(map(current.may_see_student, row.members))
    ]


def _read_class_view(assignment_name: str) -> ClassView:
    """Return what the address says of the rows to show.

    Pseudonyms have no section: a small one would say who they are.
    """
    view = ClassView(**{name: request.args[name][:200] for name in VIEW_FIELDS if name in request.args})
    return replace(view, section="") if get_student_display_names(assignment_name).are_hidden else view


def list_chosen_rows(assignment_name: str) -> list[ClassTableRow]:
    """Return the rows that a form of the class page is about: the chosen ones, or all that its address shows."""
    rows = load_class_rows(assignment_name)
    if request.form.get("which") == "all":
        return rows
    if request.form.get("which") == "shown":
        return _read_class_view(assignment_name).select_rows(rows)
    chosen = {*request.form.getlist("chosen")}
    return [row for row in rows if chosen & {member.login for member in row.members}]


def render_class_page(assignment_name: str, refusal_reason: str = "") -> str:
    """Return the page of a class.

    Args:
        assignment_name: the assignment.
        refusal_reason: why the submitted form was refused; empty if none was.
    """
    assignment, results = current.assignment(assignment_name), current.results(assignment_name)
    display_names = get_student_display_names(assignment_name)
    rows, view = load_class_rows(assignment_name), _read_class_view(assignment_name)
    link = make_page_link("staff_class_pages.show_class", assignment_name=assignment_name, **view.filters)
    mistakes = Counter(mistake for row in rows for mistake in row.mistakes)
    return render_template(
        "class.html.j2",
        assignment=assignment,
        tests=sorted({*chain(*{row.summary.tests for row in rows if row.summary})}),
        decided=[
            (decision.id, format_decision_line(decision))
            for decision in results.decisions_in_force
            if decision.who == EVERYONE
        ],
        refused=display_names.mask_text(refusal_reason),
        is_anonymous=display_names.are_hidden,
        can_lift_anonymity=_can_lift_anonymity(results),
        page=cut_page(view.select_rows(rows)),
        link=link,
        total=len(rows),
        view=view,
        sort=view.sort if view.sort in SORTS else "look",
        choices={key: title for key, (title, _) in SHOWN.items()},
        sections=sorted({section for row in rows for one in row.members for section in one.sections}),
        mistakes=[title for title, _ in mistakes.most_common()],
        shows_concepts=request.args.get("concepts") == "yes",
        published_at=results.published_at,
        shown_now=list_visible_parts(assignment.feedback, results.visibility_stage),
        shown_then=list_visible_parts(assignment.feedback, "published"),
        withheld=list_withheld_parts(assignment.feedback, results.visibility_stage),
        waiting=sum(one.state in ("queued", "grading") for row in rows for one in row.hand_ins),
        is_whole_class=not current.own_sections,
    )


def _find_neighbours(assignment_name: str, shown_login: str) -> tuple[str, str]:
    """Return the students before and after one in the list that the address shows; empty where there is none."""
    view = _read_class_view(assignment_name)
    members: Iterable[Enrolment | None]
    if view.filters:
        members = (row.first_enrolled_member for row in view.select_rows(load_class_rows(assignment_name)))
    else:
        students = filter(current.may_see_student, current.store.accounts.list_students(current.course_key))
        masked = [get_student_display_names(assignment_name).mask_person(student) for student in students]
        masked.sort(key=lambda one: (fold_for_search(one.name), one.login))
        members = masked
    logins = ["", *(member.login for member in members if member), ""]
    place = logins.index(shown_login) if shown_login in logins else 0
    return (logins[place - 1], logins[place + 1]) if place else ("", "")


def _render_student(assignment_name: str, login_or_pseudonym: str, refusal_reason: str = "") -> str:
    """Return the page of a student.

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
    attempt_ids = {attempt.submission for attempt in attempts}
    outweighed_decisions = find_outweighed_decisions(
        decision for decision in results.decisions_in_force if decision.who in attempt_ids
    )
    subjects = {login_or_pseudonym, *attempt_ids}
    members = store.accounts.list_team_members(course, student)
    counting = results.find_counting_reasons(attempts, reports)
    preselected = next(
        (attempt for attempt in attempts if attempt.key in counting), attempts[0] if attempts else None
    )
    return render_template(
        "student.html.j2",
        shown=display_names.mask_hand_in(preselected) if preselected else None,
        program=read_program_lines(store, preselected, assignment) if preselected else [],
        repaired_lines=list_repaired_lines(preselected, reports.get(preselected.key)) if preselected else set(),
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
        is_lms_deadline_in_force=results.is_lms_deadline_in_force,
        tests=sorted({test.id for report in reports.values() for test in report.tests}),
        decided=[
            (
                decision.id if decision.who in subjects and _may_undo(decision) else 0,
                display_names.mask_text(format_decision_line(decision, outweighed_decisions)),
            )
            for decision in results.decisions_in_force
            if decision.who in subjects or decision.who == EVERYONE
        ],
        refused=display_names.mask_text(refusal_reason),
        neighbours=_find_neighbours(assignment_name, display_names.mask_login(student.login)),
        view=_read_class_view(assignment_name),
    )


def _get_student_or_404(assignment_name: str, login_or_pseudonym: str) -> Enrolment:
    """Return a student by the login that the staff sees; end the request with 404 if nobody is shown so."""
    student = current.store.accounts.find_enrolment(
        current.course_key, get_student_display_names(assignment_name).unmask_login(login_or_pseudonym)
    )
    if student is None or student.role != "student" or not current.may_see_student(student):
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


def _can_lift_anonymity(results: EffectiveClassResults) -> bool:
    """Return whether results are published, or no deadline is ahead and publishing would show students no more."""
    if results.published_at is not None:
        return True
    feedback, rules = results.assignment.feedback, results.effective_deadline_rules
    is_over = rules.deadline is None or results.visibility_stage == "due"
    return is_over and list_visible_parts(feedback, results.visibility_stage) == list_visible_parts(
        feedback, "published"
    )
