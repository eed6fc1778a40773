"""Read the names that Canvas gives the files that it packs: the owner stands before the student's name for the file.

``lovelaceada_LATE_12345_67890_value.py`` is the name in lower-case letters, ``LATE`` if it was late, the ids of user
and file, and the file's own name. With hidden names, Canvas writes ``anon_aB3dE_67890_value.py``; for typed text,
it writes ``lovelaceada_12345_text.html``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.file_name_collisions import make_file_name_collision_key

REST = r"(?:(?P<attachment>[0-9]+)_(?P<shown>.+)|(?P<typed>text\.html|link\.html))"
IDS = re.compile(rf"(?P<late>LATE_)?(?P<user>[0-9]+)_{REST}", re.S)
HIDDEN = re.compile(rf"(?P<late>LATE_)?anon_(?P<user>[0-9A-Za-z]+)_(?P<late_too>LATE_)?{REST}", re.S)
OWNER = re.compile("[a-z0-9_\x80-\U0010ffff]*")
"""The characters that Canvas keeps of a name. Letters beyond ASCII are not compared: a zip may garble them."""
NUMBER_INSIDE = re.compile("_[0-9]+_")
"""Canvas removes the underscores around such a number from a student's name, but for tricks with spaces and signs."""
WORD = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Pc"})
"""Kinds of characters that Canvas leaves."""


@dataclass(frozen=True, slots=True)
class FileNameReading:
    """One file, as its name can be read."""

    packed_name: str
    owner_key: str
    """The student's or group's name in Canvas's short form; empty if Canvas hides it."""
    user_id: str
    """The user's id; if names are hidden, the id that stands for the user in this assignment."""
    is_late: bool
    attachment_id: str
    """The file's id; empty for text that was typed into Canvas."""
    student_file_name: str
    """The student's name for the file; ``text.html`` and ``link.html`` for typed text and links."""
    is_anonymous: bool = False
    """Whether Canvas does not say whose it is."""
    is_uncertain: bool = False
    """Whether the ids may be another's."""


def parse_possible_readings(file_name: str) -> list[FileNameReading]:
    """Return every way to read a name, Canvas's own first: students' and files' names may hold numbers too.

    >>> (reading,) = parse_possible_readings("lovelaceada_LATE_12345_67890_value.py")
    >>> reading.owner_key, reading.user_id, reading.is_late, reading.student_file_name
    ('lovelaceada', '12345', True, 'value.py')
    """
    readings = []
    for position in (match.start() for match in re.finditer("_", file_name)):
        ids = IDS.fullmatch(file_name, position + 1)
        if ids and OWNER.fullmatch(file_name, 0, position):
            readings.append(_make_file_name(file_name, file_name[:position], ids, bool(ids["late"])))
    return readings


def try_parse_anonymous_name(file_name: str) -> FileNameReading | None:
    """Read a name as one that hides its owner; None if it is not.

    >>> try_parse_anonymous_name("anon_aB3dE_67890_value.py").user_id
    'aB3dE'
    """
    ids = HIDDEN.fullmatch(file_name)
    return (
        _make_file_name(file_name, "", ids, bool(ids["late"] or ids["late_too"]), is_anonymous=True) if ids else None
    )


def parse_packed_file_names(file_names: Sequence[str]) -> tuple[list[FileNameReading], list[str]]:
    """Read the names of a download together, because some names are ambiguous without the others.

    Returns:
        The readings of Canvas's names, and the names that are not Canvas's, each in the order given.
    """
    anonymous_by_name = {name: reading for name in file_names if (reading := try_parse_anonymous_name(name))}
    if len(anonymous_by_name) == len(file_names) and any(
        not reading.user_id.isdecimal() for reading in anonymous_by_name.values()
    ):
        return [*anonymous_by_name.values()], []
    readings_by_name = {
        name: parse_possible_readings(name) or [reading for reading in [anonymous_by_name.get(name)] if reading]
        for name in file_names
    }
    evidence = _collect_evidence(readings_by_name.values())
    readings = [
        _choose_reading(name_readings, evidence) for name_readings in readings_by_name.values() if name_readings
    ]
    return readings, [name for name in file_names if not readings_by_name[name]]


@dataclass(frozen=True, slots=True)
class _DownloadEvidence:
    """Facts from all names of a download, taken only from the parts that Canvas wrote."""

    users: Mapping[str, str]
    """Owners by user id, from file names with a single reading, which is then Canvas's."""
    attachments: Counter[str]
    """How often each number is the file's id in the first reading of a name. Canvas uses each id once."""
    median_attachment_id: int
    """The median of these ids; 0 without one. Ids of one assignment are close, since they are given within weeks."""

    def is_near(self, reading: FileNameReading) -> bool:
        """Return whether the file's id is about as large as the others are."""
        return (
            not reading.attachment_id
            or not self.median_attachment_id
            or self.median_attachment_id / 2 <= int(reading.attachment_id) <= self.median_attachment_id * 2
        )

    def may_be_user(self, number: str) -> bool:
        """Return whether a number lies between the smallest and the largest known id of a user."""
        ids = [int(user) for user in self.users]
        return bool(ids) and min(ids) <= int(number) <= max(ids)

    def contradicts(self, reading: FileNameReading, first: FileNameReading) -> bool:
        """Return whether the user is known under another name, or the file's id may be another file's.

        Args:
            reading: one way to read a name.
            first: Canvas's own way to read that name, which counts among ``attachments``.
        """
        own_count = reading.attachment_id == first.attachment_id
        return (
            self.users.get(reading.user_id, reading.owner_key) != reading.owner_key
            or self.attachments[reading.attachment_id] - own_count > 0
        )


def _collect_evidence(readings_of_names: Iterable[Sequence[FileNameReading]]) -> _DownloadEvidence:
    owner_by_user, attachment_counts = {}, Counter[str]()
    for readings in filter(None, readings_of_names):
        first = readings[0]
        if len(readings) == 1:
            owner_by_user[first.user_id] = first.owner_key
        if first.attachment_id:
            attachment_counts[first.attachment_id] += 1
    ids = sorted(map(int, attachment_counts.elements()))
    return _DownloadEvidence(owner_by_user, attachment_counts, ids[len(ids) // 2] if ids else 0)


def make_canvas_owner_key(owner_name: str) -> str:
    """Return a student's name as Canvas puts it in front of a file.

    >>> make_canvas_owner_key("Lovelace, Ada"), make_canvas_owner_key("Ada_2_")
    ('lovelaceada', 'ada2')
    """
    plain_name = re.sub(r"_([0-9]+)_", r"\1", owner_name)
    return "".join(
        letter for letter in make_file_name_collision_key(plain_name) if unicodedata.category(letter)[:2] in WORD
    )


def _choose_reading(readings: Sequence[FileNameReading], evidence: _DownloadEvidence) -> FileNameReading:
    """Decide between the readings of one name.

    The first reading is Canvas's own, and is used unless the download contradicts it. The second can be right if a
    student's own name ends in a number. Then the number after the first one decides, which Canvas wrote in either
    case. Later numbers may belong to the file's name, which the student chose, so they never decide; if they look
    like ids, the reading is uncertain. An uncertain file counts as late if any reading says so.
    """
    first, *later_readings = readings
    if not later_readings:
        return first
    plausible = [
        reading for reading in readings if evidence.is_near(reading) and not evidence.contradicts(reading, first)
    ]
    unambiguous = [reading for reading in plausible if not NUMBER_INSIDE.search(reading.owner_key)]
    if len(unambiguous) == len(plausible):
        if plausible == [first] or (first in plausible and not evidence.may_be_user(first.attachment_id)):
            return first
        if len(plausible) == 1:
            return plausible[0]
    return replace(first, is_uncertain=True, is_late=any(reading.is_late for reading in readings))


def _make_file_name(
    file_name: str, owner_key: str, ids: re.Match[str], is_late: bool, is_anonymous: bool = False
) -> FileNameReading:
    return FileNameReading(
        file_name,
        owner_key,
        ids["user"],
        is_late,
        ids["attachment"] or "",
        ids["shown"] or ids["typed"],
        is_anonymous,
    )
