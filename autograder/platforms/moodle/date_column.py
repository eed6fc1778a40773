"""Read a column of dates in an unnamed language, with certainty or not at all.

A language reads the column if it reads each date there. If several languages do, they must agree on every minute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from autograder.faults import CallerFault
from autograder.platforms.moodle.date_readings import DateReading, parse_all_date_readings
from autograder.platforms.moodle.date_word_cache import load_date_words
from autograder.platforms.moodle.language_date_words import normalize_date_text
from autograder.safe_text import escape_for_display

OTHER_TABLE_ADVICE = "give --submission-times a table with the columns submission, student and handed_in instead"


@dataclass(frozen=True, slots=True)
class RawDateCell:
    """A date as it is written, not parsed, and where it stands."""

    location: str
    text: str


def parse_unambiguous_dates(cells: Sequence[RawDateCell]) -> list[datetime]:
    """Return the minute that each date of a column names.

    Args:
        cells: dates with a time of day, all written by one program in one language.

    Raises:
        CallerFault: one cannot be read for sure, or Babel is not installed; the message says which and what to do.
    """
    if not cells:
        return []
    readings_by_cell: list[set[DateReading]] = [set() for _ in cells]
    for column_readings in _iterate_readings(cells):
        for readings, new_readings in zip(readings_by_cell, column_readings, strict=True):
            readings.update(new_readings)
    for cell, readings in zip(cells, readings_by_cell, strict=True):
        moments = sorted({reading.moment for reading in readings})
        if len(moments) > 1:
            raise _make_fault(f"can mean {' or '.join(f'{moment:%Y-%m-%d %H:%M}' for moment in moments[:3])}", cell)
    _refuse_half_days(cells, readings_by_cell)
    return [min(readings).moment for readings in readings_by_cell]


def _iterate_readings(cells: Sequence[RawDateCell]) -> Iterator[list[set[DateReading]]]:
    """Yield what each language that reads the whole column makes of it, with days first and with months first.

    Raises:
        CallerFault: no language reads the whole column; the message names the date.
    """
    conventions = [(language, month_first) for language in load_date_words() for month_first in (False, True)]
    readings_by_convention: list[list[set[DateReading]]] = [[] for _ in conventions]
    for cell in cells:
        text, remaining_conventions = normalize_date_text(cell.text), []
        for convention, earlier_readings in zip(conventions, readings_by_convention, strict=True):
            if readings := parse_all_date_readings(text, *convention):
                remaining_conventions.append((convention, [*earlier_readings, readings]))
        if not remaining_conventions:
            raise _make_fault("is not a date in any language that fits the column", cell)
        conventions, readings_by_convention = (
            [convention for convention, _ in remaining_conventions],
            [readings for _, readings in remaining_conventions],
        )
    yield from readings_by_convention


def _refuse_half_days(cells: Sequence[RawDateCell], readings_by_cell: Sequence[set[DateReading]]) -> None:
    """Refuse a column whose hours may count to 12 or to 24 if nothing says which.

    Older Moodles leave out the half of the day where a language has no word for it. A zero before the hour proves
    nothing: a site may have set that.
    """
    ambiguous_readings = [
        (cell, reading)
        for cell, readings in zip(cells, readings_by_cell, strict=True)
        for reading in readings
        if not reading.has_am_or_pm
    ]
    if ambiguous_readings and all(1 <= reading.moment.hour <= 12 for _, reading in ambiguous_readings):
        raise _make_fault(
            "can mean the morning or the evening, because no hour in the column is 0 or above 12",
            ambiguous_readings[0][0],
        )


def _make_fault(problem: str, cell: RawDateCell) -> CallerFault:
    return CallerFault(f"the date '{escape_for_display(cell.text, 80)}' {problem}", cell.location, OTHER_TABLE_ADVICE)
