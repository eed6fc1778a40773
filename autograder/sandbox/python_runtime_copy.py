"""Copy the interpreter's library and what it needs into a folder that holds nothing else.

A process that reads the files of the machine moves the time at which they were last read, and a later process can ask
for that. The copy's times lie in the future: Linux moves such a time only on a mount with ``strictatime`` (see
``relatime`` in mount(8)); ``inside.self_check`` sees whether it does. As the folder holds nothing else, it can be the
root folder of a process; then no other file exists for that process.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.sandbox.allowed_package_paths import PackagePath
from autograder.sandbox.current_interpreter_files import PACKAGE_FOLDERS, find_current_interpreter_files
from autograder.temporary_folders import make_scratch_folder

NOT_COPIED = PACKAGE_FOLDERS | {"test", "tests", "idlelib", "lib2to3", "turtledemo", "ensurepip"}
"""Folders that are not copied: installed packages, and modules that no submission imports."""
MOST_BYTES = 256 * 2**20
"""Most bytes of all copied packages together."""
FIXED_ACCESS_TIME = 2_145_000_000
"""The access time of every copied file: late in 2037, which all file systems can store."""
LIST_MAPPED = """
import ctypes, sys
for path in sys.argv[1:]:
    try: ctypes.CDLL(path)
    except OSError: pass
print(open('/proc/self/maps').read())
"""


@dataclass(frozen=True, slots=True)
class PythonCopyPaths:
    """The folders of the copies of the interpreter's library and of packages."""

    root: str
    """The folder of the copy. The same path also works inside, if the folder is the root folder there."""
    stdlib: str
    shared_libraries: str
    """The folder of shared libraries, for the loader."""
    path_by_package: tuple[tuple[str, str], ...]
    """Name of each package, and its file or folder."""


@functools.cache
def try_copy_interpreter_and_packages(packages: tuple[PackagePath, ...] = ()) -> PythonCopyPaths | None:
    """Copy the interpreter's library and the packages; the copy is removed when this process ends.

    Args:
        packages: what submissions may import besides the standard library.

    Returns:
        Where the copy lies; None if there is no room for it, or the packages are too large to be copied.
    """
    if _measure_size(package.path for package in packages) > MOST_BYTES:
        return None
    try:
        root = make_scratch_folder()
    except OSError:
        return None
    atexit.register(_remove_folder, root, os.getpid())
    try:
        return _fill_folder(root, packages)
    except OSError:
        _remove_folder(root, os.getpid())  # a full disk needs the room
        return None


def _fill_folder(root: str, packages: Sequence[PackagePath]) -> PythonCopyPaths:
    stdlib, libraries = f"{root}/lib", f"{root}/libraries"
    package_copies = tuple(
        (package.import_name, f"{root}/packages/{Path(package.path).name}") for package in packages
    )
    _copy_path(find_current_interpreter_files().stdlib, stdlib)
    for package, (_, place) in zip(packages, package_copies, strict=True):
        _copy_path(package.path, place)
    os.mkdir(libraries)
    for path in _list_shared_libraries([stdlib, *(place for _, place in package_copies)]):
        _copy_library(path, libraries)
    os.makedirs(root + os.path.dirname(root))
    os.symlink("/", root + root)
    for folder, folders, files in os.walk(root, topdown=False):
        for name in (*files, *folders):
            _fix_access_time(os.path.join(folder, name))
    os.chmod(root, 0o755)
    _fix_access_time(root)
    return PythonCopyPaths(root, stdlib, libraries, tuple((name, place) for name, place in package_copies if name))


def _copy_path(source: str, target: str) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(source):
        shutil.copytree(source, target, ignore=_list_ignored_names, ignore_dangling_symlinks=True)
    else:
        shutil.copy2(source, target)


def _list_ignored_names(folder: str, names: list[str]) -> set[str]:
    is_cache = os.path.basename(folder) == "__pycache__"
    own_suffix = f".{sys.implementation.cache_tag}.pyc"
    return {
        name
        for name in names
        if name in NOT_COPIED or name.startswith("config-") or (is_cache and not name.endswith(own_suffix))
    }


def _list_shared_libraries(folders: Iterable[str]) -> list[str]:
    """Return the libraries that are mapped once all compiled modules are; the loader knows where they lie."""
    modules = [str(path) for folder in folders for path in Path(folder).rglob("*.so")]
    process = subprocess.run(
        [find_current_interpreter_files().executable, "-I", "-S", "-c", LIST_MAPPED, *modules],
        capture_output=True,
        text=True,
        check=False,
        env={},
    )
    mapped_paths = {
        line.split(maxsplit=5)[5] for line in process.stdout.splitlines() if line.count(" ") >= 5 and ".so" in line
    }
    return sorted({os.path.realpath(path) for path in mapped_paths if path.startswith("/")} - {*modules})


def _copy_library(path: str, target: str) -> None:
    """Copy a shared library under all names that it has in its folder: programs ask for one of them."""
    folder, name = os.path.split(path)
    shutil.copy2(path, target)
    for link in _map_links(folder).get(name, ()):
        os.symlink(name, os.path.join(target, link))


@functools.cache
def _map_links(folder: str) -> dict[str, list[str]]:
    """Return a folder's links to shared libraries, by the name that they lead to."""
    links_by_target: dict[str, list[str]] = {}
    for entry in os.scandir(folder):
        if ".so" in entry.name and entry.is_symlink():
            links_by_target.setdefault(os.path.basename(os.readlink(entry.path)), []).append(entry.name)
    return links_by_target


def _fix_access_time(path: str) -> None:
    status = os.lstat(path)
    os.utime(path, ns=(FIXED_ACCESS_TIME * 10**9, status.st_mtime_ns), follow_symlinks=False)


def _measure_size(paths: Iterable[str]) -> int:
    total = 0
    for path in paths:
        files = Path(path).rglob("*") if os.path.isdir(path) else [Path(path)]
        for file in files:
            total += file.lstat().st_size
            if total > MOST_BYTES:
                return total
    return total


def _remove_folder(root: str, maker: int) -> None:
    if os.getpid() == maker:
        shutil.rmtree(root, ignore_errors=True)
