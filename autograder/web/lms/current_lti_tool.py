"""Find the keys and clients with which the server speaks LTI, from inside of a request."""

from __future__ import annotations

from flask import current_app

from autograder.lti.lti_tool import LtiTool, make_lti_tool
from autograder.web.request_context import get_served_course_settings

TOOL = "autograder-lti"


def get_lti_tool() -> LtiTool:
    """Return the keys and clients with which this server acts as an LTI tool; make them on first use."""
    if TOOL not in current_app.extensions:
        current_app.extensions[TOOL] = make_lti_tool(get_served_course_settings().location.output_folder)
    tool = current_app.extensions[TOOL]
    assert isinstance(tool, LtiTool)
    return tool
