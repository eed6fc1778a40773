"""Find the installed platforms, call their code, check its answers, and report its mistakes in one line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import PurePosixPath
from traceback import extract_tb
from typing import TypeVar

import msgspec

from autograder.batch.output_files import assign_file_names
from autograder.faults import CallerFault, Fault, KitFault
from autograder.platforms.common.download import Download
from autograder.platforms.common.manual_mark_protection import protect_manual_entries
from autograder.platforms.common.platform_model import (
    ClassResults,
    DownloadedSubmission,
    ExportOptions,
    ExportResult,
    Platform,
    UploadObserver,
)
from autograder.reports import ScoreReport
from autograder.submissions.safe_paths import may_leave_folder
from autograder.text import escape_for_display, escape_name_unambiguously

KIT = __name__.partition(".")[0]


class InvalidPluginAnswer(Exception):
    """A part of a platform returned an invalid value; the message is shown after the part's name."""


@contextmanager
def blame_plugin(entry_point: EntryPoint | None, where: str, part: str, *advice: str) -> Iterator[None]:
    """Run a platform's code, and report what it raises or returns by mistake as a fault of whoever brings it.

    A ``Fault``, which the code raises on purpose, passes unchanged.

    Args:
        entry_point: the entry point that names the platform; None where it is not installed.
        where: the platform, or the entry point that names no platform.
        part: the part of the platform that runs, such as its reader.
        advice: what the mistake led to, or how to go on without the platform.

    Raises:
        KitFault: the code has a mistake, and the kit brings it.
        CallerFault: the code has a mistake, and another distribution brings it.
    """
    try:
        yield
    except Fault:
        raise
    except (Exception, SystemExit) as error:  # code of a third-party distribution may raise anything
        is_own = entry_point is not None and not _is_foreign(entry_point)
        if is_own and isinstance(error, OSError) and error.filename:
            raise  # an unreadable file of the caller is not a bug of the platform
        text = escape_for_display(str(error))
        if not isinstance(error, InvalidPluginAnswer):
            frame = extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__}: {text}".removesuffix(": ")
            text = f"raised {text} at {escape_for_display(frame.filename)}:{frame.lineno}"
        distribution = entry_point.dist if entry_point else None
        owner = f"{distribution.name} {distribution.version}" if distribution else "the distribution"
        last = "report this line as a bug of the kit" if is_own else f"fix or uninstall {owner}, which brings it"
        raise (KitFault if is_own else CallerFault)(
            f"the {part} {text}", where, "; ".join([*advice, last])
        ) from error


def _is_foreign(entry_point: EntryPoint) -> bool:
    return entry_point.module.partition(".")[0] != KIT


GROUP = "autograder.platforms"


@cache
def load_installed_platforms() -> dict[str, tuple[Platform, EntryPoint]]:
    """Return every platform, the kit's own and those that a course installed, sorted by name, with its entry point.

    Raises:
        CallerFault: an entry point names no platform, or two have one name.
        KitFault: one of the kit's own cannot be loaded.
    """
    installed_by_name: dict[str, tuple[Platform, EntryPoint]] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda entry_point: entry_point.name):
        with blame_plugin(point, _format_entry_point_declaration(point), "platform"):
            platform = point.load()
            if not isinstance(platform, Platform):
                raise InvalidPluginAnswer("is not a Platform")
        if platform.name in installed_by_name:
            raise CallerFault(f"two distributions bring a platform {platform.name}", advice="uninstall one of them")
        installed_by_name[platform.name] = platform, point
    return installed_by_name


def load_platforms_by_name() -> dict[str, Platform]:
    """Return every platform by name, sorted; see ``load_installed_platforms``."""
    return {name: platform for name, (platform, _) in load_installed_platforms().items()}


def require_platform(platform_name: str) -> Platform:
    """Return one platform.

    Raises:
        CallerFault: no platform has that name.
    """
    platforms = load_platforms_by_name()
    if platform_name not in platforms:
        raise CallerFault(f"unknown platform '{platform_name}'", advice=f"choose from {', '.join(platforms)}")
    return platforms[platform_name]


def _format_entry_point_declaration(entry_point: EntryPoint) -> str:
    """Return the entry point as its distribution writes it."""
    return f"entry point {entry_point.name} = {entry_point.value}"


T = TypeVar("T")


def _require_type(answer: object, kind: type[T]) -> T:
    """Check the type of an answer and of everything in it, without converting anything.

    Raises:
        InvalidPluginAnswer: it is of another type.
    """
    try:
        if isinstance(kind, type) and not isinstance(answer, kind):
            raise TypeError(f"a {type(answer).__name__} instead of a {kind.__name__}")
        builtins = msgspec.to_builtins(answer, builtin_types=(bytes, datetime), enc_hook=dict)
        return msgspec.convert(builtins, kind, builtin_types=(bytes, datetime))
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise InvalidPluginAnswer(f"returned {error}") from error


def _require_output_files(answer: object) -> dict[str, bytes]:
    """Check the files that a writer answers; if one of them cannot be written, none is.

    Raises:
        InvalidPluginAnswer: they are not files by name, or leave the folder that they are written to.
    """
    files = _require_type(answer, dict[str, bytes])
    folders = {str(folder) for name in files for folder in PurePosixPath(name).parents}
    for name in files:
        if name in folders or not _can_be_written(name):
            raise InvalidPluginAnswer(f"named a file {name!r}, which is not a path below --out")
    return files


def _can_be_written(name: str) -> bool:
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return bool(name) and "\0" not in name and not may_leave_folder(name)


def _require_export(answer: object, options: ExportOptions) -> ExportResult:
    """Check the answer of a class's writer or of an uploader: it keeps marks and comments that people set.

    Raises:
        InvalidPluginAnswer: it is no export, or would replace a mark or comment that is not the kit's own, and the
            staff did not allow this.
    """
    export = _require_type(answer, ExportResult)
    _require_output_files(export.files)
    for change in (*export.changes, *export.comments):
        if change.has_new_value and not change.overwrites and protect_manual_entries(change, options).wanted:
            raise InvalidPluginAnswer(
                f"would replace a {change.what} of {change.student} that a person set ({change.before}); "
                "see common.manual_mark_protection"
            )
    return export


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
        return [_require_type(item, DownloadedSubmission) for item in platform.reader.read(download)]


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
        return _require_output_files(platform.report_writer(report, options))


def export_class(platform: Platform, results: ClassResults, options: ExportOptions) -> ExportResult:
    """Make a platform's export of a class; if it takes single reports only, make a folder for each submission.

    Raises:
        CallerFault: the platform takes no results, or its table is missing or cannot be used.
        Fault: the writer fails, or its answer is invalid.
    """
    if platform.class_writer:
        with _blame(platform, "writer", "nothing was written"):
            return _require_export(platform.class_writer(results, options), options)
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
        return _require_type(platform.uploader(results, options, dry_run, observer), ExportResult)


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
    _, entry_point = load_installed_platforms().get(platform.name, (platform, None))
    is_foreign = entry_point is not None and _is_foreign(entry_point)
    declaration = f", {_format_entry_point_declaration(entry_point)}" if entry_point and is_foreign else ""
    return blame_plugin(entry_point, f"platform {platform.name}{declaration}{subject}", part, consequence)
