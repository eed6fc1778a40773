"""Call a platform's code, and report unexpected exceptions and invalid return values as the platform's fault.

A ``Fault``, which the code raises on purpose, passes unchanged.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from autograder.batch.submission_file_names import assign_file_names
from autograder.faults import CallerFault
from autograder.platforms.common.download import Download
from autograder.platforms.common.installed_platforms import format_entry_point_declaration, load_installed_platforms
from autograder.platforms.common.platform_model import (
    ClassResults,
    DownloadedSubmission,
    ExportOptions,
    ExportResult,
    Platform,
    UploadObserver,
)
from autograder.platforms.common.plugin_fault_messages import KIT, blame_plugin, get_package
from autograder.platforms.common.plugin_output_checks import (
    require_class_export,
    require_downloaded_submissions,
    require_manual_marks_kept,
    require_output_files,
)
from autograder.reports import ScoreReport
from autograder.safe_text import escape_name_unambiguously


def does_platform_recognise(platform: Platform, download: Download) -> bool:
    """Ask a platform with a reader whether a download is its own.

    Raises:
        Fault: the platform's reader fails.
    """
    assert platform.reader is not None
    with _blame(platform, "reader", "name another platform with --from"):
        return bool(platform.reader.recognises(download))


def read_submissions_with_platform(platform: Platform, download: Download) -> list[DownloadedSubmission]:
    """Find the submissions in a download with a platform's reader.

    Raises:
        CallerFault: the download is not what the platform packs.
        Fault: the reader fails, or its answer is invalid.
    """
    assert platform.reader is not None
    with _blame(platform, "reader", "nothing was read"):
        return require_downloaded_submissions(platform.reader.read(download), download)


def encode_report_files_with_platform(
    platform: Platform, report: ScoreReport, options: ExportOptions
) -> dict[str, bytes]:
    """Make a platform's files from one report, with its writer of reports.

    Raises:
        CallerFault: a setting is missing or invalid.
        Fault: the writer fails, or its answer is invalid.
    """
    assert platform.report_writer is not None
    subject = f", submission {escape_name_unambiguously(report.submission.id, 80)}"
    with _blame(platform, "writer", "nothing was written", subject):
        return require_output_files(platform.report_writer(report, options))


def export_class(platform: Platform, results: ClassResults, options: ExportOptions) -> ExportResult:
    """Make a platform's export of a class; if it takes single reports only, make a folder for each submission.

    Raises:
        CallerFault: the platform takes no results, or its table is missing or cannot be used.
        Fault: the writer fails, or its answer is invalid.
    """
    if platform.class_writer:
        with _blame(platform, "writer", "nothing was written"):
            export = require_class_export(platform.class_writer(results, options))
            require_manual_marks_kept(export, options)
            return export
    if platform.report_writer is None:
        raise CallerFault(f"platform {platform.name} takes no results", advice="see `autograder export list`")
    content_by_path: dict[str, bytes] = {}
    folders = assign_file_names(row.name for row in results.rows)
    for row in results.rows:
        report_files = encode_report_files_with_platform(platform, row.report, options)
        content_by_path |= {f"{folders[row.name]}/{name}": content for name, content in report_files.items()}
    return ExportResult(content_by_path)


def upload_class_results(
    platform: Platform, results: ClassResults, options: ExportOptions, dry_run: bool, observer: UploadObserver
) -> ExportResult:
    """Send a class to a platform with an uploader, and return what was sent and what failed; see ``Uploader``.

    Raises:
        CallerFault: the platform refuses access, or a setting is missing; nothing was sent.
        Fault: the uploader fails, or its answer is invalid.
    """
    assert platform.uploader is not None
    with _blame(platform, "uploader", "see with --upload --dry-run what is left to send"):
        return require_class_export(platform.uploader(results, options, dry_run, observer))


def check_platform_access(platform: Platform, options: ExportOptions) -> list[str]:
    """Check a platform's access with its checker, and return the lines that this reports; send nothing.

    Raises:
        CallerFault: the platform refuses access or has no checker, or a setting is missing.
        Fault: the checker fails.
    """
    if platform.checker is None:
        raise CallerFault(f"platform {platform.name} has no access check", advice="see `autograder export list`")
    with _blame(platform, "checker", "nothing was sent"):
        return [str(line) for line in platform.checker(options)]


def _blame(platform: Platform, part: str, consequence: str, subject: str = "") -> AbstractContextManager[None]:
    installed_platform = load_installed_platforms().get(platform.name)
    entry_point = installed_platform.entry_point if installed_platform else None
    is_foreign = entry_point is not None and get_package(entry_point) != KIT
    declaration = f", {format_entry_point_declaration(entry_point)}" if entry_point and is_foreign else ""
    return blame_plugin(entry_point, f"platform {platform.name}{declaration}{subject}", part, consequence)
