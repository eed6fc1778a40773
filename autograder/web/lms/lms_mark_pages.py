"""Show instructors the marks that go to LMSs: the state of each, the LMS's answers, and what they can do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flask import Blueprint, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.lti.next_mark_sending_step import format_points_of_maximum
from autograder.store.lti.lti_deadline_table import DEADLINE_SOURCES
from autograder.store.lti.outbox_mark import SEND_POLICIES
from autograder.web.lms.current_lti_tool import get_lti_tool, record_lms_change
from autograder.web.lms.deadline_overview import load_deadline_overview
from autograder.web.lms.lms_mark_rows import (
    LmsMarkComparison,
    OutboxMarkRow,
    fetch_mark_comparisons,
    list_line_item_rows,
    list_outbox_mark_rows,
)
from autograder.web.lms.outbox_mark_csv import format_outbox_marks_as_csv
from autograder.web.request_context import (
    get_assignment_or_404,
    get_course_key_in_store,
    get_served_course_settings,
    get_store,
    see_other,
)
from autograder.web.role_permissions import Permission, requires
from autograder.web.student_display_names import get_student_display_names

mark_pages = Blueprint("lms_mark_pages", __name__)
MOST_ATTEMPTS = 50


@mark_pages.get("/class/<assignment_name>/lms-marks")
@requires(Permission.SEND_MARKS)
def show_mark_sending_states(assignment_name: str) -> ResponseReturnValue:
    """Show the sending state of each mark."""
    return render_lms_marks_page(assignment_name)


@mark_pages.get("/class/<assignment_name>/lms-marks/<int:mark_id>")
@requires(Permission.SEND_MARKS)
def show_outbox_mark(assignment_name: str, mark_id: int) -> ResponseReturnValue:
    """Show everything that was asked of the LMS about one mark, the last first."""
    row = _find_row(_list_shown_rows(assignment_name), mark_id)
    mask_text = get_student_display_names(assignment_name).mask_text
    attempts = [
        replace(attempt, answer=mask_text(attempt.answer))
        for attempt in get_store().mark_requests.list_requests(mark_id)[::-1][:MOST_ATTEMPTS]
    ]
    return render_template(
        "lms_mark.html.j2", assignment=get_assignment_or_404(assignment_name), row=row, attempts=attempts
    )


@mark_pages.get("/class/<assignment_name>/lms-marks.csv")
@requires(Permission.SEND_MARKS)
def download_lms_marks(assignment_name: str) -> ResponseReturnValue:
    """Send the marks as a table, for where the LMS takes nothing else."""
    rows = _list_shown_rows(assignment_name)
    disposition = {"Content-Disposition": f'attachment; filename="{assignment_name}-marks.csv"'}
    return Response(format_outbox_marks_as_csv(rows), 200, disposition, mimetype="text/csv")


@mark_pages.post("/class/<assignment_name>/lms-marks/compare")
@requires(Permission.SEND_MARKS)
def compare_with_lms_marks(assignment_name: str) -> ResponseReturnValue:
    """Show what sending would change; nothing is sent."""
    comparisons, problems = fetch_mark_comparisons(
        get_store(),
        get_course_key_in_store(),
        get_assignment_or_404(assignment_name),
        get_served_course_settings().course_url,
        get_lti_tool(),
        get_student_display_names(assignment_name),
    )
    return render_lms_marks_page(assignment_name, comparisons, problems)


@mark_pages.post("/class/<assignment_name>/lms-marks/retry")
@requires(Permission.SEND_MARKS)
def requeue_rejected_marks(assignment_name: str) -> ResponseReturnValue:
    """Queue every mark again that was rejected."""
    _requeue_marks(
        assignment_name,
        [row for row in _list_rows(assignment_name) if row.mark.state == "rejected"],
        may_overwrite=False,
    )
    return see_other(".show_mark_sending_states", assignment_name=assignment_name)


@mark_pages.post("/class/<assignment_name>/lms-marks/<int:mark_id>/retry")
@requires(Permission.SEND_MARKS)
def requeue_mark(assignment_name: str, mark_id: int) -> ResponseReturnValue:
    """Queue one mark again; the form may allow that it replaces what a person set there."""
    _requeue_marks(
        assignment_name,
        [_find_row(_list_rows(assignment_name), mark_id)],
        may_overwrite=request.form.get("overwrite") == "yes",
    )
    return see_other(".show_mark_sending_states", assignment_name=assignment_name)


def render_lms_marks_page(
    assignment_name: str,
    mark_comparisons: list[LmsMarkComparison] | None = None,
    comparison_problems: Sequence[str] = (),
    deadline_problems: Sequence[str] = (),
) -> str:
    """Return the page.

    Args:
        assignment_name: the assignment.
        mark_comparisons: the marks here and there, where somebody asked for them.
        comparison_problems: what could not be compared.
        deadline_problems: what could not be read of the LMS's deadlines.
    """
    assignment, store, course = get_assignment_or_404(assignment_name), get_store(), get_course_key_in_store()
    rows = _list_shown_rows(assignment_name)
    return render_template(
        "lms_marks.html.j2",
        assignment=assignment,
        rows=rows,
        counts={
            state: sum(row.mark.state == state for row in rows) for state in ("queued", "sent", "rejected", "kept")
        },
        links=list_line_item_rows(store, course, assignment.name),
        choices=SEND_POLICIES,
        deadline_sources=DEADLINE_SOURCES,
        compared=mark_comparisons,
        problems=comparison_problems,
        deadline=load_deadline_overview(store, course, assignment),
        deadline_problems=deadline_problems,
    )


def _list_rows(assignment_name: str) -> list[OutboxMarkRow]:
    """Return the outbox with names and logins as they are, for the audit log."""
    return list_outbox_mark_rows(get_store(), get_course_key_in_store(), get_assignment_or_404(assignment_name).name)


def _list_shown_rows(assignment_name: str) -> list[OutboxMarkRow]:
    """Return the outbox as the person who asks may see it."""
    assignment, display_names = get_assignment_or_404(assignment_name), get_student_display_names(assignment_name)
    return list_outbox_mark_rows(get_store(), get_course_key_in_store(), assignment.name, display_names)


def _find_row(rows: Sequence[OutboxMarkRow], mark_id: int) -> OutboxMarkRow:
    return next((row for row in rows if row.mark.id == mark_id), None) or abort(404)


def _requeue_marks(assignment_name: str, rows: list[OutboxMarkRow], *, may_overwrite: bool) -> None:
    request_text = "to be replaced there" if may_overwrite else "to be tried again"
    store, course = get_store(), get_course_key_in_store()
    with store.group():
        store.mark_outbox.requeue_unsent(*(row.mark.id for row in rows), may_overwrite_mark_of_person=may_overwrite)
        for row in rows:
            after = f"{format_points_of_maximum(row.mark.value)}, {request_text}"
            student = store.accounts.find_enrolment(course, row.login)
            record_lms_change(
                "mark", row.mark.answer, after, place=row.place, about=student, assignment=assignment_name
            )
