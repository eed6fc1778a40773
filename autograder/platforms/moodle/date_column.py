"""Read a column of dates in an unnamed language, with certainty or not at all.

A language reads the column if it reads each date there. If several languages do, they must agree on every minute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from autograder.faults import CallerFault
from autograder.platforms.moodle.babel_date_words import load_babel_date_words
from autograder.platforms.moodle.date_readings import DateReading, parse_all_date_readings
from autograder.platforms.moodle.language_date_words import normalize_date_text
from autograder.safe_text import escape_for_display

OTHER_TABLE_ADVICE = "give --submission-times a table with the columns submission, student and handed_in instead"


@dataclass(frozen=True, slots=True)
class DateCell:
    """A date as it is written, not parsed, and where it stands."""

    location: str
    text: str


def parse_unambiguous_dates(cells: Sequence[DateCell]) -> list[datetime]:
    """Return the minute that each date of a column names.

    Args:
        cells: dates with a time of day, all written by one program in one language.

    Raises:
        CallerFault: one cannot be read for sure, or Babel is not installed; the message says which and what to do.
    """
    if not cells:
        return []
    found: list[set[DateReading]] = [set() for _ in cells]
    for column in _iterate_readings(cells):
        for ways, more in zip(found, column, strict=True):
            ways.update(more)
    for cell, ways in zip(cells, found, strict=True):
        moments = sorted({one.moment for one in ways})
        if len(moments) > 1:
            raise _fault(f"can mean {' or '.join(f'{one:%Y-%m-%d %H:%M}' for one in moments[:3])}", cell)
    _refuse_half_days(cells, found)
    return [min(ways).moment for ways in found]


def _iterate_readings(cells: Sequence[DateCell]) -> Iterator[list[set[DateReading]]]:
    """Yield what each language that reads the whole column makes of it, with days first and with months first.

    Raises:
        CallerFault: no language reads the whole column; the message names the date.
    """
    able = [(language, month_first) for language in load_babel_date_words() for month_first in (False, True)]
    read: list[list[set[DateReading]]] = [[] for _ in able]
    for cell in cells:
        text, left = normalize_date_text(cell.text), []
        for way, before in zip(able, read, strict=True):
            if now := parse_all_date_readings(text, *way):
                left.append((way, [*before, now]))
        if not left:
            raise _fault("is not a date in any language that fits the column", cell)
        able, read = [way for way, _ in left], [so_far for _, so_far in left]
    yield from read


def _refuse_half_days(cells: Sequence[DateCell], found: Sequence[set[DateReading]]) -> None:
    """Refuse a column whose hours may count to 12 or to 24 if nothing says which.

    Older Moodles leave out the half of the day where a language has no word for it. A zero before the hour proves
    nothing: a site may have set that.
    """
    bare = [(cell, one) for cell, ways in zip(cells, found, strict=True) for one in ways if not one.has_am_or_pm]
    if bare and all(1 <= one.moment.hour <= 12 for _, one in bare):
        raise _fault(
            "can mean the morning or the evening, because no hour in the column is 0 or above 12", bare[0][0]
        )


def _fault(why: str, cell: DateCell) -> CallerFault:
    return CallerFault(f"the date '{escape_for_display(cell.text, 80)}' {why}", cell.location, OTHER_TABLE_ADVICE)
