"""Zips as nobody's own tools make them, and a grader that unpacks as most do."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest

from autograder.submissions.zips import BadArchive, unpack_zip

MB = 2**20
LIMIT = 20 * MB
SOLVED = "class Value:\n    solved = True\n"

Member = tuple[str | zipfile.ZipInfo, str | bytes]


def zip_of(*members: Member, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of contents by name; the same name may come twice."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as opened:
        for name, content in members:
            opened.writestr(name, content, method)
    return made.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (mode | 0o777) << 16
    return info


def naively(content: bytes, folder: Path) -> None:
    """Unpack as the tools do that are made for zips of one's own: paths as they are, links as links."""
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        for member in opened.infolist():
            target = Path(os.path.normpath(folder / member.filename))
            target.parent.mkdir(parents=True, exist_ok=True)
            if stat.S_ISLNK(member.external_attr >> 16):
                target.symlink_to(opened.read(member).decode())
            elif not member.is_dir():
                target.write_bytes(opened.read(member))


def refusal(content: bytes, folder: Path, limit: int = LIMIT) -> str:
    with pytest.raises(BadArchive) as caught:
        unpack_zip(content, folder, limit)
    return str(caught.value)
