"""Unpack untrusted zips: one student's, refused as a whole, and a class's, part by part."""

from __future__ import annotations

import io
import stat
import tempfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.faults import KitFault, raise_if_machine_failed
from autograder.submissions.safe_paths import (
    UnusablePath,
    is_name_too_long,
    require_safe_inner_path,
    shorten_name_with_digest,
)
from autograder.submissions.submission_files import MAX_FILES
from autograder.text import escape_for_sentence, make_file_name_collision_key

CHUNK = 1 << 16
IN_DIRECTORY = b"PK\x01\x02"
HEADER = 30
UTF_8_FLAG = 0x800
BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The compression methods that ``zipfile`` unpacks in bounded pieces; with others, 64 kB of input may expand to any
size at once."""


class BadArchive(Exception):
    """A zip is broken or hostile; the message says what is wrong and what to do."""


class RefusedZipMember(BadArchive):
    """One member of a zip is broken or hostile; the rest may be sound."""


@contextmanager
def open_untrusted_zip(archive: Path | bytes, max_members: int) -> Iterator[zipfile.ZipFile]:
    """Open a zip whose members are few, have names and do not overlap; close it with the block.

    Args:
        archive: the zip, or its bytes; with bytes, exactly the hashed content is unpacked.
        max_members: the most members that it may have.

    Raises:
        BadArchive: the zip as a whole cannot be trusted, or the block failed to read it.
    """
    try:
        if isinstance(archive, bytes):
            _require_few_members(archive.count(IN_DIRECTORY), max_members)  # before an object is made of each
        with zipfile.ZipFile(io.BytesIO(archive) if isinstance(archive, bytes) else archive) as opened:
            members = opened.infolist()
            _require_few_members(len(members), max_members)
            for member in members:
                member.filename = _decode_name(member)
            if not all(member.filename for member in members):
                raise BadArchive("The zip holds a file without a name. Make it again.")
            _refuse_overlaps(members, opened.start_dir)
            yield opened
    except (BadArchive, KitFault):
        raise
    except OSError as error:
        raise_if_machine_failed(error, error.filename or tempfile.gettempdir())
        raise BadArchive(f"The zip cannot be unpacked ({error.strerror}). Make it again.") from error
    except Exception as error:  # a hostile zip makes zipfile raise a dozen unrelated types
        raise BadArchive(
            f"The zip cannot be read ({escape_for_sentence(str(error), 200)}). Make it again and hand it in again."
        ) from error


def _decode_name(member: zipfile.ZipInfo) -> str:
    """Return a member's name: UTF-8 if its bytes are that, with or without the flag that says so.

    The Finder and Debian's ``zip`` leave the flag out, and ``zipfile`` then reads the name as DOS wrote it.
    """
    if member.flag_bits & UTF_8_FLAG or member.filename.isascii():
        return member.filename
    try:
        return unicodedata.normalize("NFC", member.filename.encode("cp437").decode("utf-8"))
    except UnicodeError:
        return member.filename


def _require_few_members(count: int, max_count: int) -> None:
    """Raise ``BadArchive`` if a zip has more members than are unpacked."""
    if count > max_count:
        raise BadArchive(f"The zip has {count} members; at most {max_count} are unpacked. Zip your own files alone.")


def _make_too_large_refusal(limit: int) -> BadArchive:
    """Return the exception for a zip that unpacks to more than ``limit`` bytes."""
    return BadArchive(f"The zip unpacks to more than {limit / 2**20:.0f} MB. Zip your own files alone.")


def _require_safe_member_path(member: zipfile.ZipInfo, name: str = "") -> PurePosixPath:
    """Return where a member belongs below the target folder; ``name``, if given, replaces its own name.

    Raises:
        RefusedZipMember: the member must not be unpacked.
    """
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
    opened: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, max_bytes: int, too_large_error: BadArchive
) -> int:
    """Write a member to ``target``, and return the number of bytes written.

    Args:
        max_bytes: the most bytes that may be written.
        too_large_error: raised when there are more.
    """
    folder = target if member.is_dir() else target.parent
    if not folder.is_dir():
        folder.mkdir(parents=True)
    if member.is_dir():
        return 0
    written = 0
    with opened.open(member) as source, target.open("xb") as sink:
        while chunk := source.read(CHUNK):
            written += len(chunk)
            if written > max_bytes:
                raise too_large_error
            sink.write(chunk)
    return written


def _refuse_overlaps(members: Sequence[zipfile.ZipInfo], end: int) -> None:
    """Refuse members that share bytes: zip bombs do, and ordinary tools do not."""
    starts = sorted(members, key=lambda member: member.header_offset)
    offsets = [*(member.header_offset for member in starts), end]
    for member, then in zip(starts, offsets[1:], strict=True):
        if member.header_offset + HEADER + len(member.orig_filename) + member.compress_size > then:
            raise BadArchive(f"In the zip, {_quoted(member)} overlaps what comes after it. Make it again.")


def _quoted(member: zipfile.ZipInfo) -> str:
    return f"'{escape_for_sentence(member.filename, 100)}'"


MOST_MEMBERS = 20_000
"""Most members of one student's zip, or of one student's part of a class's zip."""


def unpack_zip(
    archive: Path | bytes, folder: Path, max_bytes: int, is_wanted: Callable[[str], bool] = lambda name: True
) -> None:
    """Unpack one student's zip into the empty ``folder``.

    Args:
        archive: the zip, or its bytes; with bytes, exactly the hashed content is unpacked.
        folder: where its files go; exists and is empty.
        max_bytes: bytes that the unpacked files may have together.
        is_wanted: returns whether to unpack a file of this name.

    Raises:
        BadArchive: the zip or one of its members cannot be trusted; ``folder`` may hold part of the files.
    """
    with open_untrusted_zip(archive, MOST_MEMBERS) as opened:
        members = opened.infolist()
        paths = [_require_safe_member_path(member) for member in members]
        _refuse_twins(paths)
        chosen = [
            (member, path)
            for member, path in zip(members, paths, strict=True)
            if path.parts and is_wanted(path.as_posix())
        ]
        _require_few_members(len(chosen), MAX_FILES)
        left = max_bytes
        for member, path in chosen:
            left -= _unpack_member(
                opened, member, folder.joinpath(*path.parts), left, _make_too_large_refusal(max_bytes)
            )


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
                names = f"'{escape_for_sentence(other, 80)}' and '{escape_for_sentence(name, 80)}'"
                raise BadArchive(f"In the zip, {names} are the same name to many systems. Rename one, and zip again.")
            numbers[parts[: size + 1]] = len(numbers)
            _require_few_members(len(places), MOST_MEMBERS)


MOST_OF_A_CLASS = 400_000
"""Most members of a class's zip."""
SHARED_FOLDERS = (("submitted",),)
"""Folders that may hold a whole class, next to other files."""
MOST_OF_ONE = 256 << 20
"""Most unpacked bytes of one student's part of a class's zip, so that a zip bomb affects that student alone."""


@dataclass(frozen=True, slots=True)
class UnpackedClassZip:
    """Facts about a class's zip that the files on the disk do not show."""

    reason_by_unreadable_path: Mapping[str, str]
    """Members that could not be unpacked, and why."""
    original_name_by_path: Mapping[str, str]
    """Names in the zip of students' files and folders that lie under shortened ones, because no file system takes
    them: students do not choose how long their own names are."""


def unpack_class_zip(archive: Path, folder: Path, max_bytes: int) -> UnpackedClassZip:
    """Unpack a zip of submissions into the empty ``folder``.

    Args:
        folder: where its files go; exists and is empty.
        max_bytes: bytes that the unpacked files may have together.

    Raises:
        BadArchive: the zip as a whole cannot be trusted; ``folder`` may hold part of the files.
    """
    unreadable: dict[str, str] = {}
    renamed: dict[str, str] = {}
    with open_untrusted_zip(archive, MOST_OF_A_CLASS) as opened:
        members = opened.infolist()
        depth = 1 + (len({_parts(member)[:1] for member in members}) == 1)
        bytes_of, members_of = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
        left = max_bytes
        for member in members:
            parts = _parts(member)
            student = parts[: depth + (parts[depth - 1 : depth] in SHARED_FOLDERS)]
            members_of[student] += 1
            most = MOST_OF_ONE - bytes_of[student]
            too_large = (
                _make_too_large_refusal(max_bytes)
                if left < most
                else RefusedZipMember(str(_make_too_large_refusal(MOST_OF_ONE)))
            )
            name = _shorten_parts(member.filename, len(student), renamed)
            written = 0
            try:
                if members_of[student] > MOST_MEMBERS:
                    raise RefusedZipMember(f"There are more than {MOST_MEMBERS} files. Hand in your own files alone.")
                target = folder.joinpath(*_require_safe_member_path(member, name).parts)
                written = _unpack_member(opened, member, target, min(left, most), too_large)
            except (RefusedZipMember, OSError, RuntimeError, ValueError, zipfile.BadZipFile) as error:
                if isinstance(error, OSError):
                    raise_if_machine_failed(error, folder, "write to")
                why = error.strerror if isinstance(error, OSError) else escape_for_sentence(str(error), 300)
                unreadable[name] = f"This part of the zip cannot be unpacked: {why}"
                if error is too_large:
                    written = most
            bytes_of[student] += written
            left -= written
    return UnpackedClassZip(unreadable, renamed)


def _shorten_parts(name: str, depth: int, renamed: dict[str, str]) -> str:
    """Return a member's name with its first ``depth`` parts, the student's, shortened for every file system.

    Add what was shortened to ``renamed``.
    """
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not any(map(is_name_too_long, parts[:depth])):
        return name
    for part in filter(is_name_too_long, parts[:depth]):
        renamed[shorten_name_with_digest(part)] = part
    return "/".join(
        (*(shorten_name_with_digest(one) if is_name_too_long(one) else one for one in parts[:depth]), *parts[depth:])
    )


def _parts(member: zipfile.ZipInfo) -> tuple[str, ...]:
    return PurePosixPath(member.filename.replace("\\", "/")).parts
