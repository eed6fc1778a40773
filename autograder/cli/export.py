"""``autograder export``: write results as a platform takes them."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from autograder.atomic_file_writing import is_standard_output
from autograder.batch.batch_location import BatchLocation
from autograder.batch.deadline_change_audit import record_deadline_changes
from autograder.cli.fault_handling import exit_on_fault
from autograder.cli.options.roster_option import roster_option
from autograder.cli.options.shared_options import (
    course_option,
    get_assignment,
    load_course_and_set_output_permissions,
    store_option,
)
from autograder.cli.output.console import print_line
from autograder.cli.output.export_changes import print_export_changes_and_notes
from autograder.cli.output.platform_list import print_export_settings_of_platform, print_platforms
from autograder.cli.platform_service_calls import (
    check_and_print_platform_access,
    print_changes_and_upload,
)
from autograder.course import Course
from autograder.faults import CallerFault
from autograder.output_file_permissions import override_output_file_readers
from autograder.platforms import ExportOptions, Platform, load_platforms_by_name, require_platform
from autograder.platforms.common.class_results_gathering import ClassResultsWithNotes, gather_class_results_with_notes
from autograder.platforms.common.export_audit import load_last_exported_values, record_export
from autograder.platforms.common.export_file_writing import iterate_written_export_files
from autograder.platforms.common.export_options import read_export_options
from autograder.platforms.common.manual_mark_protection import require_overwrite_names_in_export
from autograder.platforms.common.plugin_calls import encode_report_files_with_platform, export_class
from autograder.reports import read_report_json
from autograder.roster.roster import read_roster
from autograder.safe_text import escape_for_display

NO_SHEET_NOTE = (
    "without --gradebook, marks that people set on the platform are unknown: importing these files may replace them"
)
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
@exit_on_fault
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
    course: Path | None,
) -> None:
    """Write what PLATFORM takes: a class's marks and feedback, or one report's results.

    Platforms: see `autograder export list`; what --set understands: `autograder export list PLATFORM`.
    """
    if platform == "list":
        _print_list(platform_name_or_empty=assignment)
        return
    chosen_platform = require_platform(platform)
    options = replace(
        read_export_options(chosen_platform, settings, gradebook, max_score), overwrite=frozenset(overwrite)
    )
    if check:
        check_and_print_platform_access(chosen_platform, options)
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
    class_results, submissions = _gather_class(
        location, assignment, load_course_and_set_output_permissions(course), options, roster, dry_run=dry_run
    )
    last_exported_values = load_last_exported_values(location, chosen_platform, class_results.results.assignment)
    options = replace(options, written=last_exported_values, submissions=submissions)
    if upload:
        print_changes_and_upload(chosen_platform, location, class_results, options, dry_run)
        return
    export = export_class(chosen_platform, class_results.results, options)
    require_overwrite_names_in_export(export, options.overwrite)
    print_export_changes_and_notes(export, class_results, show_change_table=dry_run)
    counted_results = [row for row in class_results.results.rows if row.attempt_counts]
    if gradebook is not None and not export.changes and 0 < len(counted_results) <= len(export.unmatched):
        raise CallerFault(
            "the table has none of the students of this class",
            where=str(gradebook),
            advice="name the table of the course that was graded, or a list of both courses' names with --roster",
        )
    if gradebook is None and export.changes and not export.knows_marks:
        print_line(NO_SHEET_NOTE)
    if dry_run:
        print_line("nothing was written: this was a dry run")
        return
    assert out is not None
    for path in iterate_written_export_files(export.files, out, gradebook):
        print_line(f"wrote {escape_for_display(str(path), 1000)}", to_stderr=is_standard_output(path))
    record_export(location, chosen_platform, class_results.results.assignment, export)


def _print_list(platform_name_or_empty: str) -> None:
    """Print all platforms, or the settings of one: ``export list`` and ``export list PLATFORM``.

    Raises:
        CallerFault: there is no such platform.
    """
    if platform_name_or_empty:
        print_export_settings_of_platform(require_platform(platform_name_or_empty))
    else:
        print_platforms(load_platforms_by_name().values())


def _gather_class(
    location: BatchLocation,
    assignment: str,
    course: Course,
    options: ExportOptions,
    roster: Path | None,
    *,
    dry_run: bool,
) -> tuple[ClassResultsWithNotes, Path]:
    """Return the class, and the path of its submissions."""
    roster_rows = read_roster(roster) if roster else None
    with location.open_existing_store(dry_run=dry_run) as opened_store:
        stored_class = location.get_stored_class(opened_store, assignment)
        assignment_of_class = get_assignment(course, stored_class.rules.assignment)
        if not dry_run:
            record_deadline_changes(opened_store, location.class_key_in_store, assignment_of_class)
        class_results = gather_class_results_with_notes(
            opened_store, stored_class, assignment_of_class, options.settings.get("bonus", ""), roster_rows
        )
        return class_results, stored_class.submissions_path


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
