"""Keep files between runs in the cache folder of the user who runs the kit, for that user alone."""

from __future__ import annotations

import os
from pathlib import Path

from autograder import output_file_permissions

MOST_KEPT = 20
"""Files of each kind in the folder; the oldest go first."""


def get_cache_file_path(file_name: str) -> Path:
    """Return the path of a file in the cache folder, which ``XDG_CACHE_HOME`` moves.

    See https://specifications.freedesktop.org/basedir-spec/latest/.

    Raises:
        RuntimeError: nobody knows the user's home.
    """
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(folder) / "autograder" / file_name


def write_cache_file_and_prune(file: Path, content: bytes) -> None:
    """Write a file of the cache folder, whole or not at all, and remove the oldest with the same suffix.

    Raises:
        OSError: the folder cannot be written to.
    """
    output_file_permissions.make_output_folder(file.parent)
    written = file.with_suffix(f".{os.getpid()}")
    with output_file_permissions.open_new_output_file(written) as opened:
        opened.write(content)
    written.replace(file)
    prune_same_suffix_files(file)


def prune_same_suffix_files(newest: Path, most_kept: int = MOST_KEPT) -> None:
    """Remove the oldest files with the same suffix as the newest one.

    Args:
        newest: the file that was written last.
        most_kept: how many stay.

    Raises:
        OSError: the folder cannot be written to.
    """
    for old in sorted(newest.parent.glob(f"*{newest.suffix}"), key=lambda one: one.stat().st_mtime)[:-most_kept]:
        old.unlink(missing_ok=True)
