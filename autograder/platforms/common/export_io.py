"""Read from the disk what a writer needs, and write what it made."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from autograder.faults import CallerFault, make_file_fault
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.platforms.common.points import SETTING
from autograder.reports.report_files import write_file_atomically
from autograder.staff_files import make_staff_folder, warn_about_open_files
from autograder.submissions.safe_paths import may_leave_folder

EVERYWHERE = {"bonus": SETTING}
"""Settings that every platform understands."""


def list_settings(platform: Platform) -> dict[str, str]:
    """Return the keys of ``--set`` for a platform with their meanings; none if it has nothing to write."""
    writes = platform.class_writer or platform.report_writer or platform.uploader
    return {**EVERYWHERE, **platform.settings} if writes else {}


def read_export_options(
    platform: Platform, settings: tuple[str, ...], sheet: Path | None, max_points: float | None
) -> ExportOptions:
    """Read what the command line hands to a writer.

    Args:
        platform: the writer's platform; settings that it does not know are refused.
        settings: ``KEY=VALUE`` each.
        sheet: the platform's table.
        max_points: full marks there.

    Raises:
        CallerFault: the platform does not know a setting, or the table cannot be read.
    """
    chosen = {}
    for setting in settings:
        key, parts, value = setting.partition("=")
        if not parts or key not in list_settings(platform):
            known = ", ".join(f"{one}=..." for one in list_settings(platform))
            raise CallerFault(
                f"is no setting of {platform.title}", where=f"--set {setting}", advice=f"known: {known}"
            )
        chosen[key] = value
    try:
        content = sheet.read_bytes() if sheet else None
        state = _state_of(sheet, content) if sheet and content is not None else ""
    except OSError as error:
        raise make_file_fault(error, sheet, advice="name a file with --gradebook") from error
    return ExportOptions(content, str(sheet) if sheet else "", {**_around(platform), **chosen}, max_points, state)


def _state_of(sheet: Path, content: bytes) -> str:
    """Return what tells this file from one that was downloaded later, even if their contents are the same."""
    return f"{hashlib.sha256(content).hexdigest()[:16]} {sheet.stat().st_mtime_ns}"


def _around(platform: Platform) -> dict[str, str]:
    """Return what a platform says to the programs that it runs: settings in capitals come from the environment."""
    return {key: os.environ[key] for key in platform.settings if key.isupper() and key in os.environ}


def write_files(files: Mapping[str, bytes], out: Path, read: Path | None = None) -> Iterator[Path]:
    """Write files, each whole: a single one to ``out`` itself if that looks like a file, others below it.

    Args:
        files: content by name.
        out: the file or folder to write to.
        read: the platform's table that they were made from; it is never written over.

    Yields:
        The place of each file written.

    Raises:
        CallerFault: a file cannot be written; or one would take the place of ``read``, and nothing is written.
    """
    single = len(files) == 1 and not out.is_dir() and bool(out.suffix)
    assert not any(map(may_leave_folder, files))
    places = {out if single else out / name: content for name, content in files.items()}
    for path in places:
        if read is not None and path.exists() and path.samefile(read):
            raise CallerFault("is the table that was read", str(path), "keep it, and name another place with --out")
    warn_about_open_files({out / PurePath(name).parts[0] for name in files if not single and "/" in name})
    for path, content in places.items():
        try:
            make_staff_folder(path.parent)
        except OSError as error:
            raise make_file_fault(error, path, verb="written", advice="name another with --out") from error
        write_file_atomically(path, content)
        yield path
