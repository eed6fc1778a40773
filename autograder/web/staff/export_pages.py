"""Export a class's results for a platform: preview every change first, then send the files."""

from __future__ import annotations

import base64
import binascii
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from flask import Blueprint, render_template, request, send_file
from flask.typing import ResponseReturnValue

from autograder.course import Assignment
from autograder.english_wording import format_count
from autograder.faults import CallerFault, Fault
from autograder.platforms import (
    ExportChange,
    ExportOptions,
    ExportResult,
    Platform,
    load_platforms_by_name,
    require_platform,
)
from autograder.platforms.common.class_results_gathering import gather_class_results_with_notes
from autograder.platforms.common.class_results_notes import ResultProblemAdvice
from autograder.platforms.common.export_audit import make_export_audit_events
from autograder.platforms.common.export_options import (
    compute_sheet_fingerprint,
    describe_settings,
    parse_settings_with_environment_defaults,
)
from autograder.platforms.common.manual_mark_protection import ALL_STUDENTS, list_mark_reductions
from autograder.platforms.common.plugin_calls import export_class
from autograder.store.audit_model import AuditContext
from autograder.store.column_encoding import encode_now
from autograder.web.request_context import (
    get_assignment_or_404,
    get_course_name_in_store,
    get_person_or_401,
    get_served_course_settings,
    get_store,
)
from autograder.web.role_permissions import Permission, requires
from autograder.web.student_display_names import get_student_display_names

pages = Blueprint("export_pages", __name__)
MOST_SETTINGS, MOST_CHARACTERS_OF_SETTINGS = 20, 2000
ON_THE_WEB = ResultProblemAdvice(
    provisional="choose them in the class, and try a regrade",
    outdated="try a regrade on the page of the class",
    ungraded="see in the class whether they wait or the grader failed; then look here again",
    by_other_kit="try a regrade on the page of the class",
    untimed="no hand-in of this class has a time",
)
UNCONFIRMED = "Marks or comments that people set would be replaced. Tick the box to confirm this."


@dataclass(frozen=True, slots=True)
class ExportFormInput:
    """The submitted form. The preview sends it back, so that the files are made from the same input."""

    platform: str = ""
    settings: str = ""
    """``KEY=VALUE``, one a line."""
    max_score: str = ""
    gradebook: bytes | None = None
    """The table that the platform exported."""
    gradebook_name: str = ""
    sent_at: str = ""
    """When the table was uploaded."""
    overwrite: frozenset[str] = frozenset()
    """Students whose marks and comments are replaced although a person set them, by the platform's ids."""

    @property
    def base64_gradebook(self) -> str:
        """Return the table as a form can hold it."""
        return base64.b64encode(self.gradebook or b"").decode("ascii")


@pages.get("/class/<assignment_name>/export")
@requires(Permission.EXPORT)
def show_export_form(assignment_name: str) -> ResponseReturnValue:
    """Show the form."""
    return _render_form(get_assignment_or_404(assignment_name), ExportFormInput())


@pages.post("/class/<assignment_name>/export")
@requires(Permission.EXPORT)
def preview_or_send_export(assignment_name: str) -> ResponseReturnValue:
    """Show what an export changes; or, once that was seen, send its files."""
    assignment, form = get_assignment_or_404(assignment_name), _read_form()
    try:
        if get_student_display_names(assignment.name).are_hidden:
            raise CallerFault(
                "an anonymously graded class cannot be exported, because an export has names",
                advice="show the names of the class first",
            )
        platform = require_platform(form.platform)
        export, notes = _make_export(assignment, platform, form)
    except Fault as fault:
        return _render_form(assignment, form, str(fault)), 422
    if request.form.get("do") != "download":
        return _render_form(assignment, form, export=export, notes=notes)
    if _list_overwritten(export) and request.form.get("confirmed") != "yes":
        return _render_form(assignment, form, UNCONFIRMED, export, notes), 422
    store, person = get_store(), get_person_or_401()
    events = make_export_audit_events(export)
    if events:
        course_name = get_course_name_in_store()
        context = AuditContext("export", person.audit_account, platform.name, course_name, assignment.name)
        store.audit.add_events(context, events, "written", person.name)
    file_name, content = _pack_files(f"{assignment.name}-{platform.name}", export.files)
    return send_file(io.BytesIO(content), "application/octet-stream", as_attachment=True, download_name=file_name)


def _read_form() -> ExportFormInput:
    """Return the submitted form, with a newly chosen table or else the one that the preview kept."""
    form = request.form
    common_fields: dict[str, Any] = {key: form.get(key, "")[:2000] for key in ("platform", "max_score")}
    common_fields["settings"] = form.get("settings", "").replace("\r\n", "\n")
    common_fields["overwrite"] = frozenset(form.getlist("overwrite")) - {ALL_STUDENTS}
    upload = request.files.get("gradebook")
    if upload is not None and upload.filename:
        name = PurePath(upload.filename.replace("\\", "/")).name
        return ExportFormInput(**common_fields, gradebook=upload.read(), gradebook_name=name, sent_at=encode_now())
    try:
        kept_gradebook = base64.b64decode(form.get("kept_gradebook", ""), validate=True)
    except binascii.Error:
        kept_gradebook = b""
    return ExportFormInput(
        **common_fields,
        gradebook=kept_gradebook or None,
        gradebook_name=form.get("gradebook_name", "")[:200],
        sent_at=form.get("sent_at", "")[:40],
    )


def _make_export(
    assignment: Assignment, platform: Platform, form: ExportFormInput
) -> tuple[ExportResult, tuple[str, ...]]:
    """Return the export for the platform, and notes for the staff to read before they send it.

    Raises:
        CallerFault: a setting, the table or the platform cannot be used, or nothing is graded yet.
        KitFault: the platform's code fails.
    """
    store, course = get_store(), get_course_name_in_store()
    settings = parse_settings_with_environment_defaults(platform, _split_settings(form.settings))
    stored_class = get_served_course_settings().location.get_stored_class(store, assignment.name)
    gathered = gather_class_results_with_notes(
        store, stored_class, assignment, settings.get("bonus", ""), None, ON_THE_WEB
    )
    options = ExportOptions(
        form.gradebook,
        form.gradebook_name,
        settings,
        _parse_max_score(form.max_score),
        compute_sheet_fingerprint(form.gradebook, form.sent_at) if form.gradebook is not None else "",
        store.audit.map_last_platform_writes(course, assignment.name, platform.name),
        form.overwrite,
    )
    export = export_class(platform, gathered.results, options)
    return export, (*export.notes, *gathered.notes)


def _split_settings(text: str) -> list[str]:
    """Return the lines of the field for settings.

    Raises:
        CallerFault: it holds too much.
    """
    lines = text.splitlines()
    if len(text) > MOST_CHARACTERS_OF_SETTINGS or len(lines) > MOST_SETTINGS:
        raise CallerFault(
            f"the settings have {len(text):,} characters in {format_count(len(lines), 'line')}, "
            f"and may have {MOST_CHARACTERS_OF_SETTINGS:,} in {MOST_SETTINGS}",
            advice="shorten them",
        )
    return lines


def _list_overwritten(export: ExportResult) -> list[ExportChange]:
    """Return the marks and comments of people that an export replaces."""
    return [change for change in (*export.changes, *export.comments) if change.overwrites and change.has_new_value]


def _parse_max_score(text: str) -> float | None:
    """Return the maximum points on the platform; None if the field is empty.

    Raises:
        CallerFault: it is no number of points.
    """
    if not text.strip():
        return None
    try:
        points = float(text)
    except ValueError:
        points = 0.0
    if not 0 < points <= 1e9:
        raise CallerFault(
            f"the full marks {text[:40]!r} are not a positive number", advice="leave the field empty, or say 20"
        )
    return points


def _pack_files(stem: str, files: Mapping[str, bytes]) -> tuple[str, bytes]:
    """Return one file: the only one there is, or a zip of all."""
    if len(files) == 1:
        ((name, content),) = files.items()
        return PurePath(name).name, content
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return f"{stem}.zip", buffer.getvalue()


def _render_form(
    assignment: Assignment,
    form: ExportFormInput,
    refusal: str = "",
    export: ExportResult | None = None,
    notes: tuple[str, ...] = (),
) -> str:
    platforms = [platform for platform in load_platforms_by_name().values() if platform.class_writer]
    overwritten_changes = _list_overwritten(export) if export else []
    reductions = list_mark_reductions(export.changes) if export else []
    return render_template(
        "export.html.j2",
        assignment=assignment,
        form=form,
        platforms=platforms,
        settings={platform.title: describe_settings(platform) for platform in platforms},
        refused=refusal,
        made=export,
        notes=notes,
        lowered=reductions,
        overwritten=overwritten_changes,
        kept=[change for change in (*export.changes, *export.comments) if change.wanted] if export else [],
        others=[change for change in export.changes if change not in reductions] if export else [],
        new_count=sum(change.has_new_value for change in export.changes) if export else 0,
    )
