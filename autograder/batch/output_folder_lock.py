"""Let one command at a time write the files of a results folder anew."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def lock_output_folder(folder: Path) -> Iterator[None]:
    """Keep other processes from this block until it exits.

    Read the store within the block: files made from an earlier reading would replace those of a command that saved
    a decision meanwhile. Commit before the block, because the other command may wait for the database.

    The folder itself is locked, so nothing stays behind after a kill. Where it cannot be locked, as on some network
    file systems, the block runs without a lock.
    """
    descriptor = None
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)
