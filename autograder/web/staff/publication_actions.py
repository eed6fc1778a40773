"""Publish the results of an assignment, and take them back."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

from autograder.web.request_context import (
    get_assignment_or_404,
    get_course_key_in_store,
    get_person_or_401,
    get_store,
    see_other,
)
from autograder.web.role_permissions import Permission, requires

pages = Blueprint("publication_actions", __name__)


@pages.post("/class/<assignment_name>/publish")
@requires(Permission.PUBLISH)
def publish_results(assignment_name: str) -> ResponseReturnValue:
    """Publish the results, also of what is handed in later."""
    return _publish(assignment_name, is_published=True)


@pages.post("/class/<assignment_name>/unpublish")
@requires(Permission.PUBLISH)
def unpublish_results(assignment_name: str) -> ResponseReturnValue:
    """Take the results back: students see again what they saw before."""
    return _publish(assignment_name, is_published=False)


def _publish(assignment_name: str, *, is_published: bool) -> ResponseReturnValue:
    assignment = get_assignment_or_404(assignment_name)
    get_store().publications.set_results_published(
        get_course_key_in_store(), assignment.name, get_person_or_401(), is_published=is_published
    )
    return see_other("staff_class_pages.show_class", assignment_name=assignment_name)
