"""Keep what goes wrong on a page: in the log, and for the page on the server's health."""

from __future__ import annotations

from contextlib import suppress

from flask import current_app, request

from autograder.faults import Fault
from autograder.safe_text import escape_for_display
from autograder.web.request_context import get_course_key_in_store, get_store


def log_and_save_fault(fault_text: str) -> None:
    """Log a fault, and save it unless the store fails, too."""
    page = request.endpoint or "unknown page"  # not the URL, which may hold a personal sign-in link
    text = f"{request.method} {page}: {fault_text}"
    current_app.logger.error("%s", escape_for_display(text, 1000))
    with suppress(Fault):
        get_store().faults.record_fault(get_course_key_in_store(), "pages", text)
