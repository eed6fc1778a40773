"""Read the names that Canvas gives the files that it packs: the owner stands before the student's name for the file.

``lovelaceada_LATE_12345_67890_value.py`` is the name in small letters, perhaps a mark, the ids of user and file, and
the file's own name. With hidden names, Canvas writes ``anon_aB3dE_67890_value.py``; for what was typed in, it writes
``lovelaceada_12345_text.html``.
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
class ParsedFileName:
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


def parse_possible_readings(file_name: str) -> list[ParsedFileName]:
    """Return every way to read a name, Canvas's own first: students' and files' names may hold numbers too.

    >>> (reading,) = parse_possible_readings("lovelaceada_LATE_12345_67890_value.py")
    >>> reading.owner_key, reading.user_id, reading.is_late, reading.student_file_name
    ('lovelaceada', '12345', True, 'value.py')
    """
    found = []
    for place in (match.start() for match in re.finditer("_", file_name)):
        ids = IDS.fullmatch(file_name, place + 1)
        if ids and OWNER.fullmatch(file_name, 0, place):
            found.append(_named(file_name, file_name[:place], ids, bool(ids["late"])))
    return found


def try_parse_anonymous_name(file_name: str) -> ParsedFileName | None:
    """Read a name as one that hides its owner; None if it is not.

    >>> try_parse_anonymous_name("anon_aB3dE_67890_value.py").user_id
    'aB3dE'
    """
    ids = HIDDEN.fullmatch(file_name)
    return _named(file_name, "", ids, bool(ids["late"] or ids["late_too"]), hidden=True) if ids else None


def parse_packed_file_names(file_names: Sequence[str]) -> tuple[list[ParsedFileName], list[str]]:
    """Read the names of a download together, because some names are ambiguous without the others.

    Returns:
        The readings of Canvas's names, and the names that are not Canvas's, each in the order given.
    """
    hidden = {name: reading for name in file_names if (reading := try_parse_anonymous_name(name))}
    if len(hidden) == len(file_names) and any(not reading.user_id.isdecimal() for reading in hidden.values()):
        return [*hidden.values()], []
    ways = {name: parse_possible_readings(name) or [one for one in [hidden.get(name)] if one] for name in file_names}
    evidence = _collect_evidence(ways.values())
    readings = [_choose_reading(found, evidence) for found in ways.values() if found]
    return readings, [name for name in file_names if not ways[name]]


@dataclass(frozen=True, slots=True)
class _DownloadEvidence:
    """Facts from all names of a download, taken only from the parts that Canvas wrote."""

    users: Mapping[str, str]
    """Owners by user id, from file names with a single reading, which is then Canvas's."""
    attachments: Counter[str]
    """How often each number is the file's id in the first reading of a name. Canvas uses each id once."""
    middle: int
    """The median of these ids; 0 without one. Ids of one assignment are close, since they are given within weeks."""

    def is_near(self, reading: ParsedFileName) -> bool:
        """Return whether the file's id is about as large as the others are."""
        return (
            not reading.attachment_id
            or not self.middle
            or self.middle / 2 <= int(reading.attachment_id) <= self.middle * 2
        )

    def may_be_user(self, number: str) -> bool:
        """Return whether a number lies between the smallest and the largest known id of a user."""
        ids = [int(user) for user in self.users]
        return bool(ids) and min(ids) <= int(number) <= max(ids)

    def contradicts(self, reading: ParsedFileName, first: ParsedFileName) -> bool:
        """Return whether the user is known under another name, or the file's id may be another file's.

        Args:
            reading: one way to read a name.
            first: Canvas's own way to read that name, which counts among ``attachments``.
        """
        own = reading.attachment_id == first.attachment_id
        return (
            self.users.get(reading.user_id, reading.owner_key) != reading.owner_key
            or self.attachments[reading.attachment_id] - own > 0
        )


def _collect_evidence(ways: Iterable[Sequence[ParsedFileName]]) -> _DownloadEvidence:
    users, numbers = {}, Counter[str]()
    for found in filter(None, ways):
        first = found[0]
        if len(found) == 1:
            users[first.user_id] = first.owner_key
        if first.attachment_id:
            numbers[first.attachment_id] += 1
    ids = sorted(map(int, numbers.elements()))
    return _DownloadEvidence(users, numbers, ids[len(ids) // 2] if ids else 0)


def make_canvas_owner_key(owner_name: str) -> str:
    """Return a student's name as Canvas puts it in front of a file.

    >>> make_canvas_owner_key("Lovelace, Ada"), make_canvas_owner_key("Ada_2_")
    ('lovelaceada', 'ada2')
    """
    without = re.sub(r"_([0-9]+)_", r"\1", owner_name)
    return "".join(
        letter for letter in make_file_name_collision_key(without) if unicodedata.category(letter)[:2] in WORD
    )


def is_owned_by(reading: ParsedFileName, student_identifiers: Iterable[str]) -> bool:
    """Return whether a file's owner has one of these names."""
    return make_canvas_owner_key(reading.owner_key) in map(make_canvas_owner_key, student_identifiers)


def _choose_reading(found: Sequence[ParsedFileName], evidence: _DownloadEvidence) -> ParsedFileName:
    """Decide between the readings of one name.

    The first reading is Canvas's own, and is used unless the download contradicts it. The second can be right if a
    student's own name ends in a number. Then the number after the first one decides, which Canvas wrote in either
    case. Later numbers may belong to the file's name, which the student chose, so they never decide; if they look
    like ids, the reading is uncertain. An uncertain file counts as late if any reading says so.
    """
    first, *others = found
    if not others:
        return first
    possible = [one for one in found if evidence.is_near(one) and not evidence.contradicts(one, first)]
    short = [one for one in possible if not NUMBER_INSIDE.search(one.owner_key)]
    if len(short) == len(possible):
        if possible == [first] or (first in possible and not evidence.may_be_user(first.attachment_id)):
            return first
        if len(possible) == 1:
            return possible[0]
    return replace(first, is_uncertain=True, is_late=any(one.is_late for one in found))


def _named(name: str, owner: str, ids: re.Match[str], late: bool, hidden: bool = False) -> ParsedFileName:
    return ParsedFileName(
        name, owner, ids["user"], late, ids["attachment"] or "", ids["shown"] or ids["typed"], hidden
    )
