"""Serve the pages of all courses with waitress, which bounds requests before a thread works on them."""

from __future__ import annotations

import copy
import logging
import re
import socket
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar
from weakref import WeakSet

import waitress
from flask import Flask, render_template
from flask.typing import ResponseReturnValue
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.task import WSGITask
from waitress.utilities import BadRequest, RequestEntityTooLarge, ServerNotImplemented
from werkzeug.exceptions import HTTPException, SecurityError
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from autograder.course import load_course
from autograder.faults import CallerFault
from autograder.web.app import FORM_BYTES, create_course_app, make_app_with_templates
from autograder.web.imports import DOWNLOAD_BYTES
from autograder.web.request import ARRIVED_AT, SETTINGS, add_security_headers
from autograder.web.settings import CourseServerSettings

MARGIN = 8 * 2**20
"""Bytes read beyond the largest permitted hand-in, so that the refusing page can name the limit."""
LARGE_PATH = re.compile(r"(/[^/]+)?/class/[^/]+/import")
"""Path of the page on which instructors import a platform's download."""
MOST_LARGE = 4
"""How many large bodies may be received at once; each is on the disk while it is received."""
MOST_CONNECTIONS = 480
"""Open connections from which on each new one closes another."""
CALM_SECONDS = 60
LEAST_RATE = 16 * 1024
"""Bytes a second that a sender must reach once it has taken longer than ``CALM_SECONDS``."""
TOO_LARGE = (
    "This is far more than can be sent here. Nothing of it was kept, and it cost no attempt. Go back in your "
    "browser, and send your own code alone, without data and large outputs."
)
TOO_SLOW = (
    "This came too slowly. Nothing of it was kept, and it cost no attempt. Go back in your browser, and try again "
    "with a smaller file or a faster connection."
)


class RequestTooSlow(BadRequest):  # type: ignore[misc]  # waitress has no types
    """The sender is too slow, and would block a connection that others need."""

    code, reason = 408, "Request Timeout"


class TooManyLargeRequests(ServerNotImplemented):  # type: ignore[misc]
    """Too many large bodies are being received now."""

    code, reason = 503, "Service Unavailable"


class BoundedRequestParser(HTTPRequestParser):  # type: ignore[misc]
    """Parses one HTTP request as it comes in, within bounds.

    It refuses a request that comes too slowly, and a large one while too many others come.

    Attributes:
        large_bytes: how large the body of a download's import may be; set once, before the server runs.
    """

    large_bytes = 0
    adj: Any
    completed: bool
    error: Any
    _large_requests: ClassVar[WeakSet[BoundedRequestParser]] = WeakSet()

    def __init__(self, adj: Any) -> None:
        super().__init__(adj)
        self._started_at = time.monotonic()
        self._refusal: TooManyLargeRequests | None = None
        self.arrived_at = 0.0
        """When the last byte came, in seconds since 1970; it may wait for a thread then."""

    def received(self, data: bytes) -> int:
        """Parse received bytes, and return how many of them belong to this request."""
        consumed: int = super().received(data)
        if self._refusal:
            self.error, self.completed = self._refusal, True
        elif isinstance(self.error, RequestEntityTooLarge):
            self.error = RequestEntityTooLarge(TOO_LARGE)
        elif not self.completed:
            allowed_seconds = CALM_SECONDS + self.body_bytes_received / LEAST_RATE
            if time.monotonic() - self._started_at > allowed_seconds:
                self.error, self.completed = RequestTooSlow(TOO_SLOW), True
        self.arrived_at = time.time()
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        """Read the header, and choose how large the body may be by what it is for."""
        super().parse_header(header_plus)
        if self.command != "POST" or not LARGE_PATH.fullmatch(self.path):
            return
        if self.chunked or self.content_length >= self.adj.max_request_body_size:
            if len(self._large_requests) >= MOST_LARGE:
                self._refusal = TooManyLargeRequests("others send large files: try again in a moment")
                return
            self._large_requests.add(self)
            self.adj = copy.copy(self.adj)
            self.adj.max_request_body_size = self.large_bytes


class TaskWithArrivalTime(WSGITask):  # type: ignore[misc]
    """A request that a thread works on; it tells the pages when it arrived."""

    request: BoundedRequestParser

    def get_environment(self) -> dict[str, Any]:
        """Return what the pages learn of the request."""
        environment: dict[str, Any] = super().get_environment()
        return environment | {ARRIVED_AT: self.request.arrived_at}


class BoundedChannel(HTTPChannel):  # type: ignore[misc]
    """A connection whose requests are bounded, and which closes another where there are too many.

    No address has a fixed share, because a whole class may come from one.
    """

    parser_class, task_class = BoundedRequestParser, TaskWithArrivalTime
    addr: tuple[Any, ...]
    requests: list[Any]
    creation_time: float
    will_close: bool

    def __init__(self, server: Any, *arguments: Any, **settings: Any) -> None:
        super().__init__(server, *arguments, **settings)
        others = [one for one in server.active_channels.values() if one is not self and not one.will_close]
        if len(others) >= MOST_CONNECTIONS and (longest_waiting := _choose_connection_to_close(others)):
            longest_waiting.will_close = True


def _choose_connection_to_close(channels: Iterable[BoundedChannel]) -> BoundedChannel | None:
    """Return the oldest connection without a request, of the address with most of these; None if there is none."""
    waiting = [channel for channel in channels if not channel.requests]
    counts = Counter(channel.addr[0] for channel in waiting)
    return min(waiting, key=lambda channel: (-counts[channel.addr[0]], channel.creation_time), default=None)


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


THREADS = 8
HEADER_BYTES = 16 * 1024
SLOW_SECONDS = 30
"""Seconds after which an idle connection is closed."""


def serve_pages(courses: Sequence[CourseServerSettings]) -> None:
    """Serve until the process is told to end.

    Args:
        courses: what is served, all at the same address.

    Raises:
        CallerFault: a course or the folder for results cannot be used, or the address cannot be listened on.
    """
    app, settings = create_server_app(courses), courses[0]
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # waiting requests before a deadline are normal
    try:
        server = waitress.create_server(
            app,
            host=settings.host,
            port=settings.port,
            threads=THREADS,
            url_scheme="https" if settings.is_https else "http",
            max_request_header_size=HEADER_BYTES,
            max_request_body_size=int(app.config["MAX_CONTENT_LENGTH"]) + MARGIN,
            channel_timeout=SLOW_SECONDS,
            connection_limit=MOST_CONNECTIONS + 20,
            ident="",
            clear_untrusted_proxy_headers=False,  # read in ``authentication`` alone
        )
    except OSError as error:
        raise _make_address_fault(settings, error) from error
    BoundedRequestParser.large_bytes = DOWNLOAD_BYTES + FORM_BYTES
    server.channel_class = BoundedChannel
    server.run()


def require_free_address(settings: CourseServerSettings) -> None:
    """Check that the address can be listened on, before any process is started.

    Raises:
        CallerFault: another program uses the address, or it does not belong to this machine.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        with socket.create_server((settings.host, settings.port), family=family):
            pass
    except OSError as error:
        raise _make_address_fault(settings, error) from error


def _make_address_fault(settings: CourseServerSettings, error: OSError) -> CallerFault:
    return CallerFault(
        f"cannot listen on this address: {str(error.strerror).partition(' (')[0]}",
        where=f"{settings.host}:{settings.port}",
        advice="end what listens there, or name others with --host and --port",
    )
