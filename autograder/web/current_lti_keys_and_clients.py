"""Find the keys and clients with which the server speaks LTI, from inside of a request."""

from __future__ import annotations

from flask import current_app

from autograder.lti.lti_keys_and_clients import LtiKeysAndClients, make_lti_keys_and_clients
from autograder.web.current_course_store_and_person import get_served_course_settings

TOOL = "autograder-lti"


def get_lti_keys_and_clients() -> LtiKeysAndClients:
    """Return the keys and clients with which this server acts as an LTI tool; make them on first use."""
    if TOOL not in current_app.extensions:
        current_app.extensions[TOOL] = make_lti_keys_and_clients(get_served_course_settings().place.output_folder)
    keys_and_clients = current_app.extensions[TOOL]
    assert isinstance(keys_and_clients, LtiKeysAndClients)
    return keys_and_clients
