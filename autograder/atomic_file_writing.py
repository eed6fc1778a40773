"""Write a file so that nobody ever reads half of it."""

from __future__ import annotations

import functools
import os
import re
import secrets
import shutil
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

from autograder.faults import MACHINE_ERROR_NUMBERS, CallerFault, KitFault, make_file_fault
from autograder.output_file_permissions import make_output_folder, open_new_output_file

UNFINISHED_FILE_SECONDS = 600
"""Age after which an unfinished file counts as abandoned."""
MAX_LINKS = 40
"""Linux follows as many symbolic links in one path."""


def write_file_atomically(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old one or the new one, and never half of it.

    A symbolic link stays: the file that it leads to is replaced. Devices, FIFOs and open files of this process, such
    as ``/dev/stdout``, are written into and never replaced. See ``output_file_permissions`` for who may read it.

    Raises:
        CallerFault: the folder cannot be written to.
        KitFault: the disk is full or fails.
    """
    temporary = None
    try:
        if is_written_through(path):
            _write_through(path, content)
            return
        target = resolve_output_file(path)
        make_output_folder(target.parent)
        temporary = make_unfinished_path(target.parent)
        with open_new_output_file(temporary) as file:
            file.write(content)
        os.replace(temporary, target)
    except OSError as error:
        with suppress(OSError):
            if temporary is not None:
                temporary.unlink(missing_ok=True)
        fault = KitFault if error.errno in MACHINE_ERROR_NUMBERS else CallerFault
        raise make_file_fault(error, path, fault_class=fault, action="write") from error


def make_unfinished_path(folder: Path) -> Path:
    """Return a new path for an unfinished file or folder; remove old ones that killed processes left there."""
    _remove_unfinished_files(folder)
    return folder / f".writing-{secrets.token_hex(8)}"


@functools.lru_cache(maxsize=64)
def _remove_unfinished_files(folder: Path) -> None:
    """Remove unfinished files and folders that killed processes left behind; look into each folder once only."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not re.fullmatch(r"\.writing-[0-9a-f]{16}", entry.name):
                continue
            with suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > UNFINISHED_FILE_SECONDS:
                    shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)


def resolve_output_file(path: Path) -> Path:
    """Return the file that is to be replaced: the path itself, or the one that a symbolic link leads to.

    Raises:
        OSError: links lead to each other.
    """
    if not os.path.islink(path):
        return path
    with suppress(FileNotFoundError):
        path.stat()
    return Path(os.path.realpath(path))


def is_written_through(path: Path) -> bool:
    """Return whether a path is a device, a FIFO, a socket or an open file of this process, never replaced."""
    if _find_own_descriptor(path) is not None:
        return True
    with suppress(OSError):
        mode = path.stat().st_mode
        return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
    return False


def is_standard_output(path: Path) -> bool:
    """Return whether a path is this process's standard output, so that messages must go to stderr."""
    return _find_own_descriptor(path) == 1


def _write_through(path: Path, content: bytes) -> None:
    descriptor = _find_own_descriptor(path)
    if descriptor is None:
        opened = os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0))
    else:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()  # what was printed before stands before it
        opened = os.dup(descriptor)  # opening a redirected file again would write from its beginning
    with os.fdopen(opened, "wb") as file:
        file.write(content)


def _find_own_descriptor(path: Path) -> int | None:
    """Return the descriptor that ``/dev/stdout``, ``/dev/fd/3`` or a link to one of them names; None for others."""
    own = f"/proc/{os.getpid()}/fd"
    for _ in range(MAX_LINKS):
        folder = os.path.realpath(path.parent)
        if folder == own:
            return int(path.name) if path.name.isdecimal() else None
        if not os.path.islink(path):
            return None
        path = Path(folder) / os.readlink(path)
    return None
