"""Show pages of a launch in an LMS's frame, and find what they need."""

from __future__ import annotations

from typing import Any, Unpack
from urllib.parse import urlsplit

from flask import Response, current_app, render_template, request

from autograder.faults import Fault
from autograder.text import escape_for_display
from autograder.web.lti.tool import LtiTool, make_lti_tool
from autograder.web.request import current
from autograder.web.store.lti.audit import ChangeDetails, LtiActor, make_lti_actor_from_enrolment, record_lti_change
from autograder.web.store.lti.platforms import TicketKind

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src {script}; form-action 'self'{form_action}; "
    "base-uri 'none'; frame-ancestors {parents}"
)
FRAMES = ("iframe", "frame", "embed", "object", "fencedframe")
"""What browsers say in ``Sec-Fetch-Dest`` if they show the answer in a frame."""


def render_lms_frame_page(
    template_name: str,
    http_status: int = 200,
    *,
    form_target_origin: str = "",
    allow_launch_script: bool = False,
    **values: object,
) -> Response:
    """Return a page that an LMS may show in a frame.

    Args:
        template_name: the page. Nothing on it may act on behalf of the signed-in person.
        http_status: the HTTP status.
        form_target_origin: the one origin besides this to which its form may go; none when empty.
        allow_launch_script: whether this server's script for launches may run.
        values: what the template gets.
    """
    policy = POLICY.format(
        script="'self'" if allow_launch_script else "'none'",
        form_action=f" {form_target_origin}" if form_target_origin else "",
        parents="https:" if current.settings.is_https else "https: http:",  # the LMS's host name is not known here
    )
    response = Response(render_template(template_name, **values), http_status, mimetype="text/html")
    response.headers["Content-Security-Policy"] = policy
    return response


def render_lti_refusal(why: str, advice: str = "", http_status: int = 400) -> Response:
    """Return a page that explains why a launch is refused, and log the reason."""
    current_app.logger.warning("LTI: refused: %s", escape_for_display(why, 500))
    return render_lms_frame_page("lti_refused.html.j2", http_status, why=why, advice=advice)


def render_fault_as_lti_refusal(fault: Fault) -> Response:
    """Return a page that explains a fault, its place first if it has one, and log it. An error handler."""
    return render_lti_refusal(f"{fault.where}: {fault.what}" if fault.where else fault.what, fault.advice)


def take_ticket_of_own_form(kind: TicketKind) -> dict[str, Any] | None:
    """Use up the ticket of a form of this server; return what it holds, or None if it is not good any more."""
    if not is_form_sent_by_own_page():
        return None
    return current.store.lti_tickets.take_ticket_data_or_none(kind, request.form.get("ticket", ""))


def is_form_sent_by_own_page() -> bool:
    """Return whether a page of this server sent the form; without a session there is no CSRF token to prove it."""
    origin = request.headers.get("Origin", "")
    return bool(origin) and urlsplit(origin).netloc == request.host


TOOL = "autograder-lti"


def get_lti_tool() -> LtiTool:
    """Return the keys and clients with which this server acts as an LTI tool; make them on first use."""
    if TOOL not in current_app.extensions:
        current_app.extensions[TOOL] = make_lti_tool(current.settings.location.output_folder)
    tool = current_app.extensions[TOOL]
    assert isinstance(tool, LtiTool)
    return tool


def get_lti_actor() -> LtiActor:
    """Return who is signed in, for the audit log."""
    return make_lti_actor_from_enrolment(current.person)


def record_lms_change(what: str, before: str, after: str, **details: Unpack[ChangeDetails]) -> None:
    """Record in the audit log what the person who is signed in changes. See ``record_lti_change``."""
    course, actor = current.course_key, get_lti_actor()
    record_lti_change(current.store.audit, course, actor, what, before, after, **details)
