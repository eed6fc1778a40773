"""Unpacking a zip: no path leaves the folder, no links, sizes bounded by what is really read."""

from __future__ import annotations

import re
import stat
import zipfile
from pathlib import Path, PurePosixPath

MOST_MEMBERS, MOST_OF_A_CLASS = 20_000, 400_000
CHUNK = 1 << 16
DRIVE = re.compile(r"[A-Za-z]:")


class BadArchive(Exception):
    """A zip that is broken or hostile; the message says what is wrong and what to do."""


class SpoiltMember(BadArchive):
    """One member that is broken or hostile, in a zip that may be sound otherwise."""


def unpack(archive: Path, folder: Path, limit: int, spoilt: dict[str, str] | None = None) -> None:
    """Unpack ``archive`` into the empty ``folder``.

    Args:
        archive: the zip.
        folder: where its files go; exists and is empty.
        limit: bytes that the unpacked files may have together.
        spoilt: if given, gets a member that cannot be unpacked, and why, instead of an exception; not one that would
            leave the folder.

    Raises:
        BadArchive: nothing is left to trust; ``folder`` may hold part of the files.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.infolist()
            most = MOST_MEMBERS if spoilt is None else MOST_OF_A_CLASS
            if len(members) > most:
                raise BadArchive(f"The zip has {len(members)} members; at most {most} are unpacked.")
            left = limit
            for member in members:
                if not member.filename:
                    raise BadArchive("The zip holds a file without a name. Make it again.")
                try:
                    left -= _unpack_member(opened, member, folder, left, limit)
                except (SpoiltMember, OSError, RuntimeError, ValueError, zipfile.BadZipFile) as error:
                    if spoilt is None:
                        raise
                    why = error.strerror if isinstance(error, OSError) else str(error)
                    spoilt[member.filename] = f"This part of the zip cannot be unpacked: {why}"
    except BadArchive:
        raise
    except OSError as error:
        raise BadArchive(f"The zip cannot be unpacked ({error.strerror}). Make it again.") from error
    except Exception as error:  # a hostile zip makes zipfile raise a dozen unrelated types
        raise BadArchive(f"The zip cannot be read ({error}). Make it again and hand it in again.") from error


def _unpack_member(opened: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, left: int, limit: int) -> int:
    name = member.filename
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or DRIVE.match(name):
        raise BadArchive(f"The zip holds a path that leaves its folder: {name!r}. Make it again.")
    mode = member.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise SpoiltMember(f"The zip holds a link or a device: {name!r}. Zip the files themselves.")
    if member.flag_bits & 1:
        raise SpoiltMember("The zip has a password. Make it again without one.")
    target = folder.joinpath(*path.parts)
    if member.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with opened.open(member) as source, target.open("xb") as sink:
        while chunk := source.read(CHUNK):
            written += len(chunk)
            if written > left:
                raise BadArchive(f"The zip unpacks to more than {limit / 2**20:.0f} MB. Zip your own files alone.")
            sink.write(chunk)
    return written
