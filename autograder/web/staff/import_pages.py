"""Import a platform's download: preview whose each file is, then queue all of them."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import FileStorage

from autograder.batch.output_layout import IMPORTS
from autograder.course import Assignment
from autograder.course.time_format import InvalidTime, parse_time
from autograder.faults import CallerFault, Fault
from autograder.output_file_permissions import make_output_folder, open_new_output_file
from autograder.platforms.common.opened_submissions import PLAIN, list_readable_platform_names
from autograder.store.audit_model import AuditContext, AuditEvent
from autograder.web.course_server_settings import CourseServerSettings
from autograder.web.fault_logging import log_and_save_fault
from autograder.web.random_tokens import is_well_formed_token, make_random_token
from autograder.web.reading_processes import CLASS_CPU_SECONDS, ReadingStopped, read_apart
from autograder.web.request_context import (
    get_assignment_or_404,
    get_course_key_in_store,
    get_person_or_401,
    get_served_course_settings,
    get_store,
    see_other,
)
from autograder.web.role_permissions import Permission, requires
from autograder.web.staff.submission_import_plan import SubmissionImportPlan, plan_import, queue_planned_hand_ins

pages = Blueprint("import_pages", __name__)
DOWNLOAD_BYTES = 100 * 2**20
"""How large a download may be."""
KEPT_SECONDS = 24 * 3600
"""How long a download is kept between its preview and its import."""
CHANGED = "The class changed since you looked: see what would be brought in now, then press the button again."
STOPPED = "The download takes too long to be read: bring in a part of it at a time."


@pages.get("/class/<assignment_name>/import")
@requires(Permission.IMPORT)
def show_import_form(assignment_name: str) -> ResponseReturnValue:
    """Show the form."""
    return _render_form(get_assignment_or_404(assignment_name))


@pages.post("/class/<assignment_name>/import")
@requires(Permission.IMPORT)
def preview_or_queue_import(assignment_name: str) -> ResponseReturnValue:
    """Preview a download; or, once the preview is confirmed, queue it."""
    assignment, form, store = get_assignment_or_404(assignment_name), request.form, get_store()
    key = form.get("key", "")
    try:
        fallback_time = _parse_time(form.get("handed_in", "")[:100], assignment)
        upload = request.files.get("download")
        if upload is not None and upload.filename:
            key = _save_download(upload)
        path = _find_saved_download(key)
        platform_name, settings = form.get("platform", "")[:80], get_served_course_settings()
        plan = read_apart(
            _plan_apart, settings, assignment, path, platform_name, fallback_time, cpu_seconds=CLASS_CPU_SECONDS
        )
    except ReadingStopped:
        return _render_form(assignment, STOPPED), 422
    except Fault as fault:
        return _render_form(assignment, str(fault)), 422
    except OSError as error:
        log_and_save_fault(str(error))
        return _render_form(assignment, "The server could not keep the download; perhaps its disk is full."), 503
    if form.get("do") != "queue" or not plan.new or plan.has_submission_without_time:
        return _render_form(assignment, plan=plan, key=key)
    if form.get("digest") != plan.digest:
        return _render_form(assignment, CHANGED, plan, key), 409
    person = get_person_or_401()
    context = AuditContext("import", person.audit_account, "", get_course_key_in_store(), assignment.name)
    with store.group():
        submission_ids = queue_planned_hand_ins(store, get_course_key_in_store(), assignment, plan)
        after = f"from {plan.platform or 'a zip'}"
        events = [
            AuditEvent(changed_item="submission", student_label=one, submission=one, before="", after=after)
            for one in submission_ids
        ]
        store.audit.add_events(context, events, "decided", person.name)
    path.unlink(missing_ok=True)
    return see_other("staff_class_pages.show_class", assignment_name=assignment_name)


def _plan_apart(settings: CourseServerSettings, *arguments: Any) -> SubmissionImportPlan:
    """Return the plan for a download, with a store of its own: it is called in a reading process."""
    with settings.location.open_or_create_store() as store:
        return plan_import(store, settings.location.class_key_in_store, *arguments)


def _save_download(upload: FileStorage) -> str:
    """Save a download until it is imported, and return its key; delete downloads older than ``KEPT_SECONDS``.

    Raises:
        CallerFault: it is no zip.
        OSError: it cannot be written.
    """
    folder = get_served_course_settings().location.output_folder / IMPORTS
    make_output_folder(folder)
    for path in folder.glob("*.zip"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                path.unlink()
    key = make_random_token()
    path = folder / f"{key}.zip"
    with open_new_output_file(path) as file:
        upload.save(file)
    if path.read_bytes()[:2] != b"PK":
        path.unlink()
        raise CallerFault("the download is not a zip", advice="choose the zip as the platform made it")
    return key


def _find_saved_download(download_key: str) -> Path:
    """Return where a download is kept.

    Raises:
        CallerFault: there is none of that key.
    """
    path = get_served_course_settings().location.output_folder / IMPORTS / f"{download_key}.zip"
    if not is_well_formed_token(download_key) or not os.path.isfile(path):
        raise CallerFault("the download is missing", advice="choose the zip that you downloaded from the platform")
    return path


def _parse_time(text: str, assignment: Assignment) -> datetime | None:
    """Return the time for submissions whose time the download does not give; None if the text is blank.

    Raises:
        CallerFault: it is no time.
    """
    if not text.strip():
        return None
    try:
        return parse_time(text, assignment.deadline_rules.default_zone)
    except InvalidTime as error:
        raise CallerFault(f"cannot read the time of submission: {error}", advice=error.advice) from error


def _render_form(
    assignment: Assignment, refusal: str = "", plan: SubmissionImportPlan | None = None, key: str = ""
) -> str:
    return render_template(
        "import.html.j2",
        assignment=assignment,
        platforms=list_readable_platform_names(),
        plain=PLAIN,
        refused=refusal,
        plan=plan,
        key=key,
        platform=request.form.get("platform", "")[:80],
        handed_in=request.form.get("handed_in", "")[:100],
        largest=DOWNLOAD_BYTES,
    )
