"""Let teachers say whose deadline counts for an assignment: that of ``grading.yml``, or the LMS's."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from autograder.faults import KitFault
from autograder.store.lti_deadline_table import DEADLINE_SOURCES
from autograder.web.context import get_assignment, get_course_key, get_person, get_store
from autograder.web.lms_deadlines import read_deadline_of_column
from autograder.web.lms_mark_pages import show_marks
from autograder.web.lti_frames import get_tool
from autograder.web.permissions import Action, needs

pages = Blueprint("lms_deadline_pages", __name__)


@pages.post("/class/<name>/lms-deadline")
@needs(Action.EXTEND)
def choose(name: str) -> ResponseReturnValue:
    """Say whose deadline counts, and read what the LMS says."""
    assignment, store, course = get_assignment(name), get_store(), get_course_key()
    source = next((one for one in DEADLINE_SOURCES if one == request.form.get("source")), None)
    if source is None:
        abort(404)
    store.lti_deadlines.save_source(course, assignment.name, source, get_person())
    problems = []
    for link in store.lti_contexts.list_line_items(course, assignment.name) if source == "LMS" else []:
        try:
            read_deadline_of_column(store, link, get_tool())
        except KitFault as fault:
            problems.append(str(fault))
    if problems:
        return show_marks(name, deadline_problems=problems)
    return redirect(url_for("lms_mark_pages.show", name=name), 303)
