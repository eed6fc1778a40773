"""How Canvas names what it packs: whose a file is stands in front of what the student called it.

``lovelaceada_LATE_12345_67890_value.py``: the name in small letters, perhaps a mark, the ids of user and file, the
file's own name. With hidden names ``anon_aB3dE_67890_value.py``; what was typed in, ``lovelaceada_12345_text.html``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from autograder.text import alike

REST = r"(?:(?P<attachment>[0-9]+)_(?P<shown>.+)|(?P<typed>text\.html|link\.html))"
IDS = re.compile(rf"(?P<late>LATE_)?(?P<user>[0-9]+)_{REST}", re.S)
HIDDEN = re.compile(rf"(?P<late>LATE_)?anon_(?P<user>[0-9A-Za-z]+)_(?P<late_too>LATE_)?{REST}", re.S)
OWNER = re.compile("[a-z0-9_\x80-\U0010ffff]*")
"""Canvas leaves nothing else of a name. Letters beyond ASCII are not looked at: a zip may spell them wrongly."""
WORD = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Pc"})
"""Kinds of characters that Canvas leaves."""


@dataclass(frozen=True, slots=True)
class Named:
    """One file, as its name can be read."""

    whole: str
    owner: str
    """The student's or the group's name as Canvas squeezes it; empty where it hides it."""
    user: str
    """The user's id; of a hidden one, what stands for it in this assignment."""
    late: bool
    attachment: str
    """The file's id; empty for what was typed into Canvas itself."""
    shown: str
    """What the student called it; ``text.html`` and ``link.html`` for what was typed."""
    hidden: bool = False
    """Whether Canvas does not say whose it is."""


def readings(name: str) -> list[Named]:
    """Every way in which a name can be read, Canvas's own first: students' and files' names may hold numbers too."""
    found = []
    for place in (match.start() for match in re.finditer("_", name)):
        ids = IDS.fullmatch(name, place + 1)
        if ids and OWNER.fullmatch(name, 0, place):
            found.append(_named(name, name[:place], ids, bool(ids["late"])))
    return found


def hidden_reading(name: str) -> Named | None:
    """The name as one that hides whose it is."""
    ids = HIDDEN.fullmatch(name)
    return _named(name, "", ids, bool(ids["late"] or ids["late_too"]), hidden=True) if ids else None


def read_names(names: Sequence[str]) -> tuple[list[Named], list[str]]:
    """The names of a download, read together: what one leaves open, the others may settle.

    Returns:
        Those that are Canvas's, and those that are not, each in the order given.
    """
    hidden = {name: reading for name in names if (reading := hidden_reading(name))}
    if len(hidden) == len(names) and any(not reading.user.isdecimal() for reading in hidden.values()):
        return [*hidden.values()], []
    ways = {name: readings(name) or [one for one in [hidden.get(name)] if one] for name in names}
    evidence = _evidence(ways.values())
    return [_likeliest(found, evidence) for found in ways.values() if found], [
        name for name in names if not ways[name]
    ]


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What the names of a download say together, which no student can choose alone."""

    owners: Mapping[str, set[str]]
    """By a user's id: of files that can be read in one way only."""
    files: tuple[int, ...]
    """The smallest and the largest id of such a file; empty without one. Canvas counts them all in one row."""
    often: Set[str]
    """What cannot be a file's id, because several would have it."""

    def is_file(self, number: str) -> bool:
        """Whether it is about as large as files' ids are; without any to compare, it may be."""
        near = not self.files or self.files[0] // 2 <= int(number) <= self.files[1] * 2
        return near and number not in self.often


def _evidence(ways: Iterable[Sequence[Named]]) -> _Evidence:
    owners: defaultdict[str, set[str]] = defaultdict(set)
    files: list[int] = []
    times: Counter[str] = Counter()
    for found in ways:
        times.update({one.attachment for one in found if one.attachment})
        if len(found) == 1:
            owners[found[0].user].add(found[0].owner)
            files += [int(found[0].attachment)] if found[0].attachment else []
    often = {number for number, count in times.items() if count > 1}
    return _Evidence(owners, (min(files), max(files)) if files else (), often)


def squeezed(name: str) -> str:
    """A student's name as Canvas puts it in front of a file."""
    without = re.sub(r"_([0-9]+)_", r"\1", name)
    return "".join(letter for letter in alike(without) if unicodedata.category(letter)[:2] in WORD)


def has_name(reading: Named, names: Iterable[str]) -> bool:
    """Whether a file's owner is one of these names."""
    return squeezed(reading.owner) in map(squeezed, names)


def _likeliest(found: Sequence[Named], evidence: _Evidence) -> Named:
    """The reading whose numbers can be a file's, of a student of whom another file leaves no doubt, or else of one
    who takes no other's id.

    The file's number goes first: a student may be called as another and that one's id, but then what stands where
    the file's number should be is a user's.
    """

    def rank(one: Named) -> tuple[bool, bool, bool]:
        owners = evidence.owners.get(one.user)
        return not one.attachment or evidence.is_file(one.attachment), owners == {one.owner}, owners is None

    return max(found, key=rank)


def _named(name: str, owner: str, ids: re.Match[str], late: bool, hidden: bool = False) -> Named:
    return Named(name, owner, ids["user"], late, ids["attachment"] or "", ids["shown"] or ids["typed"], hidden)
