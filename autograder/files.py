"""Write files whole and for the staff alone; keep cache files and temporary folders."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import secrets
import shlex
import shutil
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO, Literal

from autograder.faults import MACHINE_ERROR_NUMBERS, CallerFault, CourseWarning, KitFault, make_file_fault

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
    make_output_folder(file.parent)
    written = file.with_suffix(f".{os.getpid()}")
    with open_new_output_file(written) as opened:
        opened.write(content)
    written.replace(file)
    _prune_same_suffix_files(file)


def _prune_same_suffix_files(newest: Path, most_kept: int = MOST_KEPT) -> None:
    """Remove the oldest files with the same suffix as the newest one.

    Args:
        newest: the file that was written last.
        most_kept: how many stay.

    Raises:
        OSError: the folder cannot be written to.
    """
    for old in sorted(newest.parent.glob(f"*{newest.suffix}"), key=lambda one: one.stat().st_mtime)[:-most_kept]:
        old.unlink(missing_ok=True)


TOOL_CACHE_FOLDERS = frozenset(
    {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".ipynb_checkpoints", ".git"}
)


def list_files_without_tool_caches(folder: Path) -> list[Path]:
    """Return all files below a folder, sorted by path, but for what tools and Git keep there for themselves."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if not TOOL_CACHE_FOLDERS.intersection(path.relative_to(folder).parts) and path.is_file()
    ]


def write_secret_file(path: Path, content: bytes, *, replace: bool = False) -> None:
    """Write a file at once that its owner alone reads, also where the staff's group reads everything else.

    Unless ``replace``, one that is there stays: the first of several writers makes it.

    Raises:
        OSError: it cannot be written.
    """
    make_output_folder(path.parent)
    temporary_path = path.with_name(f".writing-{secrets.token_hex(8)}")
    with open_new_output_file(temporary_path) as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(content)
    if replace:
        temporary_path.replace(path)
        return
    with suppress(FileExistsError):
        os.link(temporary_path, path)
    temporary_path.unlink()
