"""Make temporary folders; those that a killed process left behind are removed by a later one."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.faults import KitFault, make_file_fault

ABANDONED_SECONDS = 3600.0


@contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """Yield an empty folder that exists as long as the block.

    Args:
        purpose: what it is for, a word in lower-case letters; a part of the folder's name.

    Raises:
        KitFault: there is no room for temporary files.
    """
    remove_abandoned_folders()
    try:
        folder = tempfile.TemporaryDirectory(prefix=f"autograder-{purpose}-{os.getpid()}-")
    except OSError as error:
        where = tempfile.tempdir or "the folder for temporary files"
        raise make_file_fault(error, where, fault_class=KitFault, action="write to") from error
    with folder as path:
        yield Path(path)


def make_scratch_folder(parent_folder: str | None = None) -> str:
    """Make an empty folder that is removed after a while should this process be killed; return its path.

    Args:
        parent_folder: the folder to make it in; where temporary files go when None.
    """
    remove_abandoned_folders()
    return tempfile.mkdtemp(prefix=f"scratch-{os.getpid()}-", dir=parent_folder)


@functools.cache
def remove_abandoned_folders() -> None:
    """Remove old folders that killed processes left behind; do so once only."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            owner = re.fullmatch(r"(?:scratch|autograder-[a-z]+)-(\d+)-.*", entry.name)
            if owner and not os.path.exists(f"/proc/{owner[1]}") and _is_old(entry):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_old(entry: os.DirEntry[str]) -> bool:
    """Return whether a folder is old; a new one may belong to a process in another container, invisible from here."""
    try:
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > ABANDONED_SECONDS
    except OSError:
        return False
