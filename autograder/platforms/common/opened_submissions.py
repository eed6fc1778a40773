"""Turn a platform's download into the entries of a batch: each student's files, in one place."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.faults import CallerFault, raise_if_machine_failed
from autograder.files import temporary_folder
from autograder.platforms.common.download import Download
from autograder.platforms.common.installed_platforms import (
    does_platform_recognise,
    load_platforms_by_name,
    read_submissions_with_platform,
    require_platform,
)
from autograder.platforms.common.platform_model import DownloadedSubmission, Platform
from autograder.submissions import (
    OpenedSubmissionsFolder,
    SubmissionEntry,
    list_submission_entries,
    open_submissions_folder,
)
from autograder.submissions.safe_paths import UnusablePath, require_safe_inner_path
from autograder.submissions.zips import MOST_OF_ONE
from autograder.text import make_file_name_collision_key

PLAIN = "folder"
"""The value of ``--from`` for a folder or zip with one file or sub-folder per student."""


@dataclass(frozen=True, slots=True)
class OpenedSubmissions:
    """The submissions of a class, ready to be graded."""

    entries: list[SubmissionEntry]
    platform: Platform | None
    """Where they came from; None for a plain folder."""


@contextmanager
def open_class_submissions(download_or_folder: Path, platform_name: str = "") -> Iterator[OpenedSubmissions]:
    """Open a folder or zip, and yield its class; the entries exist until the block ends.

    Args:
        download_or_folder: a platform's download, or a plain folder or zip.
        platform_name: the platform that it comes from, or ``folder``; detected when empty.

    Raises:
        CallerFault: it cannot be read, holds no submission, or may be more than one platform's.
        Fault: a platform's reader fails.
    """
    with open_submissions_folder(download_or_folder) as opened_folder:
        platform, download = _find_platform_and_download(opened_folder, platform_name)
        if platform is None or platform.reader is None:
            yield OpenedSubmissions(list_submission_entries(opened_folder), None)
            return
        submissions = read_submissions_with_platform(platform, download)
        if not submissions:
            raise CallerFault(
                f"the download holds no submission of {platform.title}", str(download_or_folder), "download it again"
            )
        with temporary_folder("class") as folder:
            yield OpenedSubmissions(_make_entries(submissions, download, folder), platform)


def list_readable_platform_names() -> list[str]:
    """Return the names of the platforms whose downloads can be read."""
    return [name for name, platform in load_platforms_by_name().items() if platform.reader]


def _find_platform_and_download(
    opened_folder: OpenedSubmissionsFolder, platform_name: str
) -> tuple[Platform | None, Download]:
    """Find the platform, or None for a plain folder, and the download: as it is, or below the one folder in it."""
    inner_folder = opened_folder.without_wrapper_folder
    folders = [opened_folder] if inner_folder is opened_folder else [opened_folder, inner_folder]
    downloads = [
        Download(folder.folder, folder.original_path, folder.reason_by_unreadable_path, folder.original_name_by_path)
        for folder in folders
    ]
    if platform_name == PLAIN:
        return None, downloads[0]
    if platform_name:
        platform = require_platform(platform_name)
        if platform.reader is None:
            raise CallerFault(
                f"the kit cannot read downloads of platform '{platform_name}'",
                advice=f"choose from {', '.join(list_readable_platform_names())}",
            )
        return platform, next(
            (download for download in downloads if does_platform_recognise(platform, download)), downloads[0]
        )
    for download in downloads:
        claimants = [
            platform
            for platform in load_platforms_by_name().values()
            if platform.reader and does_platform_recognise(platform, download)
        ]
        if len(claimants) > 1:
            names = " or ".join(platform.name for platform in claimants)
            raise CallerFault(
                "several platforms may have made this download",
                str(opened_folder.original_path),
                f"name one with --from {names}",
            )
        if claimants:
            return claimants[0], download
    return None, downloads[0]


def _make_entries(
    submissions: list[DownloadedSubmission], download: Download, temporary_folder: Path
) -> list[SubmissionEntry]:
    taken_keys = {make_file_name_collision_key(submission.name) for submission in submissions}
    assigned_keys: set[str] = set()
    entries = []
    for number, submission in enumerate(sorted(submissions, key=lambda submission: submission.name)):
        name, occurrence = submission.name, 1
        while make_file_name_collision_key(name) in (assigned_keys if occurrence == 1 else taken_keys):
            occurrence += 1  # ``ada~2`` may be taken, too
            name = f"{submission.name}~{occurrence}"
        assigned_keys.add(make_file_name_collision_key(name))
        taken_keys.add(make_file_name_collision_key(name))
        path, problem = _gather_files(submission, download, temporary_folder / str(number))
        entries.append(SubmissionEntry(name, path, problem, submission.origin))
    return entries


def _gather_files(submission: DownloadedSubmission, download: Download, target_folder: Path) -> tuple[Path, str]:
    """Collect a submission's files under their original names; return its path, and any problem with it."""
    submission_paths = [*submission.files.values(), submission.folder]
    for path, reason in download.spoilt.items():
        if path in submission_paths or (submission.folder and path.startswith(f"{submission.folder}/")):
            return target_folder, reason
    if submission.folder:
        return download.root / submission.folder, ""
    sources: dict[str, str | bytes] = {**submission.texts, **submission.files}
    targets: list[Path] = []
    try:
        for name, source in sources.items():
            targets.append(target_folder.joinpath(*_parse_inner_path(name).parts))
            targets[-1].parent.mkdir(parents=True, exist_ok=True)
            if isinstance(source, bytes):
                targets[-1].write_bytes(source)
            else:
                _link_or_copy(download.root / source, targets[-1])
    except UnusablePath as error:
        return target_folder, str(error)
    except OSError as error:  # such as a file ``a`` beside ``a/b``; affects this student only
        raise_if_machine_failed(error, target_folder, "write to")
        problem = f"The files cannot be put into one folder: {error.strerror}. Rename them, and hand in again."
        return target_folder, problem
    target_folder.mkdir(exist_ok=True)
    return (targets[0] if len(targets) == 1 else target_folder), ""


def _parse_inner_path(name: str) -> PurePosixPath:
    path = require_safe_inner_path(name)
    if not path.parts:
        raise UnusablePath("The download holds a file without a name. Hand it in again.")
    return path


def _link_or_copy(source: Path, target: Path) -> None:
    """Link a file to another place, or copy it where the system cannot link.

    A file that is there already is never written to: it is another file of the download.
    """
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        if source.lstat().st_size > MOST_OF_ONE:  # a sparse file would become large when it is copied
            raise UnusablePath("A file is too large. Hand in your own programs alone.") from None
        shutil.copyfile(source, target, follow_symlinks=False)
