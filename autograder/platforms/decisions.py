"""Keep what people decided: a mark or comment other than what the kit wrote last is reported, and not replaced."""

from __future__ import annotations

import html
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from autograder.platforms.exchange import Change, Given
from autograder.platforms.points import hundredths
from autograder.store.written import Written
from autograder.text import alike

ALL = "all"
"""``--overwrite all``: everybody's."""


def settled(change: Change, given: Given) -> Change:
    """Return a change as it may be made.

    A change that would replace a person's decision is kept back: its ``after`` becomes ``before``, and its ``wanted``
    is what would have been written. The kit's own marks are the one that it wrote last, and the one that it found
    then, if nothing changed since. Every other mark is a person's decision. An empty place is free, unless the
    platform had said that it took a mark there. The same holds for comments.

    Args:
        change: as the results want it; one that changes nothing, or has a note, is returned unchanged.
        given: holds what the kit wrote last, and the students whose marks and comments may be replaced.
    """
    if change.note or is_same(change.what, change.before, change.after):
        return change
    seen = change.seen or given.sheet_state
    change = replace(change, seen=seen)
    last = given.written.get((change.what, change.place, change.key))
    if _is_free(change, last):
        return change
    if may_overwrite(change, given.overwrite):
        return replace(change, overwrites=True)
    wrote = f", the last export wrote {last.after}" if last and change.what == "mark" else ""
    note = (
        f"set by a person{wrote}: stays; results say {change.after}" if change.what == "mark" else "a person's: stays"
    )
    return replace(change, after=change.before, wanted=change.after, note=note)


def may_overwrite(change: Change, overwrite: frozenset[str]) -> bool:
    """Return whether staff said that this student's mark and comment may be replaced."""
    return ALL in overwrite or any(is_called(change, name) for name in overwrite)


def is_called(change: Change, name: str) -> bool:
    """Return whether staff mean a change's student by a name: the id, the listed name, or the submission's name."""
    return alike(name) in map(alike, (change.key, change.student, change.submission))


def is_same(what: str, one: str, other: str) -> bool:
    """Return whether two marks are the same to a hundredth, or two comments have the same words."""
    if what == "comment":
        return html.unescape(one).split() == html.unescape(other).split()
    first, second = number_in(one), number_in(other)
    if first is None or second is None:
        return one.strip() == other.strip()
    return hundredths(first) == hundredths(second)


def is_lower(after: str, before: str) -> bool:
    """Return whether a mark is lower than another; False where one of them is not a number."""
    first, second = number_in(after), number_in(before)
    return first is not None and second is not None and first < second


def number_in(cell: str) -> Decimal | None:
    """Return the number in a cell, with a decimal point or comma; None if it holds anything else."""
    text = cell.strip()
    try:
        number = Decimal(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _is_free(change: Change, last: Written | None) -> bool:
    """Return whether a change replaces no decision of a person."""
    if not change.before.strip():
        return not (last and last.arrived and last.after)
    if last is None:
        return False
    if is_same(change.what, change.before, last.after):
        return True
    untouched = bool(change.seen) and change.seen == last.seen
    return untouched and not last.overwrote and is_same(change.what, change.before, last.before)
