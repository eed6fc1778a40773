"""Unpack a zip safely: no path leaves the folder, links are refused, and limits apply to the bytes actually read."""

from __future__ import annotations

import io
import stat
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePosixPath

from autograder.file_name_collisions import make_file_name_collision_key
from autograder.safe_text import escape_for_display
from autograder.submissions.safe_paths import (
    UnusablePath,
    is_name_too_long,
    require_safe_inner_path,
    shorten_name_with_digest,
)
from autograder.submissions.submitted_files import MAX_FILES

MOST_MEMBERS, MOST_OF_A_CLASS = 20_000, 400_000
SHARED_FOLDERS = (("submitted",),)
"""Folders that may hold a whole class, next to other files."""
MOST_OF_ONE = 256 << 20
"""Most unpacked bytes of one student's part of a class's zip, so that a zip bomb affects that student alone."""
CHUNK = 1 << 16
IN_DIRECTORY = b"PK\x01\x02"
HEADER = 30
BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The compression methods that ``zipfile`` unpacks in bounded pieces; with others, 64 kB of input may expand to any
size at once."""


class BadArchive(Exception):
    """A zip is broken or hostile; the message says what is wrong and what to do."""


class RefusedZipMember(BadArchive):
    """One member of a zip is broken or hostile; the rest may be sound."""


def unpack_zip(
    archive: Path | bytes,
    folder: Path,
    max_bytes: int,
    reason_by_unreadable_path: dict[str, str] | None = None,
    is_wanted: Callable[[str], bool] = lambda name: True,
    original_name_by_path: dict[str, str] | None = None,
) -> None:
    """Unpack ``archive`` into the empty ``folder``.

    Args:
        archive: the zip, or its bytes; with bytes, exactly the hashed content is unpacked.
        folder: where its files go; exists and is empty.
        max_bytes: bytes that the unpacked files may have together.
        reason_by_unreadable_path: given for a class's zip: gets each member that cannot be unpacked, and why, instead
            of an exception.
        is_wanted: returns whether to unpack a file of this name from one student's zip.
        original_name_by_path: given for a class's zip: gets the name in the zip of each student's file or folder that
            lies under a shortened one, because no file system takes it: students do not choose how long their own
            names are.

    Raises:
        BadArchive: the zip as a whole cannot be trusted; ``folder`` may hold part of the files.
    """
    try:
        if isinstance(archive, bytes):
            _require_few(archive.count(IN_DIRECTORY), MOST_MEMBERS)  # before an object is made of each
        with zipfile.ZipFile(io.BytesIO(archive) if isinstance(archive, bytes) else archive) as opened:
            members = opened.infolist()
            _require_few(len(members), MOST_MEMBERS if reason_by_unreadable_path is None else MOST_OF_A_CLASS)
            if not all(member.filename for member in members):
                raise BadArchive("The zip holds a file without a name. Make it again.")
            _refuse_overlaps(members, opened.start_dir)
            if reason_by_unreadable_path is None:
                _unpack_one(opened, members, folder, max_bytes, is_wanted)
            else:
                _unpack_class(
                    opened,
                    members,
                    folder,
                    max_bytes,
                    reason_by_unreadable_path,
                    {} if original_name_by_path is None else original_name_by_path,
                )
    except BadArchive:
        raise
    except OSError as error:
        raise BadArchive(f"The zip cannot be unpacked ({error.strerror}). Make it again.") from error
    except Exception as error:  # a hostile zip makes zipfile raise a dozen unrelated types
        raise BadArchive(
            f"The zip cannot be read ({escape_for_display(str(error), 200)}). Make it again and hand it in again."
        ) from error


def _require_few(count: int, most: int) -> None:
    if count > most:
        raise BadArchive(f"The zip has {count} members; at most {most} are unpacked. Zip your own files alone.")


def _refuse_overlaps(members: Sequence[zipfile.ZipInfo], end: int) -> None:
    """Refuse members that share bytes: zip bombs do, and ordinary tools do not."""
    starts = sorted(members, key=lambda member: member.header_offset)
    offsets = [*(member.header_offset for member in starts), end]
    for member, then in zip(starts, offsets[1:], strict=True):
        if member.header_offset + HEADER + len(member.orig_filename) + member.compress_size > then:
            raise BadArchive(f"In the zip, {_quoted(member)} overlaps what comes after it. Make it again.")


def _unpack_one(
    opened: zipfile.ZipFile,
    members: Sequence[zipfile.ZipInfo],
    folder: Path,
    limit: int,
    wanted: Callable[[str], bool],
) -> None:
    """Unpack one student's own zip; if anything is wrong with one member, the whole zip is refused."""
    paths = [_get_target_path(member) for member in members]
    _refuse_twins(paths)
    chosen = [
        (member, path) for member, path in zip(members, paths, strict=True) if path.parts and wanted(path.as_posix())
    ]
    _require_few(len(chosen), MAX_FILES)
    left = limit
    for member, path in chosen:
        left -= _unpack_member(opened, member, folder.joinpath(*path.parts), left, _too_large(limit))


def _refuse_twins(paths: Iterable[PurePosixPath]) -> None:
    """Refuse names that are equal on some file systems, and more folders than allowed members."""
    numbers: dict[tuple[str, ...], int] = {(): 0}
    places: dict[tuple[int, str], str] = {}
    for path in paths:
        parts = path.parts
        known = next(size for size in range(len(parts), -1, -1) if parts[:size] in numbers)
        for size in range(known, len(parts)):
            folder, name = numbers[parts[:size]], parts[size]
            other = places.setdefault((folder, make_file_name_collision_key(name)), name)
            if other != name:
                names = f"'{escape_for_display(other, 80)}' and '{escape_for_display(name, 80)}'"
                raise BadArchive(f"In the zip, {names} are the same name to many systems. Rename one, and zip again.")
            numbers[parts[: size + 1]] = len(numbers)
            _require_few(len(places), MOST_MEMBERS)


def _unpack_class(
    opened: zipfile.ZipFile,
    members: Sequence[zipfile.ZipInfo],
    folder: Path,
    limit: int,
    unreadable: dict[str, str],
    renamed: dict[str, str],
) -> None:
    """Unpack a zip of submissions; what is wrong with one student's part does not stop the others."""
    depth = 1 + (len({_parts(member)[:1] for member in members}) == 1)
    bytes_of, members_of = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    left = limit
    for member in members:
        parts = _parts(member)
        student = parts[: depth + (parts[depth - 1 : depth] in SHARED_FOLDERS)]
        members_of[student] += 1
        most = MOST_OF_ONE - bytes_of[student]
        too_large = _too_large(limit) if left < most else RefusedZipMember(str(_too_large(MOST_OF_ONE)))
        name = _shorten_parts(member.filename, len(student), renamed)
        written = 0
        try:
            if members_of[student] > MOST_MEMBERS:
                raise RefusedZipMember(f"There are more than {MOST_MEMBERS} files. Hand in your own files alone.")
            target = folder.joinpath(*_get_target_path(member, name).parts)
            written = _unpack_member(opened, member, target, min(left, most), too_large)
        except (RefusedZipMember, OSError, RuntimeError, ValueError, zipfile.BadZipFile) as error:
            why = error.strerror if isinstance(error, OSError) else escape_for_display(str(error), 300)
            unreadable[name] = f"This part of the zip cannot be unpacked: {why}"
            if error is too_large:
                written = most
        bytes_of[student] += written
        left -= written


def _shorten_parts(name: str, depth: int, renamed: dict[str, str]) -> str:
    """Return a member's name with its first ``depth`` parts, the student's, shortened for every file system."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not any(map(is_name_too_long, parts[:depth])):
        return name
    for part in filter(is_name_too_long, parts[:depth]):
        renamed[shorten_name_with_digest(part)] = part
    return "/".join(
        (
            *(shorten_name_with_digest(one) if is_name_too_long(one) else one for one in parts[:depth]),
            *parts[depth:],
        )
    )


def _parts(member: zipfile.ZipInfo) -> tuple[str, ...]:
    return PurePosixPath(member.filename.replace("\\", "/")).parts


def _too_large(limit: int) -> BadArchive:
    return BadArchive(f"The zip unpacks to more than {limit / 2**20:.0f} MB. Zip your own files alone.")


def _get_target_path(member: zipfile.ZipInfo, name: str = "") -> PurePosixPath:
    """Return where a member belongs below the target folder; ``name``, if given, replaces its own name."""
    try:
        path = require_safe_inner_path(name or member.filename)
    except UnusablePath as error:
        raise RefusedZipMember(str(error)) from error
    mode = member.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise RefusedZipMember(f"The zip holds a link or a device: {_quoted(member)}. Zip the files themselves.")
    if member.flag_bits & 1:
        raise RefusedZipMember("The zip has a password. Make it again without one.")
    if member.compress_type not in BOUNDED:
        raise RefusedZipMember(
            f"The zip is compressed in an unusual way ({_quoted(member)}). Make it again with your system's own tool."
        )
    return path


def _unpack_member(
    opened: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, left: int, too_large: BadArchive
) -> int:
    folder = target if member.is_dir() else target.parent
    if not folder.is_dir():
        folder.mkdir(parents=True)
    if member.is_dir():
        return 0
    written = 0
    with opened.open(member) as source, target.open("xb") as sink:
        while chunk := source.read(CHUNK):
            written += len(chunk)
            if written > left:
                raise too_large
            sink.write(chunk)
    return written


def _quoted(member: zipfile.ZipInfo) -> str:
    return f"'{escape_for_display(member.filename, 100)}'"
