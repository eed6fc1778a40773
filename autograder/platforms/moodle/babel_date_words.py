"""Collect the names of days, months and halves of the day in every language of CLDR: Moodle's dates consist of them.

This needs Babel, which is installed on request.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from autograder.faults import CallerFault
from autograder.kit_version import advise_to_install_extra
from autograder.platforms.moodle.language_date_words import (
    DateWordKind,
    DateWordMeaning,
    LanguageDateWords,
    normalize_date_text,
)

if TYPE_CHECKING:
    from babel import Locale

WIDTHS = ("wide", "abbreviated")
"""Narrow names are single letters, and an Italian morning is an English minute."""
HALVES = ("am", "pm")
"""Halves of the day. English ones are added to every language: Moodle uses them without a translation."""
ENDING = re.compile(r"MMMM'(\w+)'")
"""A suffix that a pattern appends to a month's name, as Basque does: ``azaroa``, ``azaroaren``."""
AT = {
    "ca": "a les", "da": "kl", "de": "um Uhr", "en": "at", "es": "a las", "eu": "an n tan", "fi": "klo", "fr": "à",
    "it": "alle ore", "nb": "kl", "nl": "om uur", "nn": "kl", "no": "kl", "pl": "o godz", "pt": "às", "sv": "kl",
}  # fmt: skip
"""Words before and after a time of day that CLDR's patterns leave out."""


def collect_babel_date_words() -> tuple[LanguageDateWords, ...]:
    """Return every language once; languages that differ in a single word count as two.

    Raises:
        CallerFault: Babel is not installed.
    """
    if find_spec("babel") is None:
        raise CallerFault("the package Babel is not installed", advice=advise_to_install_extra("moodle"))
    from babel import Locale
    from babel.localedata import locale_identifiers

    languages: dict[frozenset[tuple[str, DateWordMeaning]], None] = {}
    for name in sorted(locale_identifiers()):
        languages.setdefault(frozenset(_iterate_words(Locale.parse(name))))
    return tuple(map(_make_language, languages))


def _make_language(words: Iterable[tuple[str, DateWordMeaning]]) -> LanguageDateWords:
    meanings: dict[str, set[DateWordMeaning]] = {}
    for word, meaning in words:
        meanings.setdefault(word, set()).add(meaning)
    return LanguageDateWords({word: frozenset(word_meanings) for word, word_meanings in meanings.items()})


def _iterate_words(locale: Locale) -> Iterator[tuple[str, DateWordMeaning]]:
    """Yield every word of a language with its meaning: forms that stand alone, and forms within a date."""
    for kind, names in ((DateWordKind.WEEKDAY, locale.days), (DateWordKind.MONTH, locale.months)):
        for names_by_width in names.values():
            for width in WIDTHS:
                yield from (
                    (_make_key(name), DateWordMeaning(kind, value))
                    for value, name in names_by_width.get(width, {}).items()
                )
    for names_by_width in (*locale.day_periods.values(), {"wide": {half: half for half in HALVES}}):
        for value, half in enumerate(HALVES):
            half_names = [names_by_width[width][half] for width in WIDTHS if half in names_by_width.get(width, {})]
            yield from ((_make_key(name), DateWordMeaning(DateWordKind.HALF, value)) for name in half_names)
    formats = (locale.date_formats, locale.time_formats, locale.datetime_formats, locale.datetime_skeletons)
    patterns = [getattr(entry, "pattern", entry) for formats_of_kind in formats for entry in formats_of_kind.values()]
    for pattern in patterns:
        yield from ((word, DateWordMeaning(DateWordKind.WORD)) for word in _find_filler_words(pattern))
    for ending in {match[1] for pattern in patterns for match in ENDING.finditer(pattern)}:
        months = locale.months["format"]["wide"].items()
        yield from ((_make_key(name + ending), DateWordMeaning(DateWordKind.MONTH, value)) for value, name in months)
    yield from (
        (normalize_date_text(word), DateWordMeaning(DateWordKind.WORD))
        for word in AT.get(locale.language, "").split()
    )


@cache
def _find_filler_words(pattern: str) -> tuple[str, ...]:
    """Return the words of a pattern such as ``d 'de' MMMM``, in which letters without quotation marks are fields."""
    pieces = pattern.split("'")
    text = " ".join(
        re.sub(r"[A-Za-z]+", " ", piece) if index % 2 == 0 else piece for index, piece in enumerate(pieces)
    )
    return tuple(
        "".join(
            character if unicodedata.category(character)[0] in "LM" else " "
            for character in normalize_date_text(text)
        ).split()
    )


@cache
def _make_key(name: str) -> str:
    return normalize_date_text(name).strip(". ")
