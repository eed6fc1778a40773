"""A download as it lies on the disk: its paths, and files of the platform's own in it. Links are never followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from autograder.faults import CallerFault
from autograder.submissions.paths import is_outside

MOST_PATHS = 500_000
MOST_BYTES = 64 << 20
"""Of a file that the platform itself wrote."""
JUNK = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini", ".DS_Store"})


class Download:
    """A folder, or an unpacked zip, that may come from a platform."""

    def __init__(self, root: Path, source: Path | None = None, spoilt: Mapping[str, str] | None = None) -> None:
        self.root = root
        """The folder that is read."""
        self.source = source or root
        """What the caller named, for messages: a folder or a zip."""
        found = {name.replace("\\", "/"): why for name, why in (spoilt or {}).items() if not is_outside(name)}
        self.spoilt: Mapping[str, str] = found
        """Files of a zip that could not be unpacked, and why. They count among ``paths`` all the same: whose they are
        is told, and nobody is left out."""

    @cached_property
    def top(self) -> tuple[str, ...]:
        """Names right in the download, sorted, without what operating systems leave; links are left out.

        Raises:
            CallerFault: it cannot be read.
        """
        try:
            with os.scandir(self.root) as found:
                names = {one.name for one in found if not one.is_symlink()}
        except OSError as error:
            raise CallerFault(f"cannot be read: {error.strerror}", str(self.source)) from error
        names |= {path.partition("/")[0] for path in self.spoilt}
        return tuple(sorted(name for name in names if not is_junk(name)))

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every ordinary file, relative to the download, with forward slashes, sorted; links are left out.

        Raises:
            CallerFault: there are too many.
        """
        found = {path for path in self.spoilt if not any(map(is_junk, path.split("/")))}
        for folder, folders, names in os.walk(self.root):
            inside = Path(folder).relative_to(self.root)
            folders[:] = sorted(name for name in folders if not is_junk(name))
            ours = (name for name in names if not is_junk(name) and self._is_file(Path(folder) / name))
            found |= {(inside / name).as_posix() for name in ours}
            if len(found) > MOST_PATHS:
                raise CallerFault(
                    f"holds more than {MOST_PATHS} files", str(self.source), "is this the right folder?"
                )
        return tuple(sorted(found))

    def is_folder(self, name: str) -> bool:
        """Whether a path of the download is a folder, and no link to one."""
        path = self.root / name
        return (path.is_dir() and not path.is_symlink()) or any(one.startswith(f"{name}/") for one in self.spoilt)

    def read(self, name: str) -> bytes:
        """The content of a file that the platform wrote.

        Raises:
            CallerFault: it cannot be read, or is too large to be what it should be.
        """
        path = self.root / name
        try:
            if not self._is_file(path) or path.stat().st_size > MOST_BYTES:
                raise CallerFault(f"holds no readable {name}", str(self.source), "download it again")
            return path.read_bytes()
        except OSError as error:
            raise CallerFault(f"{name} cannot be read: {error.strerror}", str(self.source)) from error

    @staticmethod
    def _is_file(path: Path) -> bool:
        try:
            return stat.S_ISREG(path.lstat().st_mode)
        except OSError:
            return False


def is_junk(name: str) -> bool:
    """Whether an operating system left it."""
    return name in JUNK or name.startswith("._")
