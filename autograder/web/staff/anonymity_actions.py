"""Show the staff the names of students who were graded anonymously."""

from __future__ import annotations

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from autograder.web.effective_class_results import EffectiveClassResults
from autograder.web.request_context import (
    get_class_results,
    get_course_key_in_store,
    get_person_or_401,
    get_store,
    see_other,
)
from autograder.web.role_permissions import Permission, requires
from autograder.web.students.student_visibility_text import list_visible_parts

pages = Blueprint("anonymity_actions", __name__)


@pages.post("/class/<assignment_name>/show-names")
@requires(Permission.PUBLISH)
def lift_anonymity(assignment_name: str) -> ResponseReturnValue:
    """Show the names from now on.

    Refuse with 409 until ``can_lift_anonymity``, since names could sway those who still grade.
    """
    if not can_lift_anonymity(get_class_results(assignment_name)):
        abort(409, "Publish the results first: then you may show the names.")
    get_store().anonymity.lift_anonymity(get_course_key_in_store(), assignment_name, get_person_or_401())
    return see_other("staff_class_pages.show_class", assignment_name=assignment_name)


def can_lift_anonymity(results: EffectiveClassResults) -> bool:
    """Return whether results are published, or no deadline is ahead and publishing would show students no more."""
    if results.published_at is not None:
        return True
    feedback, rules = results.assignment.feedback, results.effective_deadline_rules
    is_over = rules.deadline is None or results.visibility_stage == "due"
    return is_over and list_visible_parts(feedback, results.visibility_stage) == list_visible_parts(
        feedback, "published"
    )
