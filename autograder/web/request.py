"""Give a request its course, its store and the signed-in person; say which roles may do what; send error pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

from flask import Blueprint, Response, abort, current_app, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, InternalServerError, SecurityError

from autograder.course import Assignment, Course
from autograder.faults import CourseFault, Fault
from autograder.reports.html_report import hash_page_script_for_csp
from autograder.submissions.origin import TOGETHER
from autograder.text import escape_for_display
from autograder.web.results import EffectiveClassResults
from autograder.web.settings import CourseServerSettings
from autograder.web.store.accounts import Enrolment
from autograder.web.store.server_store import ServerStore, open_server_store

View = TypeVar("View", bound=Callable[..., Any])

NOBODY = "nobody"
"""The role of a visitor who is not signed in."""
STUDENTS: tuple[str, ...] = ("student",)
STAFF = ("teaching assistant", "instructor", "administrator")
INSTRUCTORS = ("instructor", "administrator")
"""Roles with the rights of an instructor."""
ADMINISTRATORS = ("administrator",)
MEMBERS = (*STUDENTS, *STAFF)
ANYBODY = (NOBODY, *MEMBERS)


class Permission:
    """Who may do what: for each action that pages let people do, the roles that may.

    Students see their own hand-ins and inquiries alone.
    """

    SIGN_IN = LAUNCH = ANYBODY
    SEE_COURSE = SEE_HAND_IN = SEE_INQUIRIES = MEMBERS
    HAND_IN = ASK = CHOOSE_MAIL = STUDENTS
    SEE_CLASS = GRADE = ANSWER = STAFF
    EXTEND = PUBLISH = IMPORT = EXPORT = AUDIT = LINK_PEOPLE = SEND_MARKS = MANAGE_PEOPLE = CHANGE_SETTINGS = (
        INSTRUCTORS
    )
    SEE_HEALTH = SET_UP_LMS = ADMINISTRATORS


class Pages(Blueprint):
    """The views of one topic, each with the roles that may call it, such as ``Permission.GRADE``.

    Nothing is checked here: before every request, the course's app asks ``may_role_call_view``, which refuses a view
    without roles to everyone.
    """

    def on_get(self, path: str, roles: tuple[str, ...]) -> Callable[[View], View]:
        """Return the decorator of a view that shows something."""
        return self._answer_at(path, "GET", roles)

    def on_post(self, path: str, roles: tuple[str, ...]) -> Callable[[View], View]:
        """Return the decorator of a view that receives a form."""
        return self._answer_at(path, "POST", roles)

    def _answer_at(self, path: str, method: str, roles: tuple[str, ...]) -> Callable[[View], View]:
        def add(view: View) -> View:
            self.add_url_rule(path, view.__name__, allow(view, roles), methods=[method])
            return view

        return add


def allow(view: View, roles: tuple[str, ...]) -> View:
    """Return a view that some roles may call."""
    view.permission = roles  # type: ignore[attr-defined]
    return view


def may_role_call_view(role: str, view: Callable[..., Any] | None) -> bool:
    """Return whether a role may call a view."""
    return role in getattr(view, "permission", ())


SETTINGS, COURSE = "AUTOGRADER", "autograder-course"
ARRIVED_AT = "autograder.arrived_at"
"""The key of the time of arrival in the environment of a request."""
COURSE_SECONDS = 5.0
"""How long a loaded course is reused: all its files are hashed each time that it is loaded."""


class CurrentRequest:
    """The request that is being answered: the course that it is about, its store, and who sends it."""

    @property
    def settings(self) -> CourseServerSettings:
        """Return how the course is served."""
        settings = current_app.config[SETTINGS]
        assert isinstance(settings, CourseServerSettings)
        return settings

    @property
    def course_key(self) -> str:
        """Return the key of the course in the store."""
        return self.settings.location.class_key_in_store

    @property
    def course(self) -> Course:
        """Return the course, up to ``COURSE_SECONDS`` old; the last valid one if ``grading.yml`` is invalid now."""
        if "course" not in g:
            read_at, g.course = current_app.extensions.get(COURSE, (-COURSE_SECONDS, None))
            if time.monotonic() - read_at > COURSE_SECONDS or g.course is None:
                try:
                    g.course = self.store.settings.load_course(self.settings.course, self.course_key)
                except CourseFault as fault:
                    if g.course is None:
                        raise
                    text = f"the course cannot be loaded, so the last valid one is served: {fault}"
                    self._log_and_save_fault(text, "course")
                current_app.extensions[COURSE] = time.monotonic(), g.course
        course: Course = g.course
        return course

    def forget_course(self) -> None:
        """Have the course loaded again by the next request, after its settings were changed."""
        current_app.extensions.pop(COURSE, None)

    @property
    def store(self) -> ServerStore:
        """Return the store; it is closed with the request."""
        if "store" not in g:
            g.closing = ExitStack()
            g.store = g.closing.enter_context(open_server_store(self.settings.location))
        store: ServerStore = g.store
        return store

    @property
    def person(self) -> Enrolment:
        """Return the signed-in person; end the request with 401 if there is none."""
        person: Enrolment = g.get("person") or abort(401)
        return person

    @property
    def account_unless_staff(self) -> int | None:
        """Return the account whose hand-ins alone the person may see; None for staff, who may see all."""
        return None if self.person.role in STAFF else self.person.account

    @property
    def own_sections(self) -> frozenset[str]:
        """Return the sections whose students alone the person sees; empty for whoever sees the whole class."""
        return self.person.sections if self.person.role == "teaching assistant" else frozenset()

    def may_see_student(self, student: Enrolment) -> bool:
        """Return whether the person, who is of the staff, may see a student: assistants may see their sections'."""
        return not self.own_sections or bool(self.own_sections & student.sections)

    def may_see_owner(self, owner: str) -> bool:
        """Return whether the person may see what a student or a team handed in: ``ada``, ``ada + bob``."""
        return not self.own_sections or any(map(self.may_see_student, self.list_present_members(owner)))

    @property
    def student_by_login(self) -> dict[str, Enrolment]:
        """Return the students of the course; a request asks the store once."""
        if "student_by_login" not in g:
            g.student_by_login = {one.login: one for one in self.store.accounts.list_students(self.course_key)}
        students: dict[str, Enrolment] = g.student_by_login
        return students

    def list_present_members(self, owner: str) -> list[Enrolment]:
        """Return a student, or those of a team, who are in the course now: ``ada``, ``ada + bob``."""
        return [self.student_by_login[login] for login in owner.split(TOGETHER) if login in self.student_by_login]

    @property
    def arrival_time(self) -> datetime:
        """Return when the request had arrived; the present time where the server does not say. Ask it first."""
        seconds = request.environ.get(ARRIVED_AT)
        return datetime.now(UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)

    def assignment(self, name: str) -> Assignment:
        """Return an assignment; end the request with 404 if there is none of that name."""
        return self.course.find_assignment(name) or abort(404)

    def results(self, assignment_name: str) -> EffectiveClassResults:
        """Return the results of an assignment; end the request with 404 if there is none of that name."""
        return EffectiveClassResults(self.store, self.course_key, self.assignment(assignment_name))

    def save_fault(self, text: str) -> None:
        """Log and save a fault with the page that it happened on."""
        page = request.endpoint or "unknown page"  # not the URL, which may hold a personal sign-in link
        self._log_and_save_fault(f"{request.method} {page}: {text}", "pages")

    def _log_and_save_fault(self, text: str, source: str) -> None:
        """Log a fault, and save it for the page on the server's health unless the store fails, too."""
        current_app.logger.error("%s", escape_for_display(text, 1000))
        with suppress(Fault):
            self.store.faults.record_fault(self.course_key, source, text)


current = CurrentRequest()


def see_other(endpoint: str, **values: Any) -> ResponseReturnValue:
    """Return the redirect of a browser to another page, after a form was received."""
    return redirect(url_for(endpoint, **values), 303)


def close_request_resources(error: BaseException | None = None) -> None:
    """Close the store if the request opened it, and what was uploaded."""
    request.close()
    closing = g.pop("closing", None)
    if closing:
        closing.close()


def make_rate_limit_key() -> str:
    """Return the key of the current request: its account, or its address if no one is signed in."""
    person: Enrolment | None = g.get("person")
    if person:
        return f"account {person.account}"
    address = request.remote_addr or ""
    forwarded_for = request.headers.get("X-Forwarded-For", "")
    if forwarded_for and address == current.settings.trusted_proxy:
        address = forwarded_for.rpartition(",")[2].strip()  # the last is the one that the proxy itself saw
    return f"address {address}"


PAGE = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""The policy of ordinary pages: no script at all. See ``send_with_scripts``."""
FRAMED_BY_LMS = "frame-ancestors https:"
"""The part of the policy that only launch pages have; see ``lti_frames``."""


def send_with_scripts(page: str, *, has_result: bool = False, waits: bool) -> Response:
    """Return a page whose policy allows the scripts that it needs, and no other.

    Args:
        page: the HTML.
        has_result: whether it shows a result, whose script steps through a replay.
        waits: whether it waits for something: a script of this server asks for the page until it is there.
    """
    scripts = [*([f"'{hash_page_script_for_csp()}'"] if has_result else []), *(["'self'"] if waits else [])]
    policy = f"{PAGE}; script-src {' '.join(scripts)}" if scripts else PAGE
    return Response(page, headers={"Content-Security-Policy": f"{policy}; connect-src 'self'" if waits else policy})


def add_security_headers(response: Response) -> Response:
    """Add the headers that every response has; a content security policy that the view set stays."""
    policy = response.headers.setdefault("Content-Security-Policy", PAGE)
    headers = {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",  # keeps links with tokens from other sites
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        "Cache-Control": "no-store",
    }
    if request.endpoint == "handout_pages.send_site_file":
        del headers["Cache-Control"]  # nobody's own: the browser keeps its megabytes
    if current.settings.is_https:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    if FRAMED_BY_LMS in policy:  # ``X-Frame-Options`` cannot allow other sites; the policy does
        del headers["X-Frame-Options"]
        headers["Cross-Origin-Opener-Policy"] = "unsafe-none"  # the platform's window keeps the state of a launch
    for name, value in headers.items():
        response.headers[name] = value
    return response


TEXTS = {
    404: ("There is no such page", "This page does not exist, or it belongs to somebody else."),
    405: ("This page opens from a form", "Nothing was changed. Go to the form itself, and send it once more."),
    413: ("This is too large", "The file is too large to be handed in."),
    429: ("Too many tries in a short time", "Nothing was changed. Wait a minute, go back, and try again."),
}
"""Titles and texts of the pages for errors that people meet, by status."""
OLD_FORM = (
    "This form is out of date",
    "Nothing was changed. Somebody signed in or out in this browser since the page was opened, or it keeps no "
    "cookies. Go back in your browser, copy what you wrote, reload the page, and send it once more.",
)


def show_http_error(error: HTTPException) -> ResponseReturnValue:
    """Return the page for an error of a request; log and save one that is the server's."""
    if isinstance(error, SecurityError):  # the Host header is not allowed, so no page can be linked
        return Response("This server does not answer to that name.\n", 400, mimetype="text/plain")
    if isinstance(error, InternalServerError):
        original_error = error.original_exception
        current.save_fault(
            f"{type(original_error).__name__}: {original_error}" if original_error else "internal error"
        )
        return render_message(
            "Something went wrong here", "The server made an error. Everything with a receipt is kept.", 500
        )
    if isinstance(error, CSRFError):
        return render_message(*OLD_FORM, 400)
    code = error.code or 500
    title, text = TEXTS.get(code, (error.name, escape_for_display(error.description or "", 300)))
    return render_message(title, text, code)


def show_fault(fault: Fault) -> ResponseReturnValue:
    """Log and save a fault, and return the page that says that the server made an error."""
    current.save_fault(str(fault))
    return render_message("This did not work", "The server made an error, not you. Try again in a moment.", 503)


def render_message(title: str, text: str, code: int) -> Response:
    """Return a page with nothing but a message, and its status."""
    return Response(render_template("message.html.j2", title=title, text=text), code, mimetype="text/html")
