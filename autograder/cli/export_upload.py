"""``autograder export --upload`` and ``--check``: use a platform's own service."""

from __future__ import annotations

import sys

from autograder.batch.batch_location import BatchLocation
from autograder.cli.export_changes import print_export_changes
from autograder.cli.progress import show_progress_bar
from autograder.cli.shared_options import EXIT_FAILED, make_console
from autograder.platforms import ClassExport, ExportOptions, Platform
from autograder.platforms.common.class_results import ClassResultsWithNotes
from autograder.platforms.common.export_journal import (
    AuditingUploadObserver,
    make_audit_context,
    require_overwrite_names_in_export,
)
from autograder.platforms.common.manual_decisions import ALL_STUDENTS
from autograder.platforms.common.plugin_calls import check_access_with_platform, upload_class_with_platform
from autograder.safe_text import escape_for_display


def upload_audit_and_print_changes(
    platform: Platform,
    location: BatchLocation,
    gathered_results: ClassResultsWithNotes,
    options: ExportOptions,
    dry_run: bool,
) -> None:
    """Send a class, note every answer in its store, and fail if anything was refused."""
    if options.overwrite - {ALL_STUDENTS}:  # a name that is nobody's must be told before anything is sent
        require_overwrite_names_in_export(
            _upload(platform, location, gathered_results, options, dry_run=True), options.overwrite
        )
    made = _upload(platform, location, gathered_results, options, dry_run)
    print_export_changes(made, gathered_results, include_unchanged=True)
    if dry_run:
        make_console().print("nothing was sent: this was a dry run")
    for sentence in made.failed:
        make_console(stderr=True).print(f"not taken: {escape_for_display(sentence, 500)}", style="red")
    if made.failed:
        sys.exit(EXIT_FAILED)


def print_access_check(platform: Platform, options: ExportOptions) -> None:
    """Try the way in, and print what was found."""
    for line in check_access_with_platform(platform, options):
        make_console().print(escape_for_display(line, 300))
    make_console().print("nothing was sent: this was a check")


def _upload(
    platform: Platform, place: BatchLocation, gathered: ClassResultsWithNotes, given: ExportOptions, dry_run: bool
) -> ClassExport:
    action = make_audit_context("upload", place, platform, gathered.results.assignment)
    with show_progress_bar("sending") as progress, place.open_existing_store(dry_run=dry_run) as store:
        return upload_class_with_platform(
            platform, gathered.results, given, dry_run, AuditingUploadObserver(store.audit, action, progress)
        )
