"""Show the staff the names of students who were graded anonymously."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, url_for
from flask.typing import ResponseReturnValue

from autograder.web.class_results import ClassResults
from autograder.web.context import get_assignment, get_course_key, get_person, get_store
from autograder.web.permissions import Action, needs
from autograder.web.shown_to_students import list_shown_parts

pages = Blueprint("anonymity_pages", __name__)


@pages.post("/class/<name>/show-names")
@needs(Action.PUBLISH)
def show_names(name: str) -> ResponseReturnValue:
    """Show the names from now on, once marks are published; before, whoever grades could still be swayed."""
    assignment = get_assignment(name)
    if not may_show_names(ClassResults(get_store(), get_course_key(), assignment)):
        abort(409, "Publish the results first: then you may show the names.")
    get_store().anonymity.lift_anonymity(get_course_key(), name, get_person())
    return redirect(url_for("class_pages.show_class", name=name), 303)


def may_show_names(results: ClassResults) -> bool:
    """Return whether results are published, or nothing of them waits for that once the last deadline is over."""
    if results.published_at is not None:
        return True
    feedback, rules = results.assignment.feedback, results.effective_deadline_rules
    is_over = rules.deadline is None or results.stage == "due"
    return is_over and list_shown_parts(feedback, results.stage) == list_shown_parts(feedback, "published")
