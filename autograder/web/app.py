"""Make the web application of one course: what holds for every request, and the pages."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from flask import Flask, abort, current_app, g, request
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter
from flask_wtf.csrf import CSRFProtect
from jinja2 import StrictUndefined
from werkzeug.exceptions import HTTPException

from autograder.course import load_course
from autograder.faults import Fault
from autograder.files import write_secret_file
from autograder.web import (
    account,
    assignments,
    class_pages,
    class_reports,
    exports,
    extensions,
    gradebook,
    hand_ins,
    handouts,
    health,
    imports,
    inquiries,
    people_pages,
    regrades,
    shell,
    sign_in,
    student_pages,
    term_settings,
)
from autograder.web.lti import are_packages_installed
from autograder.web.request import (
    INSTRUCTORS,
    NOBODY,
    SETTINGS,
    STAFF,
    Permission,
    add_security_headers,
    allow,
    close_request_resources,
    current,
    make_rate_limit_key,
    may_role_call_view,
    render_message,
    see_other,
    show_fault,
    show_http_error,
)
from autograder.web.settings import CourseServerSettings
from autograder.web.sign_in import SIGNED_IN_FOR, get_current_user
from autograder.web.wording import FILTERS

SECRET = "web-secret"


def _read_or_make_cookie_secret(output_folder: Path) -> str:
    """Return the secret that signs cookies; make it the first time. Only the web process reads it.

    Raises:
        OSError: the folder cannot be written to.
    """
    path = output_folder / SECRET
    if not path.exists():
        write_secret_file(path, secrets.token_hex(32).encode())
    return path.read_text(encoding="ascii")


FORM_BYTES = 64 * 1024
"""Bytes that a form may have in addition to the uploaded file."""
PLAIN_FORM_BYTES = 512 * 1024
"""Most bytes of a form without a file, such as the largest class's checkboxes. Flask makes an object of every field
of such a form, whoever sends it: 20 MB of them would take 5 s and a gigabyte."""
BLUEPRINTS = (
    sign_in.pages,
    account.pages,
    shell.pages,
    assignments.pages,
    hand_ins.pages,
    handouts.pages,
    inquiries.pages,
    class_reports.pages,
    regrades.pages,
    class_pages.pages,
    student_pages.pages,
    gradebook.pages,
    people_pages.pages,
    imports.pages,
    exports.pages,
    extensions.pages,
    term_settings.pages,
    health.pages,
)


def create_course_app(settings: CourseServerSettings) -> Flask:
    """Make the application.

    Raises:
        CourseFault: the course does not hold together.
        CallerFault: the folder for results cannot be written to.
    """
    course = load_course(settings.course)
    app = make_app_with_templates()
    max_request_bytes = max(assignment.limits.submission_mb for assignment in course.assignments) * 2**20 + FORM_BYTES
    app.config.update(
        {
            SETTINGS: settings,
            "SECRET_KEY": _read_or_make_cookie_secret(settings.location.output_folder),
            "MAX_CONTENT_LENGTH": max_request_bytes,
            "MAX_FORM_MEMORY_SIZE": max_request_bytes,
            "MAX_FORM_PARTS": 20,
            "SESSION_COOKIE_NAME": settings.cookie_name,
            "SESSION_COOKIE_SECURE": settings.is_https,
            "SESSION_COOKIE_HTTPONLY": True,
            "SESSION_COOKIE_SAMESITE": "Lax",
            "PERMANENT_SESSION_LIFETIME": SIGNED_IN_FOR,
            "TRUSTED_HOSTS": settings.allowed_host_names,
            "WTF_CSRF_TIME_LIMIT": None,  # as long as the session: a page may stay open over night
            "RATELIMIT_HEADERS_ENABLED": False,
        }
    )
    app.before_request(_check_permission)  # before CSRF: a refused person learns nothing else
    tokens = CSRFProtect(app)
    tokens.exempt(shell.pages)  # no browser sends its token by itself
    limiter = Limiter(make_rate_limit_key, app=app, default_limits=["600 per minute"], storage_uri="memory://")
    for pages in BLUEPRINTS:
        app.register_blueprint(pages)
    if are_packages_installed():
        from autograder.web.lms.pages import add_lti_pages

        add_lti_pages(app, tokens, limiter)
    if settings.openid:
        from autograder.web.openid import add_openid_pages

        add_openid_pages(app, settings.openid)
    for method, limits in LIMITS.items():
        for endpoint, limit in limits.items():
            if endpoint not in app.view_functions:
                continue
            limited_view: Any = limiter.limit(limit, methods=[method])(app.view_functions[endpoint])
            app.view_functions[endpoint] = limited_view
    allow(app.view_functions["static"], Permission.SIGN_IN)
    app.context_processor(_describe_request)
    app.after_request(add_security_headers)
    app.teardown_request(close_request_resources)
    app.register_error_handler(HTTPException, show_http_error)
    app.register_error_handler(Fault, show_fault)
    return app


def make_app_with_templates() -> Flask:
    """Return an application without pages, with the templates and their filters."""
    app = Flask("autograder.web", template_folder="templates", static_folder="static")
    app.jinja_options = {"autoescape": True, "undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    app.jinja_env.filters.update(FILTERS)
    return app


LIMITS = {
    "POST": {
        "sign_in_pages.sign_in_with_link": "20 per minute",
        "sign_in_pages.mail_sign_in_link": "5 per minute",
        "shell_pages.receive_hand_in": "10 per minute",
        "account_pages.make_shell_token": "5 per minute",
        "sign_in_pages.sign_in_as_demo_person": "60 per minute",
        "student_assignment_pages.receive_hand_in": "10 per minute",
        "inquiry_pages.open_or_join_inquiry": "10 per minute",
        "inquiry_pages.ask_follow_up_question": "10 per minute",
        "import_pages.preview_or_queue_import": "20 per minute",
        "people_pages.preview_or_apply_roster": "20 per minute",
    },
    "GET": {
        "openid_pages.go_to_provider": "20 per minute",
        "openid_pages.sign_in_from_provider": "20 per minute",
        "hand_in_result_pages.show_changes_since_best_attempt": "20 per minute",
        "class_report_pages.show_similar_code": "60 per minute",
    },
}
"""Rate limits of costly requests, by method and endpoint: for each account, or address if no one is signed in."""


def _check_permission() -> ResponseReturnValue | None:
    g.person = None
    if request.endpoint is None:
        with suppress(Fault):  # a store that fails is no reason to hide that the page does not exist
            g.person = get_current_user()
        return None  # no such page: 404, with the navigation of the person
    is_shell = request.blueprint == shell.pages.name
    if request.mimetype == "application/x-www-form-urlencoded" and not is_shell:
        request.max_content_length = PLAIN_FORM_BYTES
    if is_shell:
        g.person = shell.get_current_user()
    elif request.endpoint != "static":
        g.person = get_current_user()
    if "\0" in request.path:
        abort(404)  # PostgreSQL refuses it, which would look like a fault of the server
    has_lost_access = g.person is not None and g.person.ended_at is not None
    if has_lost_access:
        g.person = None
    elif g.person:
        with suppress(Fault):  # a full disk is no reason to show no page
            current.store.roll.record_seen(current.course_key, g.person)
    role = g.person.role if g.person else NOBODY
    if may_role_call_view(role, current_app.view_functions.get(request.endpoint)):
        if request.endpoint == "import_pages.preview_or_queue_import" and request.mimetype == "multipart/form-data":
            request.max_content_length = imports.DOWNLOAD_BYTES + FORM_BYTES
        return None
    if is_shell:
        is_known = g.person is not None or has_lost_access
        abort(403 if is_known else 401, f"This is not for a {role}" if is_known else shell.NO_TOKEN)
    if has_lost_access:
        text = "The staff of this course ended it. What you handed in is kept; ask them if that is a mistake."
        return render_message("You have no access any more", text, 403)
    if g.person is None:
        return see_other("sign_in_pages.show_sign_in")
    return render_message(
        "This page is not for you", f"You are signed in as {role}, but this page is for other roles.", 403
    )


def _describe_request() -> dict[str, object]:
    person = g.get("person")
    role = person.role if person else NOBODY
    return {
        "person": person,
        "is_staff": role in STAFF,
        "waiting_inquiries": _count_inquiries() if person else 0,
        "is_instructor": role in INSTRUCTORS,
        "lms_page": _find_lms_page(role),
        "manages_people": role in Permission.MANAGE_PEOPLE,
        "changes_settings": role in Permission.CHANGE_SETTINGS,
        "sees_health": role in Permission.SEE_HEALTH,
        "provider": current.settings.openid.title if current.settings.openid else "",
        "sends_links": current.settings.mail_server is not None,
        "demo": current.settings.demo,
        "course_title": current.course.title or "Autograder",
    }


def _find_lms_page(role: str) -> str:
    """Return the endpoint of the LMS page that a role may see; empty if it may see none."""
    if "lms_setup_pages" not in current_app.blueprints or role not in Permission.LINK_PEOPLE:
        return ""
    may_set_up = role in Permission.SET_UP_LMS
    return "lms_setup_pages.show_lms_setup" if may_set_up else "lms_people_pages.show_lms_people"


def _count_inquiries() -> int:
    """Return how many inquiries wait for the signed-in person; 0 if the store does not answer."""
    person = current.person
    with suppress(Fault):  # the page that reports a failing store shows this number, too
        table = current.store.inquiries
        if person.role in STAFF:
            if current.own_sections:
                open_inquiries = (one for one in table.list_inquiries(current.course_key) if one.state == "open")
                return sum(current.may_see_owner(one.owner) for one in open_inquiries)
            return table.count_open_inquiries(current.course_key)
        return table.count_unread_answers(current.course_key, person.account)
    return 0
