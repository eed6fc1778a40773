"""Compare the names of students, whoever wrote them."""

from __future__ import annotations

import re
import unicodedata

DROPPED = re.compile(r"[\x00-\x1f\x7f&<>\"`|':\\/]")
"""What Moodle takes out of a file's name."""
FEWEST_SHARED_WORDS = 2
"""Words that two names have in common."""


def normalize_student_name_keeping_case(name: str) -> str:
    r"""Normalize a student's name for comparison: no white space around it, accents in one form, always valid text.

    >>> normalize_student_name_keeping_case(" Zoe\u0308 ") == "Zo\u00eb"
    True
    """
    return unicodedata.normalize("NFC", name.strip()).encode("utf-8", "backslashreplace").decode()


def format_moodle_path_name(student_or_team_name: str) -> str:
    """Return a name as Moodle writes it in paths.

    >>> format_moodle_path_name("O'Brien_Bob: Jr.")
    'OBrien Bob Jr.'
    """
    plain = DROPPED.sub("", unicodedata.normalize("NFC", student_or_team_name).replace("_", " "))
    return re.sub(r"\.\.+", "", plain).strip().lstrip("~")


def make_moodle_name_key(student_or_team_name: str) -> str:
    """Return a key that texts share if they are one name but for case and for what paths cannot hold."""
    return format_moodle_path_name(student_or_team_name).casefold()


def is_same_name(name: str, other_name: str) -> bool:
    """Return whether two texts have the same key, and it is not empty.

    >>> is_same_name("O'Brien, Bob", "obrien, bob"), is_same_name("/", "/")
    (True, False)
    """
    return bool(make_moodle_name_key(name)) and make_moodle_name_key(name) == make_moodle_name_key(other_name)


def is_name_variant(name: str, other_name: str) -> bool:
    """Return whether two names have the same words in any order, or share all of the shorter's, at least two.

    In Chinese, Moodle writes the family name first, with no space after it: ``LovelaceAda``.

    >>> is_name_variant("Ada Lovelace", "Lovelace, Ada King")
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
    return re.findall(r"\w+", format_moodle_path_name(name).casefold())
