"""Tell browsers what a page may do: nothing but show itself, and send its own forms back."""

from __future__ import annotations

from flask import Response

from autograder.reports.html_report import hash_page_script_for_csp
from autograder.web.request_context import get_served_course_settings

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
    if get_served_course_settings().is_https:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    if FRAMED_BY_LMS in policy:  # ``X-Frame-Options`` cannot allow other sites; the policy does
        del headers["X-Frame-Options"]
        headers["Cross-Origin-Opener-Policy"] = "unsafe-none"  # the platform's window keeps the state of a launch
    for name, value in headers.items():
        response.headers[name] = value
    return response
