"""Check untrusted paths for effects on this and other systems."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath

from autograder.text import escape_for_sentence

DRIVE = re.compile(r"[A-Za-z]:")
DIGITS = "0123456789¹²³"
WINDOWS_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", *(f"{kind}{n}" for kind in ("com", "lpt") for n in DIGITS)}
)
"""Names that open a device on Windows, in any folder and with any ending."""
MAX_DEPTH = 40
"""Most nested folders: tree walks recurse once per level, and a path could hold two thousand."""


LONGEST = 255
"""Longest name in bytes that every file system in use accepts."""
LONGEST_SUFFIX = 16


class UnusablePath(Exception):
    """A path must not be created; the message tells the author of the zip why, and what to do."""


def may_leave_folder(relative_path: str) -> bool:
    """Return whether a path, with either kind of slash, may lead out of its folder on any system.

    >>> may_leave_folder("ada/value.py"), may_leave_folder("a/../../b"), may_leave_folder("C:value.py")
    (False, True, True)
    """
    path = PurePosixPath(relative_path.replace("\\", "/"))
    return path.is_absolute() or any(not part.strip(" .") or DRIVE.match(part) for part in path.parts)


def is_name_too_long(file_or_folder_name: str) -> bool:
    """Return whether a name is too long for a file or folder on every file system."""
    return len(file_or_folder_name.encode("utf-8", "surrogatepass")) > LONGEST


def shorten_name_with_digest(file_or_folder_name: str) -> str:
    """Return a name that file systems take in place of one that is too long; it keeps a file's ending if short.

    Two names that differ are shortened to two that differ.

    >>> shorten_name_with_digest("v" * 300 + ".py")[-25:]
    'vvvvv~9b3d3fbf63f9b100.py'
    """
    digest = hashlib.sha256(file_or_folder_name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    suffix = PurePosixPath(file_or_folder_name).suffix
    end = f"~{digest}{suffix if len(suffix.encode('utf-8', 'surrogatepass')) <= LONGEST_SUFFIX else ''}"
    start = file_or_folder_name[:LONGEST]  # a zip's name may have 65,000 bytes, and each round below copies it
    while is_name_too_long(start + end):
        start = start[:-1]
    return start + end


def is_windows_device_name(file_name: str) -> bool:
    """Return whether Windows takes a file's name for a device's.

    >>> is_windows_device_name("aux.py"), is_windows_device_name("auxiliary.py")
    (True, False)
    """
    return file_name.partition(".")[0].partition(":")[0].rstrip(" ").lower() in WINDOWS_DEVICES


def require_safe_inner_path(packed_path: str) -> PurePosixPath:
    r"""Return a path as one below a folder, in a form that every system takes.

    Raises:
        UnusablePath: the path leads out of the folder, is too long or deep, or names a device.

    >>> str(require_safe_inner_path(r"work\value.py"))
    'work/value.py'
    """
    path = PurePosixPath(packed_path.replace("\\", "/"))
    problem = ""
    if may_leave_folder(packed_path):
        problem = "The zip holds a path that leaves its folder: {}. Make it again."
    elif len(path.parts) > MAX_DEPTH:
        problem = f"The zip holds folders in folders, {len(path.parts)} deep: {{}}. Zip your own files alone."
    elif any(map(is_name_too_long, path.parts)):
        problem = "The zip holds a name that is too long: {}. Rename it, and zip again."
    elif any(map(is_windows_device_name, path.parts)):
        problem = "The zip holds a name that Windows keeps for a device: {}. Rename it, and zip again."
    if problem:
        raise UnusablePath(problem.format(f"'{escape_for_sentence(packed_path, 100)}'"))
    return path
