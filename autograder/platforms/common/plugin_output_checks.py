"""Check the return values of a platform's code, which may be third-party, before anything is written to disk."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import TypeVar

import msgspec

from autograder.platforms.common.download import Download
from autograder.platforms.common.manual_mark_protection import protect_manual_entries
from autograder.platforms.common.platform_model import DownloadedSubmission, ExportOptions, ExportResult
from autograder.platforms.common.plugin_fault_messages import InvalidPluginAnswer
from autograder.safe_text import escape_for_display, escape_name_unambiguously
from autograder.submissions.safe_paths import UnusablePath, require_safe_inner_path

AS_THEY_ARE = (bytes, datetime)
"""Types that are checked but never converted from text."""
T = TypeVar("T")


def require_downloaded_submissions(return_value: object, download: Download) -> list[DownloadedSubmission]:
    """Check a reader's return value, and return its submissions.

    Raises:
        InvalidPluginAnswer: it is not a series of submissions, or one of them is not in the download.
    """
    if not isinstance(return_value, Iterable):
        raise InvalidPluginAnswer(f"returned {_format_type(return_value)} instead of submissions")
    submissions = [_require_type(item, DownloadedSubmission) for item in return_value]
    for submission in submissions:
        _check_paths(submission, download)
    return submissions


def require_class_export(return_value: object) -> ExportResult:
    """Check the return value of a class's writer or of an uploader.

    Raises:
        InvalidPluginAnswer: it is not an export, or one of its files cannot be written.
    """
    export = _require_type(return_value, ExportResult)
    require_output_files(export.files)
    return export


def require_manual_marks_kept(export: ExportResult, options: ExportOptions) -> None:
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


def require_output_files(answer: object) -> dict[str, bytes]:
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
    files = submission.files.values()
    kind_by_path = {submission.folder: "folder"} if submission.folder else dict.fromkeys(files, "file")
    for path, kind in kind_by_path.items():
        is_other_kind = kind == "file" and path not in download.spoilt and download.is_folder(path)
        if is_other_kind or not _is_in_download(path, download):
            shown_path = escape_for_display(path, 100)
            raise InvalidPluginAnswer(f"named a {kind} '{shown_path}' for '{name}', which the download does not hold")


def _is_in_download(path: str, download: Download) -> bool:
    """Return whether the download holds something at a path: not outside of the download, and not behind a link."""
    pure_path = PurePosixPath(path)
    if pure_path.is_absolute() or ".." in pure_path.parts:
        return False
    if any(os.path.islink(download.root / parent) for parent in pure_path.parents[:-1]):
        return False
    return path in download.spoilt or os.path.lexists(download.root / path) or download.is_folder(path)


def _format_type(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
