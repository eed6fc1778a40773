"""Make file names for submissions with any name."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable

from autograder.file_name_collisions import make_file_name_collision_key
from autograder.submissions.safe_paths import is_windows_device_name

KEPT_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@+ ")
MAX_LENGTH = 180
"""In bytes."""
DIGEST_LENGTH = 12


def make_safe_file_name(submission_name: str) -> str:
    """Return a name that every file system takes; it differs whenever the submissions' names do.

    Letters of any script stay; special characters, such as those of paths and terminal escapes, become ``%`` and
    their bytes in hexadecimal, as in a URL. A name that is too long is cut, and a digest of the whole is appended.

    >>> make_safe_file_name("Müller, Eva/value.py"), make_safe_file_name(".hidden"), make_safe_file_name("nul")
    ('Müller%2C Eva%2Fvalue.py', '%2Ehidden', '%6Eul')
    """
    joined = _escape_special_characters(submission_name)
    if len(joined.encode()) <= MAX_LENGTH:
        return joined
    digest = "=" + hashlib.sha256(joined.encode()).hexdigest()[:DIGEST_LENGTH]
    return _cut_at_bytes(joined, MAX_LENGTH - len(digest)) + digest


def _escape_special_characters(submission_name: str) -> str:
    shown = []
    for character in submission_name:
        if character in KEPT_CHARACTERS or (ord(character) > 127 and unicodedata.category(character)[0] in "LN"):
            shown.append(character)
        else:
            shown.append("".join(f"%{byte:02X}" for byte in _bytes(character)))
    joined = "".join(shown)
    if joined[:1] in (".", " ", "") or is_windows_device_name(joined):
        joined = f"%{ord(joined[:1] or '_'):02X}{joined[1:]}"
    return joined


def _cut_at_bytes(text: str, most_bytes: int) -> str:
    return text.encode()[:most_bytes].decode(errors="ignore")  # not half a letter


def _bytes(character: str) -> bytes:
    """Return a character's bytes; for a byte of a name that is not text, that byte as it is on disk."""
    lone = "\udc80" <= character <= "\udcff"
    return character.encode("utf-8", "surrogateescape" if lone else "surrogatepass")


def assign_file_names(submission_names: Iterable[str]) -> dict[str, str]:
    """Return a file name for each submission; number names that would clash on some file system."""
    taken: set[str] = set()
    names = {}
    for name in submission_names:
        base = candidate = make_safe_file_name(name)
        number = 1
        while make_file_name_collision_key(candidate) in taken:
            number += 1
            candidate = f"{base}~{number}"
        taken.add(make_file_name_collision_key(candidate))
        names[name] = candidate
    return names
