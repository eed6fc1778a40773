"""Receive hand-ins from shells and jobs, and say how far they are: JSON, for a token and never for a cookie."""

from __future__ import annotations

import io
import json

from flask import Response, jsonify, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import HTTPException

from autograder.faults import Fault
from autograder.reports.report_files import encode_report_json
from autograder.web.assignments import HandInRefused, keep_hand_in
from autograder.web.hand_ins import find_report_for_viewer, get_permitted_hand_in_or_404
from autograder.web.request import TEXTS, Pages, Permission, current
from autograder.web.store.accounts import Enrolment
from autograder.web.store.hand_ins import HandIn
from autograder.web.wording import describe_queue_place

pages = Pages("shell_pages", __name__)
NO_TOKEN = "There is no token that works: make one on the page of your account"


def get_current_user() -> Enrolment | None:
    """Return the person whose token for a shell the request has; None if there is none that works."""
    token = request.authorization.token if request.authorization else None
    if not token:
        return None
    return current.store.accounts.find_signed_in_enrolment(current.course_key, str(token), is_shell=True)


@pages.on_post("/api/assignments/<assignment_name>/hand-ins", Permission.HAND_IN)
def receive_hand_in(assignment_name: str) -> ResponseReturnValue:
    """Save the body of the request as a hand-in named ``?file=``, and answer with its receipt."""
    assignment = current.assignment(assignment_name)
    file = FileStorage(io.BytesIO(request.get_data()), request.args.get("file", "value.py"))
    try:
        kept, is_new = keep_hand_in(assignment, file)
    except HandInRefused as refused:
        return jsonify(error=str(refused)), refused.status
    return _describe(kept, is_new=is_new), 201 if is_new else 200


@pages.on_get("/api/hand-ins/<hand_in_key>", Permission.SEE_HAND_IN)
def send_state(hand_in_key: str) -> ResponseReturnValue:
    """Answer with the receipt, its place in line, and the report as far as the student may see it now."""
    return _describe(get_permitted_hand_in_or_404(hand_in_key))


@pages.errorhandler(HTTPException)
def send_http_error(error: HTTPException) -> ResponseReturnValue:
    """Answer an error of the request in JSON."""
    code = error.code or 500
    return jsonify(error=". ".join(TEXTS.get(code, (error.name, error.description or "")))), code


@pages.errorhandler(Fault)
def send_fault(fault: Fault) -> ResponseReturnValue:
    """Save a fault of the server, and say that it is none of the student's."""
    current.save_fault(str(fault))
    return jsonify(error="The server made an error, not you. Try again in a moment."), 503


def _describe(hand_in: HandIn, *, is_new: bool = False) -> Response:
    waits = hand_in.state in ("queued", "grading")
    report = find_report_for_viewer(hand_in)
    return jsonify(
        key=hand_in.key,
        is_new=is_new,
        url=f"{current.settings.course_url}/hand-ins/{hand_in.key}",
        attempt=hand_in.attempt,
        file=hand_in.file_name,
        sha256=hand_in.sha256,
        handed_in=hand_in.handed_in.isoformat(timespec="seconds"),
        state=hand_in.state,
        progress=describe_queue_place(hand_in.state, current.store.grading_queue.find_place(hand_in))
        if waits
        else "",
        report=json.loads(encode_report_json(report)) if report else None,
    )
