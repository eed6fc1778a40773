"""How Canvas names what it packs: whose a file is stands in front of what the student called it.

``lovelaceada_LATE_12345_67890_value.py``: the name in small letters, perhaps a mark, the ids of user and file, the
file's own name. With hidden names ``anon_aB3dE_67890_value.py``; what was typed in, ``lovelaceada_12345_text.html``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
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
    sure: defaultdict[str, set[str]] = defaultdict(set)
    for found in ways.values():
        if len(found) == 1:
            sure[found[0].user].add(found[0].owner)
    return [_likeliest(found, sure) for found in ways.values() if found], [name for name in names if not ways[name]]


def squeezed(name: str) -> str:
    """A student's name as Canvas puts it in front of a file."""
    without = re.sub(r"_([0-9]+)_", r"\1", name)
    return "".join(letter for letter in alike(without) if unicodedata.category(letter)[:2] in WORD)


def has_name(reading: Named, names: Iterable[str]) -> bool:
    """Whether a file's owner is one of these names."""
    return squeezed(reading.owner) in map(squeezed, names)


def _likeliest(found: Sequence[Named], sure: dict[str, set[str]]) -> Named:
    """The reading that fits a student of whom another file leaves no doubt, or else takes no other's id."""
    fits = [one for one in found if sure.get(one.user) == {one.owner}]
    free = [one for one in found if one.user not in sure]
    return [*fits, *free, *found][0]


def _named(name: str, owner: str, ids: re.Match[str], late: bool, hidden: bool = False) -> Named:
    return Named(name, owner, ids["user"], late, ids["attachment"] or "", ids["shown"] or ids["typed"], hidden)
