"""Export a class's results for a platform: preview every change first, then send the files."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath

from flask import render_template, request, send_file
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
from autograder.platforms.common.class_exports import (
    ANOTHER_COURSE,
    NOBODY_THERE,
    AdviceByResultProblem,
    gather_class_results_with_notes,
    make_export_audit_events,
    matches_nobody,
)
from autograder.platforms.common.export_files import make_zip
from autograder.platforms.common.export_points import (
    BONUS_RULES,
    compute_sheet_fingerprint,
    parse_settings_with_environment_defaults,
)
from autograder.platforms.common.installed_platforms import export_class
from autograder.platforms.common.manual_mark_protection import ALL_STUDENTS, list_mark_reductions
from autograder.store.audit import AuditContext
from autograder.store.tables import utc_now
from autograder.web.names import get_student_display_names, name_label
from autograder.web.request import Pages, Permission, current

FOR_UPLOADS = "for --upload"
"""What the hint of a setting begins with that the command line alone can use."""
FIELD = "set."
"""What the name of a setting's field begins with."""


@dataclass(frozen=True, slots=True)
class ExportFormInput:
    """The submitted form. The preview sends it back, so that the files are made from the same input."""

    platform: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    """The platform's settings that are filled in."""
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


def _read_export_form() -> ExportFormInput:
    """Return the submitted form, with a newly chosen table or else the one that the preview kept."""
    form, upload = request.form, request.files.get("gradebook")
    gradebook: bytes | None
    if upload is not None and upload.filename:
        gradebook, sent_at = upload.read(), utc_now().isoformat()
        gradebook_name = PurePath(upload.filename.replace("\\", "/")).name
    else:
        gradebook_name, sent_at = form.get("gradebook_name", "")[:200], form.get("sent_at", "")[:40]
        try:
            gradebook = base64.b64decode(form.get("kept_gradebook", ""), validate=True) or None
        except binascii.Error:
            gradebook = None
    return ExportFormInput(
        form.get("platform", "")[:2000],
        {
            name.removeprefix(FIELD): value.strip()[:500]
            for name, value in form.items()
            if name.startswith(FIELD) and value.strip()
        },
        form.get("max_score", "")[:2000],
        gradebook,
        gradebook_name,
        sent_at,
        frozenset(form.getlist("overwrite")) - {ALL_STUDENTS},
    )


def _list_setting_fields(platform: Platform) -> list[tuple[str, str, str]]:
    """Return the settings that files depend on: the name of each, its label, and a hint."""
    return [
        (key, key.replace("_", " ").capitalize(), hint)
        for key, hint in platform.settings.items()
        if not hint.startswith(FOR_UPLOADS)
    ]


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


pages = Pages("export_pages", __name__)
ON_THE_WEB = AdviceByResultProblem(
    provisional="choose them in the class, and try a regrade",
    outdated="try a regrade on the page of the class",
    ungraded="see in the class whether they wait or the grader failed; then look here again",
    by_other_kit="try a regrade on the page of the class",
    untimed="no hand-in of this class has a time",
)
OTHER_COURSE = f"{NOBODY_THERE} ({ANOTHER_COURSE} choose that of this class, or compare names under People)"
UNCONFIRMED = "Marks or comments that people set would be replaced. Tick the box to confirm this."


@pages.on_get("/class/<assignment_name>/export", Permission.EXPORT)
def show_export_form(assignment_name: str) -> ResponseReturnValue:
    """Ask for the platform; then show the form."""
    platform = request.args.get("platform", "")
    return _render_form(current.assignment(assignment_name), ExportFormInput(platform))


@pages.on_post("/class/<assignment_name>/export", Permission.EXPORT)
def handle_export_form(assignment_name: str) -> ResponseReturnValue:
    """Show what an export changes; or, once that was seen, send its files."""
    assignment, form = current.assignment(assignment_name), _read_export_form()
    try:
        if get_student_display_names(assignment.name).are_hidden:
            raise CallerFault(
                "an anonymously graded class cannot be exported, because an export has names",
                advice="show the names of the class first",
            )
        platform = require_platform(form.platform)
        export, notes, is_other_course = _make_export(assignment, platform, form)
    except Fault as fault:
        return _render_form(assignment, form, str(fault)), 422
    if is_other_course:
        return _render_form(assignment, form, OTHER_COURSE, export), 422
    if request.form.get("do") != "download":
        return _render_form(assignment, form, export=export, notes=notes)
    if _list_overwritten(export) and request.form.get("confirmed") != "yes":
        return _render_form(assignment, form, UNCONFIRMED, export, notes), 422
    store, person = current.store, current.person
    events = make_export_audit_events(export)
    if events:
        course_name = current.course_key
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
) -> tuple[ExportResult, tuple[str, ...], bool]:
    """Return the export for the platform, notes for the staff to read, and whether its table has none of the class.

    Raises:
        CallerFault: a setting, the table or the platform cannot be used, or nothing is graded yet.
        KitFault: the platform's code fails.
    """
    store, course = current.store, current.course_key
    filled = [f"{name}={value}" for name, value in form.settings.items()]
    settings = parse_settings_with_environment_defaults(platform, filled)
    stored_class = current.settings.location.get_stored_class(store, assignment.name)
    gathered = gather_class_results_with_notes(
        store, stored_class, assignment, settings.get("bonus", ""), None, ON_THE_WEB
    )
    options = ExportOptions(
        form.gradebook,
        form.gradebook_name,
        settings,
        _parse_max_score(form.max_score),
        compute_sheet_fingerprint(form.gradebook, form.sent_at) if form.gradebook is not None else "",
        store.audit.map_last_exported_values(course, assignment.name, platform.name),
        form.overwrite,
    )
    export = export_class(platform, gathered.results, options)
    is_other_course = form.gradebook is not None and matches_nobody(export, gathered.results)
    return export, (*export.notes, *gathered.notes), is_other_course


def _list_overwritten(export: ExportResult) -> list[ExportChange]:
    """Return the marks and comments of people that an export replaces."""
    return [change for change in (*export.changes, *export.comments) if change.overwrites and change.has_new_value]


def _call_by_name(assignment_name: str, label: str) -> str:
    """Return whom or what a line of the preview is about, with a name before a login that it begins with."""
    who, colon, more = label.partition(": ")
    return f"{name_label(assignment_name, who)}{colon}{more}"


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
        call=partial(_call_by_name, assignment.name),
        form=form,
        platforms=platforms,
        platform=(chosen := next((one for one in platforms if one.name == form.platform), None)),
        setting_fields=_list_setting_fields(chosen) if chosen else [],
        bonus_rules=BONUS_RULES,
        refused=refusal,
        made=export,
        notes=notes,
        lowered=reductions,
        overwritten=overwritten_changes,
        kept=[change for change in (*export.changes, *export.comments) if change.wanted] if export else [],
        others=[change for change in export.changes if change not in reductions] if export else [],
        new_count=sum(change.has_new_value for change in export.changes) if export else 0,
    )
