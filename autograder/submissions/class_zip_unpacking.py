"""Unpack a zip of a class; what is broken or hostile in one student's part does not stop the others."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.faults import raise_if_machine_failed
from autograder.safe_text import escape_for_sentence
from autograder.submissions.safe_paths import is_name_too_long, shorten_name_with_digest
from autograder.submissions.zip_members import (
    RefusedZipMember,
    make_too_large_refusal,
    open_untrusted_zip,
    require_safe_member_path,
    unpack_member,
)
from autograder.submissions.zip_unpacking import MOST_MEMBERS

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
        archive: the zip.
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
                make_too_large_refusal(max_bytes)
                if left < most
                else RefusedZipMember(str(make_too_large_refusal(MOST_OF_ONE)))
            )
            name = _shorten_parts(member.filename, len(student), renamed)
            written = 0
            try:
                if members_of[student] > MOST_MEMBERS:
                    raise RefusedZipMember(f"There are more than {MOST_MEMBERS} files. Hand in your own files alone.")
                target = folder.joinpath(*require_safe_member_path(member, name).parts)
                written = unpack_member(opened, member, target, min(left, most), too_large)
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
        (
            *(shorten_name_with_digest(one) if is_name_too_long(one) else one for one in parts[:depth]),
            *parts[depth:],
        )
    )


def _parts(member: zipfile.ZipInfo) -> tuple[str, ...]:
    return PurePosixPath(member.filename.replace("\\", "/")).parts
