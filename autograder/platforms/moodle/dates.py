"""Read a column of dates in an unnamed language, with certainty or not at all, and write them as Moodle reads them.

A language reads the column if it reads each date there. If several languages do, they must agree on every minute.
Babel, which is installed on request, has the words of all languages.

Moodle skips a row if the grade in Moodle is newer than the worksheet says. Moodle reads that date with PHP's
strtotime, which knows only English, and treats any other date as missing: then every row with a grade counts as
outdated. Moodle also reads the date in the server's time zone, although it is written in the teacher's.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property
from importlib.util import find_spec
from itertools import product
from typing import NamedTuple

from autograder.course.deadline_rules import InvalidTime, require_time_zone
from autograder.faults import CallerFault
from autograder.kit_version import advise_to_install_extra
from autograder.platforms.moodle.worksheet_columns import WorksheetColumns, are_all_dates_or_dashes
from autograder.platforms.moodle.worksheet_students import WorksheetStudent
from autograder.tables import EditableCsv
from autograder.text import escape_for_display

OTHER_TABLE_ADVICE = "give --submission-times a table with the columns submission, student and handed_in instead"
EARLIEST = 2000
"""The earliest accepted year: Moodle is younger. Years of other calendars are mostly earlier, or in the future."""
WIDTHS = ("wide", "abbreviated")
"""Narrow names are single letters, and an Italian morning is an English minute."""
HALVES = ("am", "pm")
KINDS = ("weekday", "month", "half")
ENDING = re.compile(r"MMMM'(\w+)'")
"""A suffix that a pattern appends to a month's name, as Basque does: ``azaroa``, ``azaroaren``."""
TIME = r"(?<![\d.:/-])(?P<hour>\d{1,2})(?:[:.]| ?h ?|時|时|시 ?)(?P<minute>\d{2})(?:分|분)?(?!\d|[.:/-]\d)"
SPACED = re.compile(r"[^\W\d_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u9fff\uac00-\ud7af]")
"""A letter of a script that separates words with spaces."""
Meaning = tuple[str, int | str]
"""A day of the week from 0 (Monday), a month, or a half of the day: ``("weekday", 4)``, ``("half", "pm")``."""


@dataclass(frozen=True, slots=True)
class RawDateCell:
    """A date as it is written, not parsed, and where it stands."""

    location: str
    text: str


class DateReading(NamedTuple):
    """One way to understand a date."""

    moment: datetime
    """In the teacher's time zone, whichever that is."""
    has_half: bool
    """Whether it says which half of the day it is."""


def parse_unambiguous_dates(cells: Sequence[RawDateCell]) -> list[datetime]:
    """Return the minute that each date of a column names.

    Args:
        cells: dates with a time of day, all written by one program in one language.

    Raises:
        CallerFault: one cannot be read for sure, or Babel is not installed; the message says which and what to do.
    """
    texts = [normalize_date_text(cell.text) for cell in cells]
    readings_by_cell: list[set[DateReading]] = [set() for _ in cells]
    most_read = 0
    for language, month_first in product(load_date_languages() if cells else (), (False, True)):
        column: list[set[DateReading]] = []
        for text in texts:
            if not (readings := {*language.iterate_readings(text, month_first)}):
                break
            column.append(readings)
        most_read = max(most_read, len(column))
        if len(column) == len(cells):
            readings_by_cell = [old | new for old, new in zip(readings_by_cell, column, strict=True)]
    if most_read < len(cells):
        raise _make_fault("is not a date in any language that fits the column", cells[most_read])
    # a language that does not know the word for the afternoon says nothing of the hour
    readings_by_cell = [{one for one in readings if one.has_half} or readings for readings in readings_by_cell]
    for cell, readings in zip(cells, readings_by_cell, strict=True):
        if len(moments := sorted({reading.moment for reading in readings})) > 1:
            raise _make_fault(f"can mean {' or '.join(f'{moment:%Y-%m-%d %H:%M}' for moment in moments[:3])}", cell)
    dates = [(cell, *min(readings)) for cell, readings in zip(cells, readings_by_cell, strict=True)]
    # older Moodles leave out the half of the day where a language has no word for it
    uncertain = [(cell, moment.hour) for cell, moment, has_half in dates if not has_half]
    if uncertain and all(1 <= hour <= 12 for _, hour in uncertain):
        problem = "can mean the morning or the evening, because no hour in the column is 0 or above 12"
        raise _make_fault(problem, uncertain[0][0])
    return [moment for _, moment, _ in dates]


def _make_fault(problem: str, cell: RawDateCell) -> CallerFault:
    return CallerFault(f"the date '{escape_for_display(cell.text, 80)}' {problem}", cell.location, OTHER_TABLE_ADVICE)


@dataclass(frozen=True)
class DateLanguage:
    """The words that one language makes dates of; other words in a date, such as ``de`` and ``um``, say nothing."""

    meanings_by_word: defaultdict[str, set[Meaning]] = field(default_factory=lambda: defaultdict(set))
    """What each may stand for; without dots and spaces, which may differ."""
    spellings: set[tuple[str, ...]] = field(default_factory=set)
    """The words, split where there may be dots and spaces."""

    def add_word(self, name: str, meaning: Meaning) -> None:
        """Add what a word may stand for."""
        parts = tuple(filter(None, re.split(r"[. ]+", normalize_date_text(name))))
        if parts:
            self.meanings_by_word["".join(parts)].add(meaning)
            self.spellings.add(parts)

    @cached_property
    def _weekdays(self) -> list[str]:
        return [
            word for word, meanings in self.meanings_by_word.items() if any(kind == "weekday" for kind, _ in meanings)
        ]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Match the parts of a date: times, words and numbers.

        A single letter behind a number is no word: ``日`` is Sunday, and a day in ``20日``.
        """
        longest_first = sorted(self.spellings, key=lambda parts: len("".join(parts)), reverse=True)
        words = "|".join("[. ]*".join(map(re.escape, parts)) for parts in longest_first)
        return re.compile(rf"{TIME}|(?<=\d)[^\W\d](?!\w)|(?P<word>{words})|(?P<number>\d+)")

    def iterate_readings(self, normalized_text: str, month_first: bool) -> Iterator[DateReading]:
        """Yield the ways to understand a date; none without a day of the week, which must be that of the date.

        >>> english = DateLanguage()
        >>> english.add_word("Friday", ("weekday", 4))
        >>> english.add_word("November", ("month", 11))
        >>> [str(one.moment) for one in english.iterate_readings("friday, 20 november 2026, 23:59", False)]
        ['2026-11-20 23:59:00']
        >>> [*english.iterate_readings("friday, 21 november 2026, 23:59", False)]  # that is a Saturday
        []
        """
        bare_text = _remove_dots_and_spaces(normalized_text)
        if not any(weekday in bare_text for weekday in self._weekdays):
            return
        tokens = [*self._pattern.finditer(normalized_text)]
        if any(token["word"] and _is_cut_out(token) for token in tokens):
            return
        times = [(int(token["hour"]), int(token["minute"])) for token in tokens if token["hour"]]
        numbers = [token["number"] for token in tokens if token["number"]]
        words = [self.meanings_by_word[_remove_dots_and_spaces(token["word"])] for token in tokens if token["word"]]
        for meanings in product(*words):
            values = {
                kind: [value for one, value in meanings if one == kind] for kind in ("weekday", "month", "half")
            }
            if len(times) == 1 and len(values["weekday"]) == 1 and len(values["half"]) <= 1:
                with suppress(ValueError, OverflowError):
                    date = _compute_date(numbers, values["month"], month_first)
                    hour = _compute_hour(times[0][0], values["half"])
                    moment = datetime(*date, hour, times[0][1])
                    if moment.weekday() == values["weekday"][0] and moment.year >= EARLIEST:
                        yield DateReading(moment, bool(values["half"]))


@cache
def load_date_languages() -> tuple[DateLanguage, ...]:
    """Return the languages of CLDR, each with the words of all its countries.

    Raises:
        CallerFault: Babel is not installed.
    """
    if find_spec("babel") is None:
        raise CallerFault("the package Babel is not installed", advice=advise_to_install_extra("moodle"))
    from babel import Locale
    from babel.localedata import locale_identifiers

    languages: defaultdict[str, DateLanguage] = defaultdict(DateLanguage)
    for locale in map(Locale.parse, locale_identifiers()):
        language = languages[locale.language]
        names = [
            (name, (kind, value))
            for kind, names_by_context in zip(KINDS, (locale.days, locale.months, locale.day_periods), strict=True)
            for names_by_width in names_by_context.values()
            for width in WIDTHS
            for value, name in names_by_width.get(width, {}).items()
            if kind != "half" or value in HALVES
        ]
        names += [(half, ("half", half)) for half in HALVES]  # Moodle has English ones without a translation
        for ending in ENDING.findall(" ".join(map(str, locale.date_formats.values()))):
            names += [(name + ending, meaning) for name, meaning in names if meaning[0] == "month"]
        for name, meaning in names:
            language.add_word(name, meaning)
    return tuple(languages.values())


def _compute_date(numbers: Sequence[str], months: Sequence[int | str], month_first: bool) -> tuple[int, int, int]:
    """Return year, month and day; the year has four digits and is first or last.

    Raises:
        ValueError: there is anything else.
    """
    years = [number for number in numbers if len(number) == 4]
    others = [int(number) for number in numbers if len(number) != 4]
    if len(years) != 1 or len(others) + len(months) != 2 or (not months and numbers[1] in years):
        raise ValueError
    is_month_first = month_first or numbers[0] in years
    month, day = (int(months[0]), others[0]) if months else others if is_month_first else reversed(others)
    return int(years[0]), month, day


def _compute_hour(hour: int, halves: Sequence[int | str]) -> int:
    """Return the hour of 24.

    Raises:
        ValueError: the half of the day contradicts it, as some languages say both.
    """
    if not halves:
        return hour
    if 1 <= hour <= 12:
        return hour % 12 + 12 * HALVES.index(str(halves[0]))
    if (halves[0] == "pm") != (hour > 12):
        raise ValueError
    return hour


@cache
def normalize_date_text(text: str) -> str:
    r"""Return a text as texts are compared: lower-case letters, ASCII digits, one kind of space, nothing invisible.

    >>> normalize_date_text("Friday,\u00a020 NOVEMBER ٢٠٢٦")
    'friday, 20 november 2026'
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    visible = (character for character in folded if unicodedata.category(character) != "Cf")
    return "".join(
        str(unicodedata.digit(one)) if one.isdecimal() else " " if one.isspace() else one for one in visible
    )


def _remove_dots_and_spaces(text: str) -> str:
    return re.sub(r"[. ]", "", text)


def _is_cut_out(word: re.Match[str]) -> bool:
    """Return whether a match is a part of a longer word or number."""
    text, start, end = word.string, word.start(), word.end()
    edges = ((text[start], text[:start][-1:]), (text[end - 1], text[end : end + 1]))
    return any(
        (inner.isdigit() and outer.isdigit()) or bool(SPACED.match(inner) and SPACED.match(outer))
        for inner, outer in edges
    )


DAYS = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
READABLE_TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d"
READABLE = re.compile(DAYS + r", (?:\d{1,2} [A-Z][a-z]+|[A-Z][a-z]+ \d{1,2},) \d{4}, .*|" + READABLE_TIME)
"""Dates as Moodle writes them in English, and as they are written here."""
ZONED = re.compile(READABLE_TIME + r" [A-Z][\w+/-]+")
NEVER = "-"
"""What Moodle writes where there is no grade yet."""


def make_grade_dates_readable(
    sheet: EditableCsv,
    columns: WorksheetColumns,
    all_students: Iterable[WorksheetStudent],
    students_to_import: Iterable[WorksheetStudent],
    zone_name: str,
) -> int:
    """Rewrite when the grades of some rows were changed so that Moodle can read it; the time stays the same.

    Args:
        sheet: the worksheet; its cells are changed.
        columns: which of its columns is which.
        all_students: all rows.
        students_to_import: the rows that Moodle is to take.
        zone_name: the time zone of the worksheet's clock, such as ``Europe/Berlin``; empty if it is the server's.

    Returns:
        How many of ``students_to_import`` Moodle still treats as outdated, because the date cannot be read for sure.

    Raises:
        CallerFault: there is no such time zone.
    """
    try:
        require_time_zone(zone_name or "UTC")
    except InvalidTime as error:
        raise CallerFault(str(error), "--set timezone", error.advice) from error
    readable_pattern = ZONED if zone_name else READABLE
    marked_students = [student for student in students_to_import if _is_marked(student, columns)]
    unreadable_students = [
        student for student in marked_students if not readable_pattern.fullmatch(student.get_cell(columns.grade_date))
    ]
    dated_students = [student for student in unreadable_students if _has_grade_date(student, columns)]
    moments = _compute_date_by_row(sheet.name, columns, [*all_students]) if dated_students else {}
    for student in dated_students:
        if moment := moments.get(student.row_index):
            assert columns.grade_date is not None  # it is dated
            sheet.set_cell(student.row_index, columns.grade_date, f"{moment} {zone_name}".rstrip())
    return sum(student.row_index not in moments for student in unreadable_students)


def mark_rows_to_skip(
    sheet: EditableCsv, columns: WorksheetColumns, students_to_skip: Iterable[WorksheetStudent]
) -> None:
    """Make Moodle skip rows: it takes no row that holds a grade but says that the grade was never changed.

    Otherwise, Moodle would write each comment anew, and as plain text, although nothing in the row has changed.
    """
    for student in students_to_skip:
        if columns.grade_date is not None and _has_grade_date(student, columns):
            sheet.set_cell(student.row_index, columns.grade_date, NEVER)


def _has_grade_date(student: WorksheetStudent, columns: WorksheetColumns) -> bool:
    """Return whether the worksheet says when the grade was changed, in any language."""
    return bool(student.get_cell(columns.grade_date).strip(f" {NEVER}"))


def _is_marked(student: WorksheetStudent, columns: WorksheetColumns) -> bool:
    """Return whether Moodle has a grade or a comment for this student."""
    return bool(student.row.cells[columns.grade].strip()) or _has_grade_date(student, columns)


def _compute_date_by_row(
    sheet_name: str, columns: WorksheetColumns, students: list[WorksheetStudent]
) -> dict[int, str]:
    """Return the date of each row that has one, by its place; nothing at all if one cannot be read for sure.

    All columns of dates are read together: a single one may leave open whether its hours count to 12 or to 24.
    """
    assert columns.grade_date is not None  # a row is dated
    date_columns = [
        column
        for column in range(columns.grade + 1, columns.width)
        if column == columns.grade_date
        or are_all_dates_or_dashes([student.row.cells[column] for student in students])
    ]
    try:
        dates = parse_date_columns(sheet_name, students, *date_columns)
    except CallerFault:
        return {}
    return {
        row: f"{moment:%Y-%m-%d %H:%M}"
        for (row, column), (_, moment) in dates.items()
        if column == columns.grade_date
    }


def parse_date_columns(
    sheet_name: str, students: Iterable[WorksheetStudent], *columns: int
) -> dict[tuple[int, int], tuple[RawDateCell, datetime]]:
    """Read the dates in some columns of a worksheet, by row and column; cells without one are left out.

    Raises:
        CallerFault: one cannot be read for sure; see ``parse_unambiguous_dates``.
    """
    cells = {
        (student.row_index, column): RawDateCell(f"{sheet_name}:{student.row.line}", student.row.cells[column])
        for column in columns
        for student in students
        if student.row.cells[column].strip(f" {NEVER}")
    }
    return dict(zip(cells, zip(cells.values(), parse_unambiguous_dates([*cells.values()]), strict=True), strict=True))
