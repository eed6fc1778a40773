"""Keep files between runs in the cache folder of the user who runs the kit, for that user alone."""

from __future__ import annotations

import os
from pathlib import Path

from autograder import staff_files

MOST_KEPT = 20
"""Files of each kind in the folder; the oldest go first."""


def get_cache_file(name: str) -> Path:
    """Return the path of a file in the cache folder, which ``XDG_CACHE_HOME`` moves.

    See https://specifications.freedesktop.org/basedir-spec/latest/.

    Raises:
        RuntimeError: nobody knows the user's home.
    """
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(folder) / "autograder" / name


def write_cache_file(file: Path, content: bytes) -> None:
    """Write a file of the cache folder, whole or not at all, and remove the oldest with the same suffix.

    Raises:
        OSError: the folder cannot be written to.
    """
    staff_files.make_staff_folder(file.parent)
    written = file.with_suffix(f".{os.getpid()}")
    with staff_files.create_staff_file(written) as opened:
        opened.write(content)
    written.replace(file)
    for old in sorted(file.parent.glob(f"*{file.suffix}"), key=lambda one: one.stat().st_mtime)[:-MOST_KEPT]:
        old.unlink()
