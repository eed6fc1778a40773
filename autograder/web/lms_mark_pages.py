"""The teachers' page on marks that go to LMSs: how far each is, what the LMS says, and what is done about it."""

from __future__ import annotations

import csv
import io
import uuid

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from autograder.formula_cells import neutralize_formula
from autograder.lti.mark_steps import describe_value
from autograder.store.audit_log import AuditContext, MarkEvent
from autograder.store.outbox_mark import SEND_WHEN
from autograder.web.context import get_assignment, get_course_key, get_person, get_settings, get_store
from autograder.web.lti_frames import get_tool
from autograder.web.mark_rows import ComparedMark, MarkRow, compare_with_platforms, list_link_rows, list_mark_rows
from autograder.web.permissions import Action, needs

pages = Blueprint("lms_mark_pages", __name__)
MOST_ATTEMPTS = 50


@pages.get("/class/<name>/lms-marks")
@needs(Action.SEND_MARKS)
def show(name: str) -> ResponseReturnValue:
    """Show how far each mark is."""
    return _show(name)


@pages.get("/class/<name>/lms-marks/<int:number>")
@needs(Action.SEND_MARKS)
def show_mark(name: str, number: int) -> ResponseReturnValue:
    """Show everything that was asked of the LMS about one mark, the last first."""
    attempts = get_store().mark_attempts.list_of_mark(number)[::-1][:MOST_ATTEMPTS]
    row = _find_row(name, number)
    return render_template("lms_mark.html.j2", assignment=get_assignment(name), row=row, attempts=attempts)


@pages.get("/class/<name>/lms-marks.csv")
@needs(Action.SEND_MARKS)
def download(name: str) -> ResponseReturnValue:
    """Send the marks as a table, for where the LMS takes nothing else."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["student", "login", "place", "points", "out of", "comment", "state", "answer"])
    for row in list_mark_rows(get_store(), get_course_key(), get_assignment(name).name):
        mark = row.mark
        cells = (row.name, row.login, row.place, f"{mark.value.points:g}", f"{mark.value.maximum:g}")
        writer.writerow([neutralize_formula(one) for one in (*cells, mark.value.comment, mark.state, mark.answer)])
    disposition = {"Content-Disposition": f'attachment; filename="{name}-marks.csv"'}
    return Response("\ufeff" + text.getvalue(), 200, disposition, mimetype="text/csv")


@pages.post("/class/<name>/lms-marks/compare")
@needs(Action.SEND_MARKS)
def compare(name: str) -> ResponseReturnValue:
    """Show what sending would change; nothing is sent."""
    compared, problems = compare_with_platforms(
        get_store(), get_course_key(), get_assignment(name), get_settings().url, get_tool()
    )
    return _show(name, compared, problems)


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
def retry_one(name: str, number: int) -> ResponseReturnValue:
    """Try one mark again, or replace what a person set there."""
    _retry(name, [_find_row(name, number)], overwrites=request.form.get("overwrite") == "yes")
    return redirect(url_for(".show", name=name), 303)


@pages.post("/class/<name>/lms-marks/when")
@needs(Action.SEND_MARKS)
def set_when(name: str) -> ResponseReturnValue:
    """Say when the marks of a line item are sent."""
    assignment, wanted = get_assignment(name), request.form.get("when", "")
    rows = list_link_rows(get_store(), get_course_key(), assignment.name)
    row = next((one for one in rows if str(one.link.id) == request.form.get("line_item")), None)
    send_when = next((one for one in SEND_WHEN if one == wanted), None)
    if row is None or send_when is None:
        abort(404)
    get_store().mark_settings.save(row.link.id, send_when)
    _record(name, [MarkEvent("setting", row.place, "", "everyone", "", row.send_when, send_when)])
    return redirect(url_for(".show", name=name), 303)


def _show(name: str, compared: list[ComparedMark] | None = None, problems: list[str] | None = None) -> str:
    assignment, store, course = get_assignment(name), get_store(), get_course_key()
    rows = list_mark_rows(store, course, assignment.name)
    return render_template(
        "lms_marks.html.j2",
        assignment=assignment,
        rows=rows,
        counts={
            state: sum(row.mark.state == state for row in rows) for state in ("queued", "sent", "rejected", "kept")
        },
        links=list_link_rows(store, course, assignment.name),
        choices=SEND_WHEN,
        compared=compared,
        problems=problems or [],
    )


def _find_row(name: str, number: int) -> MarkRow:
    rows = list_mark_rows(get_store(), get_course_key(), get_assignment(name).name)
    return next((row for row in rows if row.mark.id == number), None) or abort(404)


def _retry(name: str, rows: list[MarkRow], *, overwrites: bool) -> None:
    get_store().mark_outbox.retry(*(row.mark.id for row in rows), overwrites=overwrites)
    what = "to be replaced there" if overwrites else "to be tried again"
    _record(
        name,
        [
            MarkEvent(
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


def _record(name: str, events: list[MarkEvent]) -> None:
    person = get_person()
    context = AuditContext("lms", f"web:{person.login}", "lti", get_course_key(), name, uuid.uuid4().hex)
    get_store().audit.add_events(context, events, "decided", person.name)
