"""Put the courses of a server together: each under its name, an application with sessions and a store of its own."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Flask, render_template
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, SecurityError
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from autograder.course import load_course
from autograder.web.course_app import create_course_app, make_app_with_templates
from autograder.web.course_server_settings import CourseServerSettings
from autograder.web.request_context import SETTINGS
from autograder.web.security_headers import add_security_headers


def create_server_app(courses: Sequence[CourseServerSettings]) -> Flask:
    """Make the application of a server: the only course's, or one that has each course under its name.

    Courses share nothing: each signs its cookies with its own key, and looks up accounts in its own store alone.

    Raises:
        CourseFault: a course does not hold together.
        CallerFault: a folder for results cannot be written to.
    """
    if not courses[0].name:
        return create_course_app(courses[0])
    apps = {settings.prefix: create_course_app(settings) for settings in courses}
    index = _create_index(courses)
    index.wsgi_app = DispatcherMiddleware(index.wsgi_app, {**apps})  # type: ignore[method-assign]
    index.config["MAX_CONTENT_LENGTH"] = max(app.config["MAX_CONTENT_LENGTH"] for app in apps.values())
    return index


def _create_index(courses: Sequence[CourseServerSettings]) -> Flask:
    """Make the page that links to the courses; it has no sign-in, and shows nothing but their titles."""
    app = make_app_with_templates()
    app.config.update({SETTINGS: courses[0], "TRUSTED_HOSTS": courses[0].allowed_host_names})
    titles = {settings.prefix: load_course(settings.course).title or settings.name for settings in courses}

    def render(refused: str = "") -> str:
        return render_template(
            "courses.html.j2", titles=titles, refused=refused, demo=courses[0].demo, course_title="Courses"
        )

    def show_error(error: HTTPException) -> ResponseReturnValue:
        if isinstance(error, SecurityError):
            return "This server does not answer to that name.\n", 400, {"Content-Type": "text/plain"}
        return render("There is no such page."), error.code or 500

    app.add_url_rule("/", "show_courses", render)
    app.register_error_handler(HTTPException, show_error)
    app.after_request(add_security_headers)
    return app
