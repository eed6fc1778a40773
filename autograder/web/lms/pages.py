"""Register the pages of LTI with the application, and limit the rate of launches."""

from __future__ import annotations

from typing import Any

from flask import Flask
from flask_limiter import Limiter
from flask_wtf.csrf import CSRFProtect

from autograder.web.lms.launch_pages import (
    accept_lti_launch,
    begin_lti_login,
    deep_linking_pages,
    launch_pages,
    send_chosen_assignments,
    sign_in_with_ticket,
)
from autograder.web.lms.mark_pages import mark_pages, settings_pages
from autograder.web.lms.setup_pages import people_pages, register_with_platform, registration_pages, setup_pages

FROM_OTHER_SITES = (
    begin_lti_login,
    accept_lti_launch,
    sign_in_with_ticket,
    send_chosen_assignments,
    register_with_platform,
)
"""Views without this server's session; a signature, a state or a ticket authenticates them, not a CSRF token."""
BLUEPRINTS = (
    launch_pages,
    deep_linking_pages,
    registration_pages,
    setup_pages,
    people_pages,
    mark_pages,
    settings_pages,
)
PER_ADDRESS = "3000 per minute"
"""High, because a whole class may launch from one address when a lecture begins, with three requests each."""


def add_lti_pages(app: Flask, csrf_protection: CSRFProtect, limiter: Limiter) -> None:
    """Register the blueprints of LTI.

    Exempt views that other sites post to from CSRF protection, and limit the rate of launches.
    """
    for pages in BLUEPRINTS:
        app.register_blueprint(pages)
    for view in FROM_OTHER_SITES:
        csrf_protection.exempt(view)
    for endpoint in [name for name in app.view_functions if name.startswith("lti_launch_pages.")]:
        limited_view: Any = limiter.limit(PER_ADDRESS)(app.view_functions[endpoint])
        app.view_functions[endpoint] = limited_view
