"""Find the installed platforms, call their code, check its answers, and report its mistakes in one line."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import PurePosixPath
from traceback import walk_tb
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
from autograder.submissions.safe_paths import UnusablePath, require_safe_inner_path
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
    package = _get_package(entry_point) if entry_point else ""
    try:
        yield
    except Fault:
        raise
    except (Exception, SystemExit) as error:  # code of a third-party distribution may raise anything
        if package == KIT and isinstance(error, OSError) and error.filename:
            raise  # an unreadable file of the caller is not a bug of the platform
        problem = f"the {part} " + (
            str(error) if isinstance(error, InvalidPluginAnswer) else f"raised {_describe_exception(error, package)}"
        )
        if package == KIT:
            raise KitFault(problem, where, "; ".join([*advice, "report this line as a bug of the kit"])) from error
        distribution = entry_point.dist if entry_point else None
        owner = f"{distribution.name} {distribution.version}, which" if distribution else "the distribution that"
        raise CallerFault(problem, where, "; ".join([*advice, f"fix or uninstall {owner} brings it"])) from error


def _get_package(entry_point: EntryPoint) -> str:
    """Return the top-level package that an entry point names."""
    return entry_point.value.partition(":")[0].partition(".")[0].strip()


def _describe_exception(error: BaseException, package: str) -> str:
    """Say what was raised, and where in the platform's own code, even if a library or the kit raised it there.

    If no line of the platform's code is in the traceback, a library's line is named. No line is named where a call
    failed before its first line.
    """
    lines_by_package: dict[str, str] = {}
    for frame, line in walk_tb(error.__traceback__):
        frame_package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if frame_package == package or frame_package not in (KIT, "importlib"):  # callers are left out
            lines_by_package["own" if frame_package == package else "library"] = f"{frame.f_code.co_filename}:{line}"
    line_of_code = lines_by_package.get("own") or lines_by_package.get("library")
    text = f"{type(error).__name__}: {escape_for_display(str(error))}".removesuffix(": ")
    return f"{text} at {escape_for_display(line_of_code)}" if line_of_code else text


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
            words = (platform.name, platform.title, *platform.settings, *platform.settings.values())
            if not all(isinstance(word, str) for word in words):
                raise InvalidPluginAnswer("has a name, title or settings that are not text")
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


AS_THEY_ARE = (bytes, datetime)
"""Types that are checked but never converted from text."""
T = TypeVar("T")


def _require_class_export(return_value: object) -> ExportResult:
    """Check the return value of a class's writer or of an uploader.

    Raises:
        InvalidPluginAnswer: it is not an export, or one of its files cannot be written.
    """
    export = _require_type(return_value, ExportResult)
    _require_output_files(export.files)
    return export


def _require_manual_marks_kept(export: ExportResult, options: ExportOptions) -> None:
    """Check that an export keeps marks and comments that people set, even if the platform's code is third-party.

    Raises:
        InvalidPluginAnswer: it would replace a mark or comment that is not the kit's own, and the staff did not allow
            this.
    """
    for change in (*export.changes, *export.comments):
        if change.has_new_value and not change.overwrites and protect_manual_entries(change, options).wanted:
            student, old_mark = escape_for_display(change.student, 80), escape_for_display(change.before, 40)
            raise InvalidPluginAnswer(
                f"would replace a {change.what} of {student} that a person set ({old_mark}); "
                "see common.manual_mark_protection"
            )


def _require_output_files(answer: object) -> dict[str, bytes]:
    """Check the files that a writer answers; if one of them cannot be written, none is.

    Raises:
        InvalidPluginAnswer: they are not files by name, leave the folder that they are written to, or get in each
            other's way.
    """
    files = _convert(answer, dict[str, bytes], "malformed files by name")
    path_counts = Counter(map(_require_path_below_output, files))
    folders = {parent for path in path_counts for parent in path.parents}
    for path, count in path_counts.items():
        if count > 1 or path in folders:
            raise InvalidPluginAnswer(
                f"named a file '{escape_for_display(str(path), 100)}', and another at the same path or below it"
            )
    return files


def _require_path_below_output(name: str) -> PurePosixPath:
    try:
        path = require_safe_inner_path(name)
        if path.parts and b"\0" not in os.fsencode(name):
            return path
    except (UnusablePath, UnicodeEncodeError):
        pass
    raise InvalidPluginAnswer(f"named a file {escape_for_display(repr(name), 100)}, which is not a path below --out")


def _require_type(answer: object, kind: type[T]) -> T:
    """Check the type of an answer and of everything in it, without converting anything."""
    if not isinstance(answer, kind):
        raise InvalidPluginAnswer(f"returned {_format_type(answer)} instead of a {kind.__name__}")
    return _convert(answer, kind, f"a malformed {kind.__name__}")


def _convert(answer: object, kind: type[T], description: str) -> T:
    try:
        builtins = msgspec.to_builtins(answer, builtin_types=AS_THEY_ARE, enc_hook=_convert_to_builtin)
        return msgspec.convert(builtins, kind, builtin_types=AS_THEY_ARE)
    except (msgspec.ValidationError, TypeError) as error:
        raise InvalidPluginAnswer(f"returned {description}: {escape_for_display(str(error), 200)}") from error


def _convert_to_builtin(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"it holds {_format_type(value)}")


def _check_paths(submission: DownloadedSubmission, download: Download) -> None:
    """Check that the download holds all of a student's files, so that nothing else is ever graded or shown."""
    name = escape_name_unambiguously(submission.name, 80)
    if submission.folder and (submission.files or submission.texts):
        raise InvalidPluginAnswer(f"returned both a folder and files for '{name}'")
    root = os.path.realpath(download.root)
    for path in [submission.folder] if submission.folder else submission.files.values():
        # neither absolute, nor with ``..``, nor behind a link
        is_inside = os.path.realpath(f"{root}/{path}") == f"{root}/{path}"
        is_folder = download.is_folder(path)
        is_there = is_folder if submission.folder else not is_folder and os.path.lexists(f"{root}/{path}")
        if path not in download.spoilt and not (is_inside and is_there):
            kind, shown_path = "folder" if submission.folder else "file", escape_for_display(path, 100)
            raise InvalidPluginAnswer(f"named a {kind} '{shown_path}' for '{name}', which the download does not hold")


def _format_type(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


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
        answer = platform.reader.read(download)
        if not isinstance(answer, Iterable):
            raise InvalidPluginAnswer(f"returned {_format_type(answer)} instead of submissions")
        submissions = [_require_type(item, DownloadedSubmission) for item in answer]
        for submission in submissions:
            _check_paths(submission, download)
        return submissions


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
            export = _require_class_export(platform.class_writer(results, options))
            _require_manual_marks_kept(export, options)
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
        return _require_class_export(platform.uploader(results, options, dry_run, observer))


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
    is_foreign = entry_point is not None and _get_package(entry_point) != KIT
    declaration = f", {_format_entry_point_declaration(entry_point)}" if entry_point and is_foreign else ""
    return blame_plugin(entry_point, f"platform {platform.name}{declaration}{subject}", part, consequence)
