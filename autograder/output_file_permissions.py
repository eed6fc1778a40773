"""Create the staff's files and folders so that nobody else reads them, whatever the umask.

Files are made 0600 and folders 0700. A course whose staff share a group, or a platform that reads what was written as
another user, asks for more: ``files: {readable_by: group}`` in ``grading.yml``. What exists keeps its mode, because
somebody may have set it; ``warn_about_exposed_files`` tells of it.
"""

from __future__ import annotations

import os
import shlex
import stat
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO, Literal

from autograder.faults import CourseWarning

Readers = Literal["owner", "group", "everybody"]
FOLDER_MODES: dict[Readers, int] = {"owner": 0o700, "group": 0o750, "everybody": 0o755}
CLOSING_COMMAND: dict[Readers, str] = {"owner": "go-rwx", "group": "g-w,o-rwx", "everybody": "go-w"}
"""What ``chmod`` is told to take away from a file that more can use than these."""
CLASSES = {stat.S_IXGRP: stat.S_IRWXG, stat.S_IXOTH: stat.S_IRWXO}
"""What the group and others may do, by the bit that lets them through a folder."""
EXECUTABLE = 0o111

_readers: ContextVar[Readers] = ContextVar("readers", default="owner")


def set_readers_of_new_output_files(readers: Readers) -> None:
    """Choose who reads the files that are made from now on."""
    _readers.set(readers)


@contextmanager
def override_output_file_readers(readers: Readers) -> Iterator[None]:
    """Choose who reads the files that are made in this block."""
    token = _readers.set(readers)
    try:
        yield
    finally:
        _readers.reset(token)


def restrict_umask() -> int:
    """Make every new file and folder of this process the owner's alone, temporary ones above all.

    What is written for staff has a mode of its own, as ``set_readers_of_new_output_files`` says, and keeps it. The
    umask is the whole process's, so this is for the beginning of a command, and not for one thread of several.

    Returns:
        The umask that was set before.
    """
    before = os.umask(0o077)
    os.umask(before | 0o077)
    return before


def make_output_folder(folder: Path) -> None:
    """Make a folder and those above it, as far as they are missing.

    Raises:
        OSError: it cannot be made, or something else lies there.
    """
    if folder.is_dir():
        return
    make_output_folder(folder.parent)
    try:
        folder.mkdir(mode=FOLDER_MODES["owner"])
    except FileExistsError:
        if not folder.is_dir():
            raise
        return  # another run has made it meanwhile
    _set_mode(folder, FOLDER_MODES[_readers.get()])


def open_new_output_file(path: Path) -> BinaryIO:
    """Create a file and open it for writing.

    Raises:
        OSError: it cannot be created, or something lies there.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    file = os.fdopen(descriptor, "wb")
    _set_mode(path, FOLDER_MODES[_readers.get()] & ~EXECUTABLE)
    return file


def touch_private_file(path: Path) -> None:
    """Create an empty file for a program that writes it itself, such as a database, unless something lies there.

    SQLite gives the files that it puts beside a database the mode of that database.
    """
    with suppress(OSError):  # told by that program, in its own words
        open_new_output_file(path).close()


def is_writable(path: Path) -> bool:
    """Return whether this account may write a file, or make files in a folder."""
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def warn_about_exposed_files(paths: Iterable[Path]) -> None:
    """Warn, in one line, of these files and folders that more people can use than ought to; say how to close them.

    Folders above the one that a path lies in are not looked at.
    """
    readers = _readers.get()
    wide = sorted({path for path in paths if _is_open(path, FOLDER_MODES[readers])})
    if wide:
        names = " ".join(shlex.quote(str(path)) for path in wide)
        warnings.warn(
            "other users can open results of this class: close them with `chmod -R "
            f"{CLOSING_COMMAND[readers]} {names}`",
            CourseWarning,
            stacklevel=3,
        )


def _is_open(path: Path, allowed: int) -> bool:
    try:
        above, mode = path.parent.stat().st_mode, path.lstat().st_mode
    except OSError:
        return False
    if stat.S_ISLNK(mode):
        return False
    return any(above & way and mode & rights & ~allowed for way, rights in CLASSES.items())


def _set_mode(path: Path, mode: int) -> None:
    """Set the mode, and leave the bit by which a folder's files take its group."""
    there = path.stat().st_mode
    if there & 0o777 != mode:
        with suppress(PermissionError):  # a file system without modes; ``warn_about_exposed_files`` tells of it
            path.chmod(stat.S_IMODE(there) & ~0o777 | mode)
