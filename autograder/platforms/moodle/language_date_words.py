"""Hold the words that a language makes dates of, and find them in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

TIME = r"(?<![\d.:/-])(?P<hour>\d{1,2})(?:[:.]| ?h ?|時|时|시 ?)(?P<minute>\d{2})(?:分|분)?(?!\d|[.:/-]\d)"


class DateWordKind(Enum):
    """The meaning of a word of a date."""

    WEEKDAY = 1
    """From 0, which is Monday."""
    MONTH = 2
    HALF = 3
    """Of the day: 0 before noon, 1 after it."""
    WORD = 4
    """Nothing: such as the ``de`` in ``20 de noviembre de 2026``."""


@dataclass(frozen=True, slots=True)
class DateWordMeaning:
    """One thing that a word may stand for."""

    kind: DateWordKind
    value: int = 0


@dataclass(frozen=True)
class LanguageDateWords:
    """The words that one language makes dates of."""

    words: Mapping[str, frozenset[DateWordMeaning]]
    """What each may stand for."""

    @cached_property
    def meanings_by_bare_word(self) -> Mapping[str, frozenset[DateWordMeaning]]:
        """Return the meanings of words by their letters alone, because dots and spaces may differ."""
        meanings_by_word: dict[str, frozenset[DateWordMeaning]] = {}
        for word, meanings in self.words.items():
            meanings_by_word[remove_dots_and_spaces(word)] = (
                meanings_by_word.get(remove_dots_and_spaces(word), frozenset()) | meanings
            )
        return meanings_by_word

    @cached_property
    def weekday_first_words(self) -> tuple[str, ...]:
        """Return the first word of each name of a day of the week."""
        weekdays = (
            word
            for word, meanings in self.words.items()
            for meaning in meanings
            if meaning.kind is DateWordKind.WEEKDAY
        )
        return tuple({re.split(r"[ .]", weekday)[0] for weekday in weekdays})

    @cached_property
    def token_pattern(self) -> re.Pattern[str]:
        """Return a pattern for the parts of a date: times, words and numbers; all else but punctuation is unknown."""
        longest_first = sorted(self.words, key=len, reverse=True)
        word_patterns = "|".join(map(_make_word_pattern, longest_first))
        return re.compile(rf"{TIME}|(?P<word>{word_patterns})|(?P<number>\d+)")


def remove_dots_and_spaces(word: str) -> str:
    """Return a word without its dots and spaces."""
    return re.sub(r"[. ]", "", word)


def normalize_date_text(text: str) -> str:
    r"""Return a text as texts are compared: lower-case letters, ASCII digits, one kind of space, nothing invisible.

    >>> normalize_date_text("Friday,\u00a020 NOVEMBER ٢٠٢٦")
    'friday, 20 november 2026'
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(_normalize_character(character) for character in folded if unicodedata.category(character) != "Cf")


def _make_word_pattern(word: str) -> str:
    """Return a pattern that finds a word, whatever dots and spaces stand between its parts."""
    return r"[. ]*".join(map(re.escape, re.split(r"[. ]+", word)))


def _normalize_character(character: str) -> str:
    if character.isdecimal():
        return str(unicodedata.digit(character))
    return " " if character.isspace() else character
