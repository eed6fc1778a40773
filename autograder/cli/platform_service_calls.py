"""``autograder export --upload`` and ``--check``: use a platform's own service."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from autograder.batch.batch_location import BatchLocation
from autograder.cli.fault_handling import EXIT_FAILED
from autograder.cli.output.console import print_line
from autograder.cli.output.export_changes import print_export_changes_and_notes
from autograder.cli.output.progress import show_progress_bar
from autograder.english_wording import format_count
from autograder.platforms import ExportOptions, ExportResult, Platform
from autograder.platforms.common.class_results_gathering import ClassResultsWithNotes
from autograder.platforms.common.export_audit import AuditingUploadObserver, make_audit_context
from autograder.platforms.common.manual_mark_protection import require_overwrite_names_in_export
from autograder.platforms.common.plugin_calls import check_platform_access, upload_class_results
from autograder.safe_text import escape_for_display


def print_changes_and_upload(
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
    print_export_changes_and_notes(plan, gathered_results, show_change_table=True)
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


def check_and_print_platform_access(platform: Platform, options: ExportOptions) -> None:
    """Try the way in, and print what was found."""
    for line in check_platform_access(platform, options):
        print_line(escape_for_display(line, 300))
    print_line("nothing was sent: this was a check")


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
