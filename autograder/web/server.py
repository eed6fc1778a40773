"""Serve the pages with waitress: it bounds headers, bodies and slow senders before a thread works on them."""

from __future__ import annotations

import logging
import socket
from collections.abc import Sequence

import waitress

from autograder.faults import CallerFault
from autograder.web.course_app import FORM_BYTES
from autograder.web.course_server_settings import CourseServerSettings
from autograder.web.request_limits import MARGIN, MOST_CONNECTIONS, BoundedChannel, BoundedRequestParser
from autograder.web.server_app import create_server_app
from autograder.web.staff.import_pages import DOWNLOAD_BYTES

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
