"""What days, months and halves of the day are called in every language of CLDR, from which Moodle's dates are made.

Needs Babel, which is installed on request.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING

from autograder.faults import CallerFault

if TYPE_CHECKING:
    from babel import Locale

WIDTHS = ("wide", "abbreviated")
"""Narrow names are single letters, and an Italian morning is an English minute."""
HALVES = ("am", "pm")
"""Of the day. English ones go with every language: Moodle writes them where nobody has translated them."""
AT = {
    "ca": "a les", "da": "kl", "de": "um Uhr", "en": "at", "es": "a las", "fi": "klo", "fr": "à", "it": "alle ore",
    "nb": "kl", "nl": "om uur", "nn": "kl", "no": "kl", "pl": "o godz", "pt": "às", "sv": "kl",
}  # fmt: skip
"""Words before and after a time of day that CLDR's patterns leave out."""
TIME = r"(?<![\d.:/-])(?P<hour>\d{1,2})(?:[:.]| ?h ?|時|时|시 ?)(?P<minute>\d{2})(?:分|분)?(?!\d|[.:/-]\d)"


class Kind(Enum):
    """What a word of a date stands for."""

    WEEKDAY = 1
    """From 0, which is Monday."""
    MONTH = 2
    HALF = 3
    """Of the day: 0 before noon, 1 after it."""
    WORD = 4
    """Nothing: such as the ``de`` in ``20 de noviembre de 2026``."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing that a word may stand for."""

    kind: Kind
    value: int = 0


@dataclass(frozen=True)
class Language:
    """The words that one language makes dates of."""

    words: Mapping[str, frozenset[Meaning]]
    """What each may stand for."""

    @cached_property
    def meanings(self) -> Mapping[str, frozenset[Meaning]]:
        """The same by their letters alone, as dots and spaces may be others."""
        found: dict[str, frozenset[Meaning]] = {}
        for word, all_of_it in self.words.items():
            found[letters(word)] = found.get(letters(word), frozenset()) | all_of_it
        return found

    @cached_property
    def weekdays(self) -> tuple[str, ...]:
        """The first word of each name of a day of the week."""
        found = (one for one, all_of_it in self.words.items() for it in all_of_it if it.kind is Kind.WEEKDAY)
        return tuple({re.split(r"[ .]", one)[0] for one in found})

    @cached_property
    def tokens(self) -> re.Pattern[str]:
        """What a date is made of: times, words and numbers; all else but these and punctuation is unknown."""
        longest_first = sorted(self.words, key=len, reverse=True)
        words = "|".join(map(_pattern, longest_first))
        return re.compile(rf"{TIME}|(?P<word>{words})|(?P<number>\d+)")


def letters(word: str) -> str:
    """A word without its dots and spaces."""
    return re.sub(r"[. ]", "", word)


def plain(text: str) -> str:
    """A text as texts are compared: small letters, ASCII digits, one kind of space, nothing that cannot be seen."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(_plain(one) for one in folded if unicodedata.category(one) != "Cf").strip()


@cache
def languages() -> tuple[Language, ...]:
    """Every language, each once; those that differ in one word are two.

    Raises:
        CallerFault: Babel is not installed.
    """
    if find_spec("babel") is None:
        raise CallerFault("is not installed", "Babel", "pip install 'autograd-exercise-kit[moodle]'")
    from babel import Locale
    from babel.localedata import locale_identifiers

    found: dict[frozenset[tuple[str, Meaning]], None] = {}
    for name in sorted(locale_identifiers()):
        found.setdefault(frozenset(_words(Locale.parse(name))))
    return tuple(map(_language, found))


def _language(words: Iterable[tuple[str, Meaning]]) -> Language:
    meanings: dict[str, set[Meaning]] = {}
    for word, meaning in words:
        meanings.setdefault(word, set()).add(meaning)
    return Language({word: frozenset(found) for word, found in meanings.items()})


def _words(locale: Locale) -> Iterator[tuple[str, Meaning]]:
    """Every word of a language, with what it stands for: forms that stand alone, and those within a date."""
    for kind, names in ((Kind.WEEKDAY, locale.days), (Kind.MONTH, locale.months)):
        for of_a_form in names.values():
            for width in WIDTHS:
                yield from ((_key(name), Meaning(kind, value)) for value, name in of_a_form.get(width, {}).items())
    for of_a_form in (*locale.day_periods.values(), {"wide": {half: half for half in HALVES}}):
        for width in WIDTHS:
            names = of_a_form.get(width, {})
            yield from (
                (_key(names[half]), Meaning(Kind.HALF, HALVES.index(half))) for half in HALVES if half in names
            )
    patterns = (locale.date_formats, locale.time_formats, locale.datetime_formats, locale.datetime_skeletons)
    for pattern in (one for formats in patterns for one in formats.values()):
        yield from ((word, Meaning(Kind.WORD)) for word in _fillers(getattr(pattern, "pattern", pattern)))
    yield from ((plain(word), Meaning(Kind.WORD)) for word in AT.get(locale.language, "").split())


@cache
def _fillers(pattern: str) -> tuple[str, ...]:
    """The words of a pattern such as ``d 'de' MMMM``, in which letters without quotation marks are fields."""
    pieces = pattern.split("'")
    text = " ".join(
        re.sub(r"[A-Za-z]+", " ", piece) if place % 2 == 0 else piece for place, piece in enumerate(pieces)
    )
    return tuple("".join(one if unicodedata.category(one)[0] in "LM" else " " for one in plain(text)).split())


@cache
def _key(name: str) -> str:
    return plain(name).strip(". ")


def _pattern(word: str) -> str:
    """Finds a word, whatever dots and spaces stand between its parts."""
    return r"[. ]*".join(map(re.escape, re.split(r"[. ]+", word)))


def _plain(character: str) -> str:
    if character.isdecimal():
        return str(unicodedata.digit(character))
    return " " if character.isspace() else character
