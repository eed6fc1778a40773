"""Open untrusted zips, and unpack their members one by one."""

from __future__ import annotations

import io
import stat
import tempfile
import unicodedata
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from autograder.faults import KitFault, raise_if_machine_failed
from autograder.safe_text import escape_for_sentence
from autograder.submissions.safe_paths import UnusablePath, require_safe_inner_path

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
            require_few_members(archive.count(IN_DIRECTORY), max_members)  # before an object is made of each
        with zipfile.ZipFile(io.BytesIO(archive) if isinstance(archive, bytes) else archive) as opened:
            members = opened.infolist()
            require_few_members(len(members), max_members)
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


def require_few_members(count: int, max_count: int) -> None:
    """Raise ``BadArchive`` if a zip has more members than are unpacked."""
    if count > max_count:
        raise BadArchive(f"The zip has {count} members; at most {max_count} are unpacked. Zip your own files alone.")


def make_too_large_refusal(limit: int) -> BadArchive:
    """Return the exception for a zip that unpacks to more than ``limit`` bytes."""
    return BadArchive(f"The zip unpacks to more than {limit / 2**20:.0f} MB. Zip your own files alone.")


def require_safe_member_path(member: zipfile.ZipInfo, name: str = "") -> PurePosixPath:
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


def unpack_member(
    opened: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, max_bytes: int, too_large_error: BadArchive
) -> int:
    """Write a member to ``target``, and return the number of bytes written.

    Args:
        opened: the zip.
        member: the member.
        target: its file or folder.
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
