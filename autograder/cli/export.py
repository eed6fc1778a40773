"""``autograder export``: write results as a platform takes them, or send them there."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from autograder.batch.batch_location import BatchLocation
from autograder.batch.mark_changes import record_deadline_changes
from autograder.cli.class_inputs import roster_option
from autograder.cli.options import CourseOption, course_option, get_assignment, store_option
from autograder.cli.progress import show_progress_bar
from autograder.cli.terminal import EXIT_FAILED, print_line
from autograder.course import Course
from autograder.faults import CallerFault
from autograder.files import is_standard_output, override_output_file_readers
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
    AuditingUploadObserver,
    ClassResultsWithNotes,
    gather_class_results_with_notes,
    load_last_exported_values,
    make_audit_context,
    matches_nobody,
    record_export,
)
from autograder.platforms.common.export_files import iterate_written_export_files
from autograder.platforms.common.export_points import map_settings_to_meanings, read_export_options
from autograder.platforms.common.installed_platforms import (
    check_platform_access,
    encode_report_files_with_platform,
    export_class,
    upload_class_results,
)
from autograder.platforms.common.manual_mark_protection import (
    is_lower_mark,
    list_mark_reductions,
    require_overwrite_names_in_export,
)
from autograder.reports import read_report_json
from autograder.roster.roster import read_roster
from autograder.text import choose_by_count, escape_for_display, format_abbreviated_list, format_count


def _print_platforms(platforms: Iterable[Platform]) -> None:
    """Print a line for each platform: what can be read of it and written for it."""
    table = Table(
        "platform", "reads its downloads", "a class", "one report", "sends", "--set", box=None, pad_edge=False
    )
    for platform in platforms:
        offers = (platform.reader, platform.class_writer, platform.report_writer, platform.uploader)
        table.add_row(
            platform.name,
            *("yes" if offer else "" for offer in offers),
            ", ".join(map_settings_to_meanings(platform)),
        )
    print_line(table)


def _print_export_settings_of_platform(platform: Platform) -> None:
    """Print what ``--set`` understands for one platform."""
    table = Table("--set", "what it means", box=None, pad_edge=False)
    for key, meaning in map_settings_to_meanings(platform).items():
        table.add_row(f"{key}=...", escape_for_display(meaning, 300))
    print_line(table)


def _print_export_changes_and_notes(
    export: ExportResult, gathered_results: ClassResultsWithNotes, show_change_table: bool
) -> None:
    """Show the changes for each student, the students left out, and notes to read before the files are uploaded.

    Args:
        export: the export.
        gathered_results: the class that it was made from.
        show_change_table: whether old and new score of each student are shown.
    """
    mark_reductions = list_mark_reductions(export.changes)
    notable_changes = [change for change in export.changes if change.has_new_value or change.note]
    for line in (*_format_lowered_marks(mark_reductions), *_format_kept_decisions(export)):
        print_line(escape_for_display(line, 500))
    if show_change_table and export.changes:
        table = Table("student", "old", "new", "", box=None, pad_edge=False)
        for change in (*mark_reductions, *(change for change in export.changes if change not in mark_reductions)):
            table.add_row(
                *(
                    escape_for_display(text, 120)
                    for text in (change.student, change.before, change.after, change.note)
                )
            )
        print_line(table)
    if export.changes:
        print_line(
            f"{len(notable_changes)} of {format_count(len(export.changes), 'mark')} "
            f"{choose_by_count(len(export.changes), 'is', 'are')} new, changed or worth a look"
        )
    if export.unmatched:
        matches = choose_by_count(len(export.unmatched), "matches", "match")
        print_line(
            f"{format_count(len(export.unmatched), 'submission')} {matches} no student in the platform's table:"
        )
        for sentence in export.unmatched:
            print_line(f"  {escape_for_display(sentence, 300)}")
    if export.missing:
        print_line(
            f"no result for {format_count(len(export.missing), 'student')} there: "
            f"{format_abbreviated_list([*export.missing])}"
        )
    for note in (*export.notes, *gathered_results.notes, *_format_bonus_note(export, gathered_results)):
        print_line(escape_for_display(note, 500))


def _format_lowered_marks(lowered: Sequence[ExportChange]) -> Iterator[str]:
    """Yield the marks that would be lowered, for the staff to check."""
    if lowered:
        yield f"{format_count(len(lowered), 'mark')} {choose_by_count(len(lowered), 'goes', 'go')} down:"
    for change in lowered:
        replaced = ", set by a person and overwritten" if change.overwrites else ""
        yield f"  {change.student}: {change.before} -> {change.after}{replaced}"


def _format_kept_decisions(export: ExportResult) -> Iterator[str]:
    """Yield marks and comments set by people that the export keeps; those above the new results come first."""
    marks = [change for change in export.changes if change.wanted]
    if marks:
        yield f"{format_count(len(marks), 'mark')} set by a person {choose_by_count(len(marks), 'stays', 'stay')}:"
        for change in sorted(marks, key=lambda mark: not is_lower_mark(mark.wanted, mark.before)):
            remark = ", which is lower" if is_lower_mark(change.wanted, change.before) else ""
            yield f"  {change.student}: {change.before or 'no mark'} stays, results say {change.wanted}{remark}"
    comments = [change for change in export.comments if change.wanted]
    if comments:
        verb = choose_by_count(len(comments), "stays", "stay")
        yield f"{format_count(len(comments), 'comment')} by a person {verb}:"
        yield from (f"  {change.student}: {change.before[:80]}" for change in comments)
    if marks or comments:
        yield "to replace them, use --overwrite STUDENT or --overwrite all"


def _format_bonus_note(export: ExportResult, gathered_results: ClassResultsWithNotes) -> Iterator[str]:
    """Explain why marks are not those of the gradebook."""
    raised_count = sum(row.points > row.report.final.score for row in gathered_results.results.rows)
    if export.changes and raised_count:
        yield f"the bonus raises {format_count(raised_count, 'mark')}; --set bonus=none leaves it out"


def _print_changes_and_upload(
    platform: Platform,
    location: BatchLocation,
    gathered_results: ClassResultsWithNotes,
    options: ExportOptions,
    dry_run: bool,
) -> None:
    """Print what would change, lowered marks first; then send it, note every answer, and fail if one was a refusal.

    Raises:
        CallerFault: the platform does not let us in, or a name of ``--overwrite`` is nobody's; nothing was sent.
    """
    plan = _upload_or_plan(platform, location, gathered_results, options, dry_run=True)
    require_overwrite_names_in_export(plan, options.overwrite)
    _print_export_changes_and_notes(plan, gathered_results, show_change_table=True)
    if matches_nobody(plan, gathered_results.results):
        raise CallerFault(NOBODY_THERE, platform.title, f"is it another course? {NOBODY}")
    if dry_run:
        print_line("nothing was sent: this was a dry run")
        return
    result = _upload_or_plan(platform, location, gathered_results, options, dry_run=False)
    for line in _iterate_unplanned_changes(plan, result):
        print_line(escape_for_display(line, 500))
    sent_changes = [change for change in result.changes if change.has_new_value]
    print_line(f"{format_count(len(sent_changes), 'mark')} taken by {platform.title}")
    for sentence in result.failed:
        print_line(f"not taken: {escape_for_display(sentence, 500)}", style="red", to_stderr=True)
    if result.failed:
        sys.exit(EXIT_FAILED)


def _iterate_unplanned_changes(plan: ExportResult, result: ExportResult) -> Iterator[str]:
    """Yield the marks that another person or program changed on the platform since the list was printed."""
    planned_changes = {(change.student_key, change.before, change.after) for change in plan.changes}
    unplanned_changes = [
        change
        for change in result.changes
        if (change.student_key, change.before, change.after) not in planned_changes
    ]
    if unplanned_changes:
        yield f"{format_count(len(unplanned_changes), 'mark')} changed on the platform since the list above:"
    for change in unplanned_changes:
        note = f", {change.note}" if change.note else ""
        yield f"  {change.student}: {change.before or 'no mark'} -> {change.after or 'no mark'}{note}"


def _upload_or_plan(
    platform: Platform,
    location: BatchLocation,
    class_results: ClassResultsWithNotes,
    options: ExportOptions,
    dry_run: bool,
) -> ExportResult:
    audit_context = make_audit_context("upload", location, platform, class_results.results.assignment)
    with show_progress_bar("sending") as progress, location.open_existing_store(dry_run=dry_run) as store:
        return upload_class_results(
            platform,
            class_results.results,
            options,
            dry_run,
            AuditingUploadObserver(store.audit, audit_context, progress),
        )


NO_SHEET_NOTE = (
    "without --gradebook, marks that people set on the platform are unknown: importing these files may replace them"
)
NOBODY = "name that of the class that was graded, or a list of both courses' names with --roster"
MOST = 1e9
"""The largest accepted number of points; beyond it, no platform counts in hundredths."""


class PointsParamType(click.FloatRange):
    """A number of points; unlike ``click.FloatRange``, it refuses ``nan``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number.

        Raises:
            click.BadParameter: the value is not a number, or out of range.
        """
        points = float(super().convert(value, param, ctx))
        if math.isnan(points):
            self.fail(f"{value!r} is not a number of points", param, ctx)
        return points


@click.command()
@click.argument("platform")
@click.argument("assignment", required=False, default="")
@click.option("--batch", type=click.Path(path_type=Path), help="The folder that `autograder batch` wrote.")
@click.option("--report", type=click.Path(path_type=Path), help="One score report, instead of a class.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; one report's goes to the terminal.")
@click.option(
    "--gradebook", type=click.Path(path_type=Path), help="The table that the platform exported, to be filled in."
)
@roster_option
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the platform's, any number."
)
@click.option(
    "--max-score", type=PointsParamType(0, MOST, min_open=True), help="Full marks there, if not those here."
)
@click.option("--upload", is_flag=True, help="Send marks to the platform, if programs may.")
@click.option("--check", is_flag=True, help="Try address, token, course and assignment; send nothing.")
@click.option(
    "--overwrite",
    multiple=True,
    metavar="STUDENT",
    help="Replace also what a person decided for this student, any number; `all` for everybody's.",
)
@click.option("--dry-run", is_flag=True, help="Show everybody's old and new mark, and write nothing.")
@store_option
@course_option
def command(  # noqa: PLR0913 - a parameter for each option
    platform: str,
    assignment: str,
    batch: Path | None,
    report: Path | None,
    out: Path | None,
    gradebook: Path | None,
    roster: Path | None,
    settings: tuple[str, ...],
    max_score: float | None,
    upload: bool,
    check: bool,
    overwrite: tuple[str, ...],
    dry_run: bool,
    store: str,
    course: CourseOption,
) -> None:
    """Write what PLATFORM takes: a class's marks and feedback, or one report's results.

    Platforms: see `autograder export list`; what --set understands: `autograder export list PLATFORM`.
    """
    if platform == "list":
        if assignment:
            _print_export_settings_of_platform(require_platform(assignment))
        else:
            _print_platforms(load_platforms_by_name().values())
        return
    chosen_platform = require_platform(platform)
    options = replace(
        read_export_options(chosen_platform, settings, gradebook, max_score), overwrite=frozenset(overwrite)
    )
    if check:
        for line in check_platform_access(chosen_platform, options):
            print_line(escape_for_display(line, 300))
        print_line("nothing was sent: this was a check")
        return
    if (batch is None) == (report is None):
        raise CallerFault(
            "exactly one of --batch and --report is required",
            advice="name a class with --batch, or a report with --report",
        )
    if report is not None:
        _export_report(chosen_platform, report, options, out)
        return
    assert batch is not None
    if upload and chosen_platform.uploader is None:
        raise CallerFault(
            f"{chosen_platform.name} accepts no uploads by programs", advice="write its files with --out"
        )
    if out is None and not dry_run and not upload:
        raise CallerFault("missing option --out", advice="name a folder to write to")
    location = BatchLocation(batch, store)
    class_results = _gather_class(
        location, assignment, course.load(location=location), options, roster, dry_run=dry_run
    )
    last_exported_values = load_last_exported_values(location, chosen_platform, class_results.results.assignment)
    options = replace(options, written=last_exported_values)
    if upload:
        _print_changes_and_upload(chosen_platform, location, class_results, options, dry_run)
        return
    export = export_class(chosen_platform, class_results.results, options)
    require_overwrite_names_in_export(export, options.overwrite)
    _print_export_changes_and_notes(export, class_results, show_change_table=dry_run)
    if gradebook is not None and matches_nobody(export, class_results.results):
        raise CallerFault(NOBODY_THERE, str(gradebook), f"{ANOTHER_COURSE} {NOBODY}")
    if gradebook is None and export.changes:
        print_line(NO_SHEET_NOTE)
    if dry_run:
        print_line("nothing was written: this was a dry run")
        return
    assert out is not None
    for path in iterate_written_export_files(export.files, out, gradebook):
        print_line(f"wrote {escape_for_display(str(path), 1000)}", to_stderr=is_standard_output(path))
    record_export(location, chosen_platform, class_results.results.assignment, export)


def _gather_class(
    location: BatchLocation,
    assignment: str,
    course: Course,
    options: ExportOptions,
    roster: Path | None,
    *,
    dry_run: bool,
) -> ClassResultsWithNotes:
    roster_rows = read_roster(roster) if roster else None
    with location.open_existing_store(dry_run=dry_run) as opened_store:
        stored_class = location.get_stored_class(opened_store, assignment)
        assignment_of_class = get_assignment(course, stored_class.rules.assignment)
        if not dry_run:
            record_deadline_changes(opened_store, location.class_key_in_store, assignment_of_class)
        return gather_class_results_with_notes(
            opened_store, stored_class, assignment_of_class, options.settings.get("bonus", ""), roster_rows
        )


def _export_report(platform: Platform, report: Path, options: ExportOptions, out: Path | None) -> None:
    if platform.report_writer is None:
        raise CallerFault(f"{platform.name} takes whole classes, not one report", advice="use --batch DIR")
    files = encode_report_files_with_platform(platform, read_report_json(report), options)
    if out is None and len(files) == 1:
        sys.stdout.buffer.write(b"".join(files.values()))
    elif out is None:
        raise CallerFault(
            f"{platform.name} takes several files: {', '.join(files)}", advice="name a folder with --out"
        )
    else:
        # A platform runs this command, and may read the result as another user.
        with override_output_file_readers("everybody"):
            for path in iterate_written_export_files(files, out):
                print_line(f"wrote {escape_for_display(str(path), 1000)}", to_stderr=is_standard_output(path))
