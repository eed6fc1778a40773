"""Keep what goes wrong on a page: in the log, and for the page on the server's health."""

from __future__ import annotations

from flask import request

from autograder.web.request_context import log_and_save_fault_of


def log_and_save_fault(fault_text: str) -> None:
    """Log and save a fault with the page that it happened on."""
    page = request.endpoint or "unknown page"  # not the URL, which may hold a personal sign-in link
    log_and_save_fault_of(f"{request.method} {page}: {fault_text}", "pages")
