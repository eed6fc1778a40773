"""The teachers' page on marks that go to LMSs: how far each is, what the LMS says, and what is done about it."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from autograder.lti.mark_steps import describe_value
from autograder.store.audit_log import AuditEvent
from autograder.store.lti_audit import add_lti_audit_event, make_web_actor
from autograder.store.lti_deadline_table import DEADLINE_SOURCES
from autograder.store.outbox_mark import SEND_WHEN
from autograder.web.context import get_assignment, get_course_key, get_person, get_settings, get_store
from autograder.web.lms_deadlines import load_deadline_choice
from autograder.web.lti_frames import get_tool
from autograder.web.mark_csv import format_mark_table
from autograder.web.mark_rows import (
    ComparedMark,
    MarkRow,
    compare_with_platforms,
    list_line_item_rows,
    list_mark_rows,
)
from autograder.web.permissions import Action, needs

pages = Blueprint("lms_mark_pages", __name__)
MOST_ATTEMPTS = 50


@pages.get("/class/<name>/lms-marks")
@needs(Action.SEND_MARKS)
def show(name: str) -> ResponseReturnValue:
    """Show how far each mark is."""
    return show_marks(name)


@pages.get("/class/<name>/lms-marks/<int:number>")
@needs(Action.SEND_MARKS)
def show_mark(name: str, number: int) -> ResponseReturnValue:
    """Show everything that was asked of the LMS about one mark, the last first."""
    attempts = get_store().mark_requests.list_of_mark(number)[::-1][:MOST_ATTEMPTS]
    row = _find_row(name, number)
    return render_template("lms_mark.html.j2", assignment=get_assignment(name), row=row, attempts=attempts)


@pages.get("/class/<name>/lms-marks.csv")
@needs(Action.SEND_MARKS)
def download(name: str) -> ResponseReturnValue:
    """Send the marks as a table, for where the LMS takes nothing else."""
    rows = list_mark_rows(get_store(), get_course_key(), get_assignment(name).name)
    disposition = {"Content-Disposition": f'attachment; filename="{name}-marks.csv"'}
    return Response(format_mark_table(rows), 200, disposition, mimetype="text/csv")


@pages.post("/class/<name>/lms-marks/compare")
@needs(Action.SEND_MARKS)
def compare(name: str) -> ResponseReturnValue:
    """Show what sending would change; nothing is sent."""
    compared, problems = compare_with_platforms(
        get_store(), get_course_key(), get_assignment(name), get_settings().url, get_tool()
    )
    return show_marks(name, compared, problems)


@pages.post("/class/<name>/lms-marks/retry")
@needs(Action.SEND_MARKS)
def retry(name: str) -> ResponseReturnValue:
    """Try every mark again that was rejected."""
    assignment = get_assignment(name)
    rows = list_mark_rows(get_store(), get_course_key(), assignment.name)
    _retry(name, [row for row in rows if row.mark.state == "rejected"], overwrites=False)
    return redirect(url_for(".show", name=name), 303)


@pages.post("/class/<name>/lms-marks/<int:number>/retry")
@needs(Action.SEND_MARKS)
def retry_or_overwrite_one(name: str, number: int) -> ResponseReturnValue:
    """Try one mark again, or replace what a person set there."""
    _retry(name, [_find_row(name, number)], overwrites=request.form.get("overwrite") == "yes")
    return redirect(url_for(".show", name=name), 303)


def show_marks(
    assignment_name: str,
    compared: list[ComparedMark] | None = None,
    problems: Sequence[str] = (),
    deadline_problems: Sequence[str] = (),
) -> str:
    """Return the page.

    Args:
        assignment_name: the assignment.
        compared: the marks here and there, where somebody asked for them.
        problems: what could not be compared.
        deadline_problems: what could not be read of the LMS's deadlines.
    """
    assignment, store, course = get_assignment(assignment_name), get_store(), get_course_key()
    rows = list_mark_rows(store, course, assignment.name)
    return render_template(
        "lms_marks.html.j2",
        assignment=assignment,
        rows=rows,
        counts={
            state: sum(row.mark.state == state for row in rows) for state in ("queued", "sent", "rejected", "kept")
        },
        links=list_line_item_rows(store, course, assignment.name),
        choices=SEND_WHEN,
        deadline_sources=DEADLINE_SOURCES,
        compared=compared,
        problems=problems,
        deadline=load_deadline_choice(store, course, assignment),
        deadline_problems=deadline_problems,
    )


def _find_row(name: str, number: int) -> MarkRow:
    rows = list_mark_rows(get_store(), get_course_key(), get_assignment(name).name)
    return next((row for row in rows if row.mark.id == number), None) or abort(404)


def _retry(name: str, rows: list[MarkRow], *, overwrites: bool) -> None:
    get_store().mark_outbox.requeue_rejected_or_kept(*(row.mark.id for row in rows), overwrites=overwrites)
    what = "to be replaced there" if overwrites else "to be tried again"
    _record(
        name,
        [
            AuditEvent(
                "mark",
                row.place,
                "",
                row.name,
                row.login,
                row.mark.answer,
                f"{describe_value(row.mark.value)}, {what}",
            )
            for row in rows
        ],
    )


def _record(name: str, events: list[AuditEvent]) -> None:
    for event in events:
        add_lti_audit_event(get_store().audit, get_course_key(), make_web_actor(get_person()), event, name)
