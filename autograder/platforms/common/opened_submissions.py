"""Turn a platform's download into the entries of a batch: each student's files, in one place."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from autograder.faults import CallerFault
from autograder.file_name_collisions import make_file_name_collision_key
from autograder.platforms.common.download import Download
from autograder.platforms.common.installed_platforms import load_platforms_by_name, require_platform
from autograder.platforms.common.platform_model import DownloadedSubmission, Platform
from autograder.platforms.common.plugin_calls import does_platform_recognise, read_submissions_with_platform
from autograder.submissions import (
    OpenedSubmissionsFolder,
    SubmissionEntry,
    list_submission_entries,
    open_submissions_folder,
)
from autograder.submissions.class_zip_unpacking import MOST_OF_ONE
from autograder.submissions.safe_paths import UnusablePath, require_safe_inner_path

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
    with open_submissions_folder(download_or_folder) as found:
        chosen, download = _find_platform_and_download(found, platform_name)
        if chosen is None or chosen.reader is None:
            yield OpenedSubmissions(list_submission_entries(found), None)
            return
        arrivals = read_submissions_with_platform(chosen, download)
        if not arrivals:
            raise CallerFault(
                f"the download holds no submission of {chosen.title}", str(download_or_folder), "download it again"
            )
        with TemporaryDirectory(prefix="class-") as temporary:
            yield OpenedSubmissions(_entries(arrivals, download, Path(temporary)), chosen)


def list_readable_platform_names() -> list[str]:
    """Return the names of the platforms whose downloads can be read."""
    return [name for name, platform in load_platforms_by_name().items() if platform.reader]


def _find_platform_and_download(found: OpenedSubmissionsFolder, name: str) -> tuple[Platform | None, Download]:
    """Find the platform, or None for a plain folder, and the download: as it is, or below the one folder in it."""
    inner = found.without_wrapper_folder
    opened_ways = [found] if inner is found else [found, inner]
    ways = [
        Download(way.folder, way.original_path, way.reason_by_unreadable_path, way.original_name_by_path)
        for way in opened_ways
    ]
    if name == PLAIN:
        return None, ways[0]
    if name:
        chosen = require_platform(name)
        if chosen.reader is None:
            raise CallerFault(
                f"the kit cannot read downloads of platform '{name}'",
                advice=f"choose from {', '.join(list_readable_platform_names())}",
            )
        return chosen, next((way for way in ways if does_platform_recognise(chosen, way)), ways[0])
    for way in ways:
        claims = [
            one for one in load_platforms_by_name().values() if one.reader and does_platform_recognise(one, way)
        ]
        if len(claims) > 1:
            names = " or ".join(one.name for one in claims)
            raise CallerFault(
                "several platforms may have made this download",
                str(found.original_path),
                f"name one with --from {names}",
            )
        if claims:
            return claims[0], way
    return None, ways[0]


def _entries(arrivals: list[DownloadedSubmission], download: Download, temporary: Path) -> list[SubmissionEntry]:
    taken = {make_file_name_collision_key(arrival.name) for arrival in arrivals}
    seen: set[str] = set()
    entries = []
    for number, arrival in enumerate(sorted(arrivals, key=lambda one: one.name)):
        name, again = arrival.name, 1
        while make_file_name_collision_key(name) in (seen if again == 1 else taken):
            again += 1  # ``ada~2`` may be taken, too
            name = f"{arrival.name}~{again}"
        seen.add(make_file_name_collision_key(name))
        taken.add(make_file_name_collision_key(name))
        path, problem = _gather_files(arrival, download, temporary / str(number))
        entries.append(SubmissionEntry(name, path, problem, arrival.origin))
    return entries


def _gather_files(arrival: DownloadedSubmission, download: Download, place: Path) -> tuple[Path, str]:
    """Collect a submission's files under their original names; return its path, and any problem with it."""
    where = [*arrival.files.values(), arrival.folder]
    for path, why in download.spoilt.items():
        if path in where or (arrival.folder and path.startswith(f"{arrival.folder}/")):
            return place, why
    if arrival.folder:
        return download.root / arrival.folder, ""
    try:
        for name, path in arrival.files.items():
            _link(download.root / path, place.joinpath(*_parse_inner_path(name).parts))
        for name, text in arrival.texts.items():
            target = place.joinpath(*_parse_inner_path(name).parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
    except UnusablePath as error:
        return place, str(error)
    except OSError as error:  # such as a file ``a`` beside ``a/b``; affects this student only
        why = f"The files cannot be put into one folder: {error.strerror}. Rename them, and hand in again."
        return place, why
    place.mkdir(exist_ok=True)
    names = [*arrival.files, *arrival.texts]
    return (place.joinpath(*_parse_inner_path(names[0]).parts), "") if len(names) == 1 else (place, "")


def _parse_inner_path(name: str) -> PurePosixPath:
    path = require_safe_inner_path(name)
    if not path.parts:
        raise UnusablePath("The download holds a file without a name. Hand it in again.")
    return path


def _link(source: Path, target: Path) -> None:
    """Link a file to another place, or copy it where the system cannot link.

    A file that is there already is never written to: it is another file of the download.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        if source.lstat().st_size > MOST_OF_ONE:  # a sparse file would become large when it is copied
            raise UnusablePath("A file is too large. Hand in your own programs alone.") from None
        shutil.copyfile(source, target, follow_symlinks=False)
