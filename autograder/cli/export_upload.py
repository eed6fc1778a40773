"""``autograder export --upload`` and ``--check``: use a platform's own service."""

from __future__ import annotations

import sys

from autograder.batch.location import BatchLocation
from autograder.cli.export_changes import print_export_changes
from autograder.cli.progress import show_progress_bar
from autograder.cli.shared_options import EXIT_FAILED, make_console
from autograder.platforms import ClassExport, ExportOptions, Platform
from autograder.platforms.common.class_results import GatheredResults
from autograder.platforms.common.export_journal import AuditedUpload, check_overwrite_names, make_audit_action
from autograder.platforms.common.manual_decisions import ALL
from autograder.platforms.common.plugin_calls import check_access, upload_class
from autograder.safe_text import clean_text


def run_upload(
    platform: Platform, place: BatchLocation, gathered: GatheredResults, given: ExportOptions, dry_run: bool
) -> None:
    """Send a class, note every answer in its store, and fail if anything was refused."""
    if given.overwrite - {ALL}:  # a name that is nobody's must be told before anything is sent
        check_overwrite_names(_sent(platform, place, gathered, given, dry_run=True), given.overwrite)
    made = _sent(platform, place, gathered, given, dry_run)
    print_export_changes(made, gathered, include_unchanged=True)
    if dry_run:
        make_console().print("nothing was sent: this was a dry run")
    for sentence in made.failed:
        make_console(stderr=True).print(f"not taken: {clean_text(sentence, 500)}", style="red")
    if made.failed:
        sys.exit(EXIT_FAILED)


def print_access_check(platform: Platform, given: ExportOptions) -> None:
    """Try the way in, and print what was found."""
    for line in check_access(platform, given):
        make_console().print(clean_text(line, 300))
    make_console().print("nothing was sent: this was a check")


def _sent(
    platform: Platform, place: BatchLocation, gathered: GatheredResults, given: ExportOptions, dry_run: bool
) -> ClassExport:
    action = make_audit_action("upload", place, platform, gathered.results.assignment)
    with show_progress_bar("sending") as progress, place.open_existing_store(dry_run=dry_run) as store:
        return upload_class(platform, gathered.results, given, dry_run, AuditedUpload(store.audit, action, progress))
