"""Export a class's results for a platform: preview every change first, then send the files."""

from __future__ import annotations

import io
from pathlib import PurePath

from flask import Blueprint, render_template, request, send_file
from flask.typing import ResponseReturnValue

from autograder.course import Assignment
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
from autograder.platforms.common.class_results_notes import AdviceByResultProblem
from autograder.platforms.common.export_audit import make_export_audit_events
from autograder.platforms.common.export_options import (
    compute_sheet_fingerprint,
    map_settings_to_meanings,
    parse_settings_with_environment_defaults,
)
from autograder.platforms.common.manual_mark_protection import list_mark_reductions
from autograder.platforms.common.plugin_calls import export_class
from autograder.platforms.common.zip_packing import make_zip
from autograder.store.audit_model import AuditContext
from autograder.web.request_context import (
    get_assignment_or_404,
    get_course_key_in_store,
    get_person_or_401,
    get_served_course_settings,
    get_store,
)
from autograder.web.role_permissions import Permission, requires
from autograder.web.staff.export_form import ExportFormInput, parse_max_score, read_export_form, split_setting_lines
from autograder.web.student_display_names import get_student_display_names

pages = Blueprint("export_pages", __name__)
ON_THE_WEB = AdviceByResultProblem(
    provisional="choose them in the class, and try a regrade",
    outdated="try a regrade on the page of the class",
    ungraded="see in the class whether they wait or the grader failed; then look here again",
    by_other_kit="try a regrade on the page of the class",
    untimed="no hand-in of this class has a time",
)
UNCONFIRMED = "Marks or comments that people set would be replaced. Tick the box to confirm this."


@pages.get("/class/<assignment_name>/export")
@requires(Permission.EXPORT)
def show_export_form(assignment_name: str) -> ResponseReturnValue:
    """Show the form."""
    return _render_form(get_assignment_or_404(assignment_name), ExportFormInput())


@pages.post("/class/<assignment_name>/export")
@requires(Permission.EXPORT)
def handle_export_form(assignment_name: str) -> ResponseReturnValue:
    """Show what an export changes; or, once that was seen, send its files."""
    assignment, form = get_assignment_or_404(assignment_name), read_export_form()
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
        course_name = get_course_key_in_store()
        context = AuditContext("export", person.audit_account, platform.name, course_name, assignment.name)
        store.audit.add_events(context, events, "written", person.name)
    file_name, content = f"{assignment.name}-{platform.name}.zip", make_zip(export.files)
    if len(export.files) == 1:
        ((file_name, content),) = export.files.items()
    return send_file(
        io.BytesIO(content), "application/octet-stream", as_attachment=True, download_name=PurePath(file_name).name
    )


def _make_export(
    assignment: Assignment, platform: Platform, form: ExportFormInput
) -> tuple[ExportResult, tuple[str, ...]]:
    """Return the export for the platform, and notes for the staff to read before they send it.

    Raises:
        CallerFault: a setting, the table or the platform cannot be used, or nothing is graded yet.
        KitFault: the platform's code fails.
    """
    store, course = get_store(), get_course_key_in_store()
    settings = parse_settings_with_environment_defaults(platform, split_setting_lines(form.settings))
    stored_class = get_served_course_settings().location.get_stored_class(store, assignment.name)
    gathered = gather_class_results_with_notes(
        store, stored_class, assignment, settings.get("bonus", ""), None, ON_THE_WEB
    )
    options = ExportOptions(
        form.gradebook,
        form.gradebook_name,
        settings,
        parse_max_score(form.max_score),
        compute_sheet_fingerprint(form.gradebook, form.sent_at) if form.gradebook is not None else "",
        store.audit.map_last_exported_values(course, assignment.name, platform.name),
        form.overwrite,
    )
    export = export_class(platform, gathered.results, options)
    return export, (*export.notes, *gathered.notes)


def _list_overwritten(export: ExportResult) -> list[ExportChange]:
    """Return the marks and comments of people that an export replaces."""
    return [change for change in (*export.changes, *export.comments) if change.overwrites and change.has_new_value]


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
        settings={platform.title: map_settings_to_meanings(platform) for platform in platforms},
        refused=refusal,
        made=export,
        notes=notes,
        lowered=reductions,
        overwritten=overwritten_changes,
        kept=[change for change in (*export.changes, *export.comments) if change.wanted] if export else [],
        others=[change for change in export.changes if change not in reductions] if export else [],
        new_count=sum(change.has_new_value for change in export.changes) if export else 0,
    )
