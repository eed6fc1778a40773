"""Show the staff the table of a class, and carry out what is decided about all or several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from itertools import chain

from flask import abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.batch.graded_class import OpenedGradedClass
from autograder.decisions import EVERYONE
from autograder.decisions.decision_model import Kind, format_decision_line
from autograder.faults import CallerFault
from autograder.store.audit import AuditRow, AuditSelection
from autograder.web.class_table import (
    SHOWN,
    SORTS,
    ClassTableRow,
    ClassView,
    make_class_table_rows,
)
from autograder.web.decision_forms import NOBODY_CHOSEN, carry_out, save_decisions, undo_decision
from autograder.web.listing import SectionFilter, cut_page, load_page_of_log, make_page_link, read_section_filter
from autograder.web.names import get_student_display_names, name_label
from autograder.web.request import Pages, Permission, current, see_other
from autograder.web.results import EffectiveClassResults
from autograder.web.setting_values import name_zone
from autograder.web.wording import list_visible_parts, list_withheld_parts

pages = Pages("staff_class_pages", __name__)
VIEW_FIELDS = tuple(field.name for field in fields(ClassView))


@pages.on_get("/class/<assignment_name>", Permission.SEE_CLASS)
def show_class(assignment_name: str) -> ResponseReturnValue:
    """Show the class as a table."""
    return render_class_page(assignment_name)


@pages.on_get("/class/<assignment_name>/log", Permission.AUDIT)
def show_audit_log(assignment_name: str) -> ResponseReturnValue:
    """Show every change and sending of a mark, the latest first."""
    assignment = current.assignment(assignment_name)
    section = read_section_filter(assignment_name)
    about = None if section.shows_all else _list_audited_names(assignment_name, section)
    page = load_page_of_log(AuditSelection(current.course_key, assignment_name, about=about))
    rows = [_mask_event(row, assignment_name) for row in page.rows]
    link = make_page_link("staff_class_pages.show_audit_log", assignment_name=assignment_name, section=section.chosen)
    page = replace(page, rows=rows)
    return render_template("log.html.j2", assignment=assignment, page=page, link=link, section=section)


def _list_audited_names(assignment_name: str, section: SectionFilter) -> frozenset[str]:
    """Return how the audit log calls those of a section: by student, team and submission."""
    hand_ins = current.store.hand_ins.list_hand_ins(current.course_key, assignment_name)
    shown = [name for one in hand_ins if section.shows(one.owner) for name in (one.owner, one.submission)]
    return frozenset([*shown, *filter(section.shows, current.student_by_login)])


@pages.on_post("/class/<assignment_name>/<any(publish, unpublish):action>", Permission.PUBLISH)
def publish_or_take_back(assignment_name: str, action: str) -> ResponseReturnValue:
    """Publish the results, also of what is handed in later; or take them back, so that students see less again."""
    current.store.publications.set_results_published(
        current.course_key, current.assignment(assignment_name).name, current.person, is_published=action == "publish"
    )
    return _show_class_again(assignment_name)


@pages.on_post("/class/<assignment_name>/chosen/<any(publish, unpublish):action>", Permission.PUBLISH)
def publish_chosen_or_take_back(assignment_name: str, action: str) -> ResponseReturnValue:
    """Publish the results of the chosen students alone, or take theirs back; those of the others stay as they are."""
    unmask_login = get_student_display_names(assignment_name).unmask_login
    members = chain(*(row.members for row in list_chosen_rows(assignment_name)))
    students = [replace(member, login=unmask_login(member.login)) for member in members if member.account]
    if not students:
        return render_class_page(assignment_name, str(CallerFault(*NOBODY_CHOSEN))), 422
    current.store.publications.set_results_published(
        current.course_key, assignment_name, current.person, is_published=action == "publish", students=students
    )
    return _show_class_again(assignment_name)


@pages.on_post("/class/<assignment_name>/show-names", Permission.PUBLISH)
def lift_anonymity(assignment_name: str) -> ResponseReturnValue:
    """Show the names from now on.

    Refuse with 409 until ``can_lift_anonymity``, since names could sway those who still grade.
    """
    if not _can_lift_anonymity(current.results(assignment_name)):
        abort(409, "Publish the results first: then you may show the names.")
    current.store.anonymity.lift_anonymity(current.course_key, assignment_name, current.person)
    return _show_class_again(assignment_name)


@pages.on_post("/class/<assignment_name>/exempt", Permission.EXTEND)
def exempt_everyone_from_test(assignment_name: str) -> ResponseReturnValue:
    """Give the whole class the points of a test."""
    return _change(assignment_name, lambda graded_class: save_decisions(graded_class, "exempt", [EVERYONE]))


@pages.on_post("/class/<assignment_name>/chosen/<any(extend, exempt):kind>", Permission.EXTEND)
def decide_about_chosen(assignment_name: str, kind: Kind) -> ResponseReturnValue:
    """Give the chosen students more time, or the points of a test in the attempts that count; all of them or none."""
    unmask_login = get_student_display_names(assignment_name).unmask_login
    rows = list_chosen_rows(assignment_name)
    if kind == "extend":
        chosen = [unmask_login(member.login) for row in rows for member in row.members if member.account]
    else:
        chosen = [row.counted.submission for row in rows if row.counted]
    return _change(assignment_name, lambda graded_class: save_decisions(graded_class, kind, chosen))


@pages.on_post("/class/<assignment_name>/undo", Permission.EXTEND)
def undo_decision_about_everyone(assignment_name: str) -> ResponseReturnValue:
    """Undo a decision about the whole class."""
    return _change(assignment_name, lambda graded_class: undo_decision(graded_class, {EVERYONE}))


def _change(assignment_name: str, change: Callable[[OpenedGradedClass], None]) -> ResponseReturnValue:
    return carry_out(
        change,
        assignment_name,
        lambda refusal: render_class_page(assignment_name, refusal),
        lambda: _show_class_again(assignment_name),
    )


def _show_class_again(assignment_name: str) -> ResponseReturnValue:
    filters = read_class_view(assignment_name).filters
    return see_other("staff_class_pages.show_class", assignment_name=assignment_name, **filters, saved="yes")


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


def read_class_view(assignment_name: str) -> ClassView:
    """Return what the address says of the rows to show."""
    view = ClassView(**{name: request.args[name][:200] for name in VIEW_FIELDS if name in request.args})
    return replace(view, section=read_section_filter(assignment_name).chosen)


def list_chosen_rows(assignment_name: str) -> list[ClassTableRow]:
    """Return the rows that a form of the class page is about: the chosen ones, or all that its address shows."""
    rows = load_class_rows(assignment_name)
    if request.form.get("which") == "all":
        return rows
    if request.form.get("which") == "shown":
        return read_class_view(assignment_name).select_rows(rows)
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
    rows, view = load_class_rows(assignment_name), read_class_view(assignment_name)
    link = make_page_link("staff_class_pages.show_class", assignment_name=assignment_name, **view.filters)
    mistakes = Counter(mistake for row in rows for mistake in row.mistakes)
    stage = results.get_visibility_stage()
    return render_template(
        "class.html.j2",
        assignment=assignment,
        tests=sorted({test.id for test in chain(*{row.summary.tests for row in rows if row.summary})}),
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
        published_times=results.published_times,
        shown_now=list_visible_parts(assignment.feedback, stage),
        shown_then=list_visible_parts(assignment.feedback, "published"),
        withheld=list_withheld_parts(assignment.feedback, stage),
        zone=name_zone(results.effective_deadline_rules) or "UTC",
        waiting=sum(one.state in ("queued", "grading") for row in rows for one in row.hand_ins),
        graded=sum(row.summary is not None for row in rows),
        is_whole_class=not current.own_sections,
    )


def _mask_event(row: AuditRow, assignment_name: str) -> AuditRow:
    """Return a row of the audit log as the staff may see it."""
    display_names, label = get_student_display_names(assignment_name), row.event.student_label
    if not display_names.are_hidden:
        return replace(row, event=replace(row.event, student_label=name_label(assignment_name, label)))
    mask_text = display_names.mask_text
    event = replace(
        row.event,
        student="",
        student_label=mask_text(label),
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
    feedback, rules, stage = (
        results.assignment.feedback,
        results.effective_deadline_rules,
        results.get_visibility_stage(),
    )
    is_over = rules.deadline is None or stage == "due"
    return stage == "published" or (
        is_over and list_visible_parts(feedback, stage) == list_visible_parts(feedback, "published")
    )
