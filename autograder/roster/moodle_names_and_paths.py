"""Read the names that Moodle gives to what it packs, and decide when two names are one person's."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

PATTERN = re.compile(
    r"(?!_assignsubmission_)(?P<name>.*?)(?:_(?P<number>\d+))?_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<rest>.*))?",
    re.S,
)
"""``Ada Lovelace_2_assignsubmission_file``; up to Moodle 4.0 with a ``_`` behind it; without folders the file's name
follows. Moodle makes every ``_`` of a name a space, so the first number is the participant's. Only the team of those
who are in no team has none."""
DROPPED = re.compile(r"[\x00-\x1f\x7f&<>\"`|':\\/]")
"""What Moodle takes out of a file's name."""
FEWEST_SHARED_WORDS = 2
"""Words that two names have in common."""


@dataclass(frozen=True, slots=True)
class MoodlePath:
    """Where one file of a download belongs."""

    owner_name: str
    """The student's, the team's, or the word for a participant where names are hidden."""
    participant_number: str
    """The participant's or the team's; empty for the team of those who are in none."""
    plugin: str
    """``file`` or ``onlinetext``, or what a site has added."""
    inner_path: str
    """Within the submission."""

    @property
    def owner_name_and_number(self) -> tuple[str, str]:
        """Return whose file it is: files with the same owner belong to one submission."""
        return self.owner_name, self.participant_number


def try_parse_moodle_path(path: str) -> MoodlePath | None:
    """Return where a path of a download belongs; None if Moodle does not name it so.

    Only the first part of the path decides: all that is in a student's folder is the student's.

    >>> try_parse_moodle_path("Ada Lovelace_42_assignsubmission_file_/value.py")
    MoodlePath(owner_name='Ada Lovelace', participant_number='42', plugin='file', inner_path='value.py')
    """
    first, _, below = path.partition("/")
    match = PATTERN.fullmatch(first)
    if match is None:
        return None
    rest = "/".join(part for part in (match["rest"], below) if part)
    return MoodlePath(match["name"], match["number"] or "", match["plugin"], rest)


def format_name_as_in_moodle_path(student_or_team_name: str) -> str:
    """Return a name as Moodle writes it in paths."""
    plain = DROPPED.sub("", unicodedata.normalize("NFC", student_or_team_name).replace("_", " "))
    return re.sub(r"\.\.+", "", plain).strip().lstrip("~")


def make_moodle_name_key(student_or_team_name: str) -> str:
    """Return a key that texts share if they are one name but for case and for what paths cannot hold."""
    return format_name_as_in_moodle_path(student_or_team_name).casefold()


def is_same_name(name: str, other_name: str) -> bool:
    """Return whether two texts have the same key, and it is not empty."""
    return bool(make_moodle_name_key(name)) and make_moodle_name_key(name) == make_moodle_name_key(other_name)


def is_reordered_or_longer_name(name: str, other_name: str) -> bool:
    """Return whether two names have the same words in any order, or share all of the shorter's, at least two.

    In Chinese, Moodle writes the family name first, with no space after it: ``LovelaceAda``.

    >>> is_reordered_or_longer_name("Ada Lovelace", "Lovelace, Ada King")
    True
    """
    words, others = _words(name), _words(other_name)
    first, second = {*words}, {*others}
    if first and (first == second or len(first & second) >= max(FEWEST_SHARED_WORDS, min(len(first), len(second)))):
        return True
    return _is_reordered(words, others) or _is_reordered(others, words)


def _is_reordered(words: list[str], others: list[str]) -> bool:
    """Return whether the second name is the first one without spaces, with its last words before the others."""
    turned = ("".join(words[place:] + words[:place]) for place in range(len(words)))
    return len(words) >= FEWEST_SHARED_WORDS and "".join(others) in turned


def _words(name: str) -> list[str]:
    return re.findall(r"\w+", format_name_as_in_moodle_path(name).casefold())
