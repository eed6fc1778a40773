"""Find the interpreter that runs students' code, and the files that it needs."""

from __future__ import annotations

import functools
import os
import stat
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

LOADER_PATHS = (
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
)
PACKAGE_FOLDERS = frozenset({"site-packages", "dist-packages"})
"""Folders of installed packages, which students' code gets no access to, except packages that the course allows."""


@dataclass(frozen=True, slots=True)
class CurrentInterpreterFiles:
    """The kit's own interpreter, without its packages."""

    executable: str
    stdlib: str
    loaders: tuple[str, ...]
    shared_libraries: tuple[str, ...]
    """Shared libraries outside the system's library folder, such as a libpython built by hand."""
    system_libraries: str
    """The folder that holds the C library."""
    is_reachable_by_any_user: bool
    """Whether another user can reach it."""


@functools.cache
def find_current_interpreter_files() -> CurrentInterpreterFiles:
    """Return the files of this process's interpreter that a sandbox must make available."""
    import ctypes  # noqa: F401  (so that libffi is among the mapped libraries)

    executable = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    stdlib = os.path.realpath(sysconfig.get_path("stdlib"))
    mapped = _list_mapped_libraries()
    libc = next((path for path in mapped if Path(path).name.startswith(("libc.so", "libc-", "ld-musl"))), "")
    system = os.path.dirname(libc)
    return CurrentInterpreterFiles(
        executable=executable,
        stdlib=stdlib,
        loaders=tuple(path for path in LOADER_PATHS if os.path.exists(path)),
        shared_libraries=tuple(
            path
            for path in mapped
            if not path.startswith((f"{system}/", f"{stdlib}/")) and not PACKAGE_FOLDERS & {*Path(path).parts}
        ),
        system_libraries=system,
        is_reachable_by_any_user=is_reachable_by_any_user(executable) and is_reachable_by_any_user(stdlib),
    )


def _list_mapped_libraries() -> list[str]:
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return []
    paths = {line.split(maxsplit=5)[5] for line in lines if line.count(" ") >= 5 and ".so" in line}
    real_paths = (os.path.realpath(path) for path in paths if path.startswith("/") and os.path.exists(path))
    return sorted(real_paths)


def is_reachable_by_any_user(path: str) -> bool:
    """Return whether every user may traverse all folders on the way to ``path``, and enter or execute it."""
    return all(os.stat(folder).st_mode & stat.S_IXOTH for folder in (path, *map(str, Path(path).parents)))
