"""Publish the results of an assignment, and take them back."""

from __future__ import annotations

from flask import Blueprint, redirect, url_for
from flask.typing import ResponseReturnValue

from autograder.web.context import get_assignment, get_course_key, get_person, get_store
from autograder.web.permissions import Action, needs

pages = Blueprint("publication_pages", __name__)


@pages.post("/class/<name>/publish")
@needs(Action.PUBLISH)
def publish(name: str) -> ResponseReturnValue:
    """Publish the results, also of what is handed in later."""
    return _publish(name, is_published=True)


@pages.post("/class/<name>/unpublish")
@needs(Action.PUBLISH)
def unpublish(name: str) -> ResponseReturnValue:
    """Take the results back: students see again what they saw before."""
    return _publish(name, is_published=False)


def _publish(name: str, *, is_published: bool) -> ResponseReturnValue:
    assignment = get_assignment(name)
    get_store().publications.set_published(get_course_key(), assignment.name, get_person(), is_published=is_published)
    return redirect(url_for("class_pages.show_class", name=name), 303)
