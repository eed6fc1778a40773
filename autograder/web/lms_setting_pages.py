"""Let teachers say when marks go to an LMS, and whose deadline counts: that of ``grading.yml``, or the LMS's."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from autograder.faults import KitFault
from autograder.store.lti_audit import add_lti_audit_event, make_change_event, make_web_actor
from autograder.store.lti_deadline_table import DEADLINE_SOURCES
from autograder.store.outbox_mark import SEND_WHEN
from autograder.web.context import get_assignment, get_course_key, get_person, get_store
from autograder.web.lms_deadlines import store_deadline_of_line_item
from autograder.web.lms_mark_pages import show_marks
from autograder.web.lti_frames import get_tool
from autograder.web.mark_rows import list_line_item_rows
from autograder.web.permissions import Action, needs

pages = Blueprint("lms_setting_pages", __name__)


@pages.post("/class/<name>/lms-deadline")
@needs(Action.EXTEND)
def choose_deadline(name: str) -> ResponseReturnValue:
    """Say whose deadline counts, and read what the LMS says."""
    assignment, store, course = get_assignment(name), get_store(), get_course_key()
    source = next((one for one in DEADLINE_SOURCES if one == request.form.get("source")), None)
    if source is None:
        abort(404)
    store.lti_deadlines.save_deadline_source(course, assignment.name, source, get_person())
    problems = []
    for link in store.lti_contexts.list_connected_line_items(course, assignment.name) if source == "LMS" else []:
        try:
            store_deadline_of_line_item(store, link, get_tool())
        except KitFault as fault:
            problems.append(str(fault))
    if problems:
        return show_marks(name, deadline_problems=problems)
    return redirect(url_for("lms_mark_pages.show", name=name), 303)


@pages.post("/class/<name>/lms-marks/when")
@needs(Action.SEND_MARKS)
def set_when(name: str) -> ResponseReturnValue:
    """Say when the marks of a line item are sent."""
    assignment, wanted = get_assignment(name), request.form.get("when", "")
    rows = list_line_item_rows(get_store(), get_course_key(), assignment.name)
    row = next((one for one in rows if str(one.link.id) == request.form.get("line_item")), None)
    send_when = next((one for one in SEND_WHEN if one == wanted), None)
    if row is None or send_when is None:
        abort(404)
    get_store().mark_settings.save(row.link.id, send_when)
    change = make_change_event("setting", row.send_when, send_when, place=row.place)
    add_lti_audit_event(get_store().audit, get_course_key(), make_web_actor(get_person()), change, name)
    return redirect(url_for("lms_mark_pages.show", name=name), 303)
