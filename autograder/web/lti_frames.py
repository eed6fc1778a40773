"""Show pages of a launch, which an LMS may have opened in a frame; nobody is signed in there."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Response, current_app, render_template, request

from autograder.lti.tool import LtiTool, make_tool
from autograder.safe_text import escape_for_display
from autograder.web.context import get_settings

TOOL = "autograder-lti"
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src {script}; form-action 'self'{form_action}; "
    "base-uri 'none'; frame-ancestors {parents}"
)
FRAMES = ("iframe", "frame", "embed", "object", "fencedframe")


def get_tool() -> LtiTool:
    """Return this server as a tool."""
    if TOOL not in current_app.extensions:
        current_app.extensions[TOOL] = make_tool(get_settings().place.output_folder)
    tool = current_app.extensions[TOOL]
    assert isinstance(tool, LtiTool)
    return tool


def show_in_frame(
    template: str, code: int = 200, *, form_action: str = "", script: bool = False, **values: object
) -> Response:
    """Return a page that an LMS may show in a frame.

    Args:
        template: the page. Nothing on it may do anything for who is signed in.
        code: the HTTP status.
        form_action: the one origin besides this to which its form may go; none when empty.
        script: whether this server's script for launches may run.
        values: what the template gets.
    """
    policy = POLICY.format(
        script="'self'" if script else "'none'",
        form_action=f" {form_action}" if form_action else "",
        parents="https:" if get_settings().is_https else "https: http:",  # an LMS embeds from names not known here
    )
    answer = Response(render_template(template, **values), code, mimetype="text/html")
    answer.headers["Content-Security-Policy"] = policy
    return answer


def refuse(why: str, advice: str = "", code: int = 400) -> Response:
    """Return a page that says why a launch ends here; it goes to the log, too."""
    current_app.logger.warning("LTI: refused: %s", escape_for_display(why, 500))
    return show_in_frame("lti_refused.html.j2", code, why=why, advice=advice)


def is_in_frame() -> bool:
    """Return whether the browser says that it shows the answer in a frame."""
    return request.headers.get("Sec-Fetch-Dest", "") in FRAMES


def is_own_form() -> bool:
    """Return whether a form was sent by a page of this server; there is no session whose token could prove it."""
    origin = request.headers.get("Origin", "")
    return bool(origin) and urlsplit(origin).netloc == request.host
