"""Give a request its settings, its course, its store (opened once per request) and the signed-in person."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from typing import Any

from flask import abort, current_app, g, redirect, request, url_for
from werkzeug.wrappers import Response

from autograder.course import Assignment, Course, load_course
from autograder.faults import CourseFault, Fault
from autograder.safe_text import escape_for_display
from autograder.store.store import Store
from autograder.store.web.account_tables import Enrolment
from autograder.web.course_server_settings import CourseServerSettings
from autograder.web.effective_class_results import EffectiveClassResults
from autograder.web.role_permissions import STAFF

SETTINGS, COURSE = "AUTOGRADER", "autograder-course"
ARRIVED_AT = "autograder.arrived_at"
"""The key of the time of arrival in the environment of a request."""
COURSE_SECONDS = 5.0
"""How long a loaded course is reused: all its files are hashed each time that it is loaded."""


def get_served_course_settings() -> CourseServerSettings:
    """Return how the course of this request is served."""
    settings = current_app.config[SETTINGS]
    assert isinstance(settings, CourseServerSettings)
    return settings


def get_course_key_in_store() -> str:
    """Return the key of the course in the store."""
    return get_served_course_settings().location.class_key_in_store


def get_course() -> Course:
    """Return the course, up to ``COURSE_SECONDS`` old; if ``grading.yml`` is invalid now, the last valid course."""
    if "course" not in g:
        read_at, g.course = current_app.extensions.get(COURSE, (-COURSE_SECONDS, None))
        if time.monotonic() - read_at > COURSE_SECONDS or g.course is None:
            try:
                g.course = load_course(get_served_course_settings().course)
            except CourseFault as fault:
                if g.course is None:
                    raise
                text = f"the course cannot be loaded, so the last valid one is served: {fault}"
                log_and_save_fault_of(text, "course")
            current_app.extensions[COURSE] = time.monotonic(), g.course
    course: Course = g.course
    return course


def log_and_save_fault_of(text: str, source: str) -> None:
    """Log a fault, and save it for the page on the server's health unless the store fails, too."""
    current_app.logger.error("%s", escape_for_display(text, 1000))
    with suppress(Fault):
        get_store().faults.record_fault(get_course_key_in_store(), source, text)


def get_assignment_or_404(assignment_name: str) -> Assignment:
    """Return an assignment; end the request with 404 if there is none of that name."""
    return get_course().find_assignment(assignment_name) or abort(404)


def get_class_results(assignment_name: str) -> EffectiveClassResults:
    """Return the results of an assignment; end the request with 404 if there is none of that name."""
    return EffectiveClassResults(get_store(), get_course_key_in_store(), get_assignment_or_404(assignment_name))


def get_arrival_time() -> datetime:
    """Return when the request had arrived; the present time where the server does not say. Call it first."""
    seconds = request.environ.get(ARRIVED_AT)
    return datetime.now(UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)


def see_other(endpoint: str, **values: Any) -> Response:
    """Return the redirect of a browser to another page, after a form was received."""
    return redirect(url_for(endpoint, **values), 303)


def get_store() -> Store:
    """Return the store; it is closed with the request."""
    if "store" not in g:
        g.closing = ExitStack()
        g.store = g.closing.enter_context(get_served_course_settings().location.open_or_create_store())
    store: Store = g.store
    return store


def close_request_resources(error: BaseException | None = None) -> None:
    """Close the store if the request opened it, and what was uploaded."""
    request.close()
    closing = g.pop("closing", None)
    if closing:
        closing.close()


def get_account_unless_staff() -> int | None:
    """Return the account whose hand-ins alone the signed-in person may see; None for staff, who may see all."""
    person = get_person_or_401()
    return None if person.role in STAFF else person.account


def get_person_or_401() -> Enrolment:
    """Return the signed-in person; end the request with 401 if there is none."""
    person: Enrolment | None = g.get("person")
    if person is None:
        abort(401)
    return person
