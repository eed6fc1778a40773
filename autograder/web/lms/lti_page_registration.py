"""Register the pages of LTI with the application, and limit the rate of launches."""

from __future__ import annotations

from typing import Any

from flask import Flask
from flask_limiter import Limiter
from flask_wtf.csrf import CSRFProtect

from autograder.web.lms import (
    lms_mark_pages,
    lms_people_pages,
    lms_setup_pages,
    lms_sync_settings_pages,
    lti_deep_linking_pages,
    lti_launch_pages,
    lti_registration_pages,
)

FROM_OTHER_SITES = (
    lti_launch_pages.begin_lti_login,
    lti_launch_pages.accept_lti_launch,
    lti_launch_pages.sign_in_with_ticket,
    lti_deep_linking_pages.send_chosen_assignments,
    lti_registration_pages.register_with_platform,
)
"""Views without this server's session; a signature, a state or a ticket authenticates them, not a CSRF token."""
BLUEPRINTS = (
    lti_launch_pages.pages,
    lti_deep_linking_pages.pages,
    lti_registration_pages.pages,
    lms_setup_pages.pages,
    lms_people_pages.pages,
    lms_mark_pages.pages,
    lms_sync_settings_pages.pages,
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
