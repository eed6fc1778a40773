"""Read one date in one language: every word must be known, and the day of the week must be that of the date."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product

from autograder.platforms.moodle.language_date_words import (
    DateWordKind,
    DateWordMeaning,
    LanguageDateWords,
    remove_dots_and_spaces,
)

EARLIEST = 2000
"""The earliest accepted year: Moodle is younger. Years of other calendars are mostly earlier, or in the future."""
SPACED = re.compile(r"[^\W\d_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u9fff\uac00-\ud7af]")
"""A letter of a script that separates words with spaces."""


@dataclass(frozen=True, slots=True, order=True)
class DateReading:
    """One way to understand a date."""

    moment: datetime
    """In the teacher's time zone, whichever that is."""
    has_am_or_pm: bool
    """Whether it says which half of the day it is."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a date, before its words are interpreted."""

    hour_text: str
    minute: int
    numbers: tuple[str, ...]
    words: tuple[frozenset[DateWordMeaning], ...]


def parse_all_date_readings(normalized_text: str, language: LanguageDateWords, month_first: bool) -> set[DateReading]:
    """Return all ways in which a language understands a date; none if a word is unknown.

    >>> friday = frozenset({DateWordMeaning(DateWordKind.WEEKDAY, 4)})
    >>> november = frozenset({DateWordMeaning(DateWordKind.MONTH, 11)})
    >>> english = LanguageDateWords({"friday": friday, "november": november})
    >>> [str(one.moment) for one in parse_all_date_readings("friday, 20 november 2026, 23:59", english, False)]
    ['2026-11-20 23:59:00']
    >>> parse_all_date_readings("friday, 21 november 2026, 23:59", english, False)  # that is a Saturday
    set()
    """
    if not any(weekday in normalized_text for weekday in language.weekday_first_words):
        return set()
    parts = _parse_parts(normalized_text, language)
    if parts is None:
        return set()
    return {reading for meanings in product(*parts.words) if (reading := _make_reading(parts, meanings, month_first))}


def _parse_parts(text: str, language: LanguageDateWords) -> _Parts | None:
    """Return what a date is made of; None if there is anything else in the text."""
    times, numbers, words, end = [], [], [], 0
    for match in language.token_pattern.finditer(text):
        if not _is_between(text[end : match.start()]):
            return None
        end = match.end()
        if match["word"]:
            if _is_within(text, match.start(), end):
                return None
            words.append(language.meanings_by_bare_word[remove_dots_and_spaces(match["word"])])
        elif match["number"]:
            numbers.append(match["number"])
        else:
            times.append((match["hour"], int(match["minute"])))
    if len(times) != 1 or not _is_between(text[end:]):
        return None
    return _Parts(*times[0], tuple(numbers), tuple(words))


def _is_between(text: str) -> bool:
    """Return whether a text has nothing but punctuation, symbols and spaces."""
    return all(unicodedata.category(character)[0] in "PZS" for character in text)


def _is_within(text: str, start: int, end: int) -> bool:
    """Return whether a word is only a part of a longer one."""
    edges = ((text[start : start + 1], text[:start][-1:]), (text[end - 1 : end], text[end : end + 1]))
    return any(
        (inner.isdigit() and outer.isdigit()) or bool(SPACED.match(inner) and SPACED.match(outer))
        for inner, outer in edges
    )


def _make_reading(parts: _Parts, meanings: Sequence[DateWordMeaning], month_first: bool) -> DateReading | None:
    """Return what a date means if its words have the chosen meanings; None if it means nothing then."""
    values_by_kind = {kind: [meaning.value for meaning in meanings if meaning.kind is kind] for kind in DateWordKind}
    weekdays, months, halves = (
        values_by_kind[DateWordKind.WEEKDAY],
        values_by_kind[DateWordKind.MONTH],
        values_by_kind[DateWordKind.HALF],
    )
    if len(weekdays) != 1 or len(months) > 1 or len(halves) > 1:
        return None
    date = _compute_date(parts.numbers, months, month_first)
    hour = _compute_hour(int(parts.hour_text), halves)
    if date is None or hour is None:
        return None
    try:
        moment = datetime(*date, hour, parts.minute)
    except ValueError:
        return None
    if moment.weekday() != weekdays[0] or moment.year < EARLIEST:
        return None
    return DateReading(moment, bool(halves))


def _compute_date(numbers: Sequence[str], months: Sequence[int], month_first: bool) -> tuple[int, int, int] | None:
    """Return year, month and day; the year has four digits and is first or last. None for anything else."""
    years = [index for index, number in enumerate(numbers) if len(number) == 4]
    if len(numbers) + len(months) != 3 or len(years) != 1 or max(map(len, numbers)) > 4:
        return None
    year = int(numbers[years[0]])
    other_numbers = [int(number) for index, number in enumerate(numbers) if index != years[0]]
    if months:
        return year, months[0], other_numbers[0]
    if years[0] == 1:
        return None
    if years[0] == 0 or month_first:
        return year, other_numbers[0], other_numbers[1]
    return year, other_numbers[1], other_numbers[0]


def _compute_hour(hour: int, halves: Sequence[int]) -> int | None:
    """Return the hour of 24; None if the half of the day contradicts it, as some languages say both."""
    if not halves:
        return hour
    if 1 <= hour <= 12:
        return hour % 12 + 12 * halves[0]
    return hour if halves[0] == int(hour > 12) else None
