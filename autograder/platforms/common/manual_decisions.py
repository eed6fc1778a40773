"""Keep what people decided: a mark or comment other than what the kit wrote last is reported, and not replaced."""

from __future__ import annotations

import html
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from autograder.platforms.common.export_model import ExportOptions, GradeChange
from autograder.platforms.common.points import round_to_hundredths
from autograder.safe_text import make_collision_key
from autograder.store.written_mark import WrittenMark

ALL = "all"
"""``--overwrite all``: everybody's."""


def keep_manual_decision(change: GradeChange, options: ExportOptions) -> GradeChange:
    """Return a change as it may be made.

    A change that would replace a person's decision is kept back: its ``after`` becomes ``before``, and its ``wanted``
    is what would have been written. The kit's own marks are the one that it wrote last, and the one that it found
    then, if nothing changed since. Every other mark is a person's decision. An empty place is free, unless the
    platform had said that it took a mark there. The same holds for comments.

    Args:
        change: as the results want it; one that changes nothing, or has a note, is returned unchanged.
        options: holds what the kit wrote last, and the students whose marks and comments may be replaced.
    """
    if change.note or is_same_mark_or_comment(change.what, change.before, change.after):
        return change
    seen = change.seen or options.sheet_state
    change = replace(change, seen=seen)
    last = options.written.get((change.what, change.place, change.key))
    if _is_free(change, last):
        return change
    if may_overwrite(change, options.overwrite):
        return replace(change, overwrites=True)
    wrote = f", the last export wrote {last.after}" if last and change.what == "mark" else ""
    note = (
        f"set by a person{wrote}: stays; results say {change.after}" if change.what == "mark" else "a person's: stays"
    )
    return replace(change, after=change.before, wanted=change.after, note=note)


def may_overwrite(change: GradeChange, overwrite: frozenset[str]) -> bool:
    """Return whether staff said that this student's mark and comment may be replaced."""
    return ALL in overwrite or any(is_student_called(change, name) for name in overwrite)


def is_student_called(change: GradeChange, name: str) -> bool:
    """Return whether staff mean a change's student by a name: the id, the listed name, or the submission's name."""
    return make_collision_key(name) in map(make_collision_key, (change.key, change.student, change.submission))


def is_same_mark_or_comment(what: str, one: str, other: str) -> bool:
    """Return whether two marks are the same to a hundredth, or two comments have the same words."""
    if what == "comment":
        return html.unescape(one).split() == html.unescape(other).split()
    first, second = parse_decimal(one), parse_decimal(other)
    if first is None or second is None:
        return one.strip() == other.strip()
    return round_to_hundredths(first) == round_to_hundredths(second)


def is_lower_mark(after: str, before: str) -> bool:
    """Return whether a mark is lower than another; False where one of them is not a number."""
    first, second = parse_decimal(after), parse_decimal(before)
    return first is not None and second is not None and first < second


def parse_decimal(cell: str) -> Decimal | None:
    """Return the number in a cell, with a decimal point or comma; None if it holds anything else."""
    text = cell.strip()
    try:
        number = Decimal(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _is_free(change: GradeChange, last: WrittenMark | None) -> bool:
    """Return whether a change replaces no decision of a person."""
    if not change.before.strip():
        return not (last and last.was_confirmed and last.after)
    if last is None:
        return False
    if is_same_mark_or_comment(change.what, change.before, last.after):
        return True
    untouched = bool(change.seen) and change.seen == last.seen
    return untouched and not last.overwrote and is_same_mark_or_comment(change.what, change.before, last.before)
