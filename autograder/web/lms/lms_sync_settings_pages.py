"""Let instructors say when marks go to an LMS, and whose deadline counts: that of ``grading.yml``, or the LMS's."""

from __future__ import annotations

from flask import Blueprint, abort, request
from flask.typing import ResponseReturnValue

from autograder.faults import KitFault
from autograder.lti import platform_audit_events
from autograder.store.lti.lti_deadline_table import DEADLINE_SOURCES
from autograder.store.lti.outbox_mark import SEND_POLICIES
from autograder.web.lms.current_lti_tool import get_lti_actor, get_lti_tool, record_lms_change
from autograder.web.lms.lms_deadline_refresh import refresh_line_item_deadline
from autograder.web.lms.lms_mark_pages import render_lms_marks_page
from autograder.web.lms.lms_mark_rows import LineItemRow, list_line_item_rows
from autograder.web.request_context import (
    get_assignment_or_404,
    get_course_key_in_store,
    get_person_or_401,
    get_store,
    see_other,
)
from autograder.web.role_permissions import Permission, requires

settings_pages = Blueprint("lms_sync_settings_pages", __name__)


@settings_pages.post("/class/<assignment_name>/lms-deadline")
@requires(Permission.EXTEND)
def choose_deadline_source(assignment_name: str) -> ResponseReturnValue:
    """Save whose deadline counts, and fetch the LMS's deadlines."""
    assignment, store, course = get_assignment_or_404(assignment_name), get_store(), get_course_key_in_store()
    source = next((choice for choice in DEADLINE_SOURCES if choice == request.form.get("source")), None)
    if source is None:
        abort(404)
    store.lti_deadlines.set_deadline_source(course, assignment.name, source, get_person_or_401())
    problems = []
    for link in store.lti_links.list_in_connected_courses(course, assignment.name) if source == "LMS" else []:
        try:
            refresh_line_item_deadline(store, link, get_lti_tool())
        except KitFault as fault:
            problems.append(str(fault))
    if problems:
        return render_lms_marks_page(assignment_name, deadline_problems=problems)
    return see_other("lms_mark_pages.show_mark_sending_states", assignment_name=assignment_name)


@settings_pages.post("/class/<assignment_name>/lms-marks/when")
@requires(Permission.SEND_MARKS)
def set_mark_send_policy(assignment_name: str) -> ResponseReturnValue:
    """Save when the marks of a line item are sent."""
    row, requested_policy = _get_row_or_404(assignment_name), request.form.get("when", "")
    send_policy = next((policy for policy in SEND_POLICIES if policy == requested_policy), None)
    if send_policy is None:
        abort(404)
    store = get_store()
    with store.group():
        store.line_item_send_policies.save_send_policy(row.link.id, send_policy)
        record_lms_change("setting", row.send_policy, send_policy, place=row.place, assignment=assignment_name)
    return see_other("lms_mark_pages.show_mark_sending_states", assignment_name=assignment_name)


@settings_pages.post("/class/<assignment_name>/lms-marks/forget")
@requires(Permission.SEND_MARKS)
def forget_link(assignment_name: str) -> ResponseReturnValue:
    """Forget a link whose column for marks is gone; a launch by it makes it known again."""
    link = _get_row_or_404(assignment_name).link
    if link.line_item_url:
        abort(404)
    platform_audit_events.forget_link(get_store(), get_course_key_in_store(), get_lti_actor(), link)
    return see_other("lms_mark_pages.show_mark_sending_states", assignment_name=assignment_name)


def _get_row_or_404(assignment_name: str) -> LineItemRow:
    """Return the line item that the form is about."""
    assignment = get_assignment_or_404(assignment_name)
    rows = list_line_item_rows(get_store(), get_course_key_in_store(), assignment.name)
    return next((row for row in rows if str(row.link.id) == request.form.get("line_item")), None) or abort(404)
