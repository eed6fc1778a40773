"""Send error pages, and headers that tell browsers what a page may do."""

from __future__ import annotations

from flask import Response, render_template
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, InternalServerError, SecurityError

from autograder.faults import Fault
from autograder.reports.html_report import hash_page_script_for_csp
from autograder.text import escape_for_display
from autograder.web.request import current

PAGE = (
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""The policy of ordinary pages: no script at all."""
REPORT = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src '{script}'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'; sandbox allow-scripts allow-popups"
)
"""A report is one file with its style and its replay inside. No other script runs there, and even that one runs in a
sandbox, away from the cookies and pages of this server."""

FRAMED_BY_LMS = "frame-ancestors https:"
"""The part of the policy that only launch pages have; see ``lti_frames``."""


def make_report_csp() -> str:
    """Return the policy of a report's page."""
    return REPORT.format(script=hash_page_script_for_csp())


def add_security_headers(response: Response) -> Response:
    """Add the headers that every response has; a content security policy that the view set stays."""
    policy = response.headers.setdefault("Content-Security-Policy", PAGE)
    headers = {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY" if policy == PAGE else "SAMEORIGIN",
        "Referrer-Policy": "same-origin",  # keeps links with tokens from other sites
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        "Cache-Control": "no-store",
    }
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
