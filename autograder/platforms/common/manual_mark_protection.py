"""Keep marks and comments that people set on a platform, even where it shows fewer decimals than the kit writes."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from autograder.faults import CallerFault
from autograder.platforms.common.export_points import round_to_hundredths, try_parse_number
from autograder.platforms.common.platform_model import ExportChange, ExportOptions, ExportResult
from autograder.store.audit import LastExportedValue
from autograder.text import escape_for_display, make_file_name_collision_key

HUNDREDTH_DECIMALS = 2
"""The number of decimals with which the kit writes marks."""
LEAST_ROUNDED = 2
"""How many rounded marks are needed as proof: a single one may have been set by a person."""


def infer_shown_decimals(cells: Iterable[str], cells_with_written_marks: Iterable[tuple[str, str]]) -> int:
    """Return the number of decimals that a column of marks shows, 2 at most.

    No cell of a column that is rounded shows more decimals than the others may. That alone is no proof: a person
    may have changed 15.75 to 16. So most of the marks that the kit wrote with more decimals must be there rounded.

    Args:
        cells: the column, with cells that hold no number.
        cells_with_written_marks: the marks that the kit wrote last, each with what its cell holds now.

    >>> infer_shown_decimals(["16", "12", "9"], [("16", "15.75"), ("12", "12.30"), ("9", "9.00")])
    0
    >>> infer_shown_decimals(["16", "12"], [("16", "15.75"), ("12", "12.00")])
    2
    """
    decimals = max((_count_decimals(number) for cell in cells if (number := try_parse_number(cell))), default=0)
    if decimals >= HUNDREDTH_DECIMALS:
        return HUNDREDTH_DECIMALS
    finer_marks = [
        (cell, mark)
        for cell, mark in cells_with_written_marks
        if (number := try_parse_number(mark)) and _count_decimals(number.normalize()) > decimals
    ]
    rounded_count = sum(cell_matches_mark(cell, mark, decimals) for cell, mark in finer_marks)
    return decimals if rounded_count >= LEAST_ROUNDED and 2 * rounded_count > len(finer_marks) else HUNDREDTH_DECIMALS


def cell_matches_mark(cell: str, mark: str, shown_decimals: int) -> bool:
    """Return whether a platform that shows so many decimals shows a mark as this; a half may go up or down.

    >>> cell_matches_mark("16", "15.75", 0), cell_matches_mark("15", "15.75", 0)
    (True, False)
    """
    shown_number, exact_number = try_parse_number(cell), try_parse_number(mark)
    if shown_number is None or exact_number is None:
        return cell.strip() == mark.strip()
    return (
        abs(shown_number - exact_number) <= Decimal(5).scaleb(-shown_decimals - 1)
        and _count_decimals(shown_number) <= shown_decimals
    )


def _count_decimals(number: Decimal) -> int:
    """Return how many decimals a number is written with, final zeros included."""
    return max(0, -int(number.as_tuple().exponent))


ALL_STUDENTS = "all"
"""``--overwrite all``: everybody's."""


def protect_manual_entries(change: ExportChange, options: ExportOptions) -> ExportChange:
    """Return a change as it may be made.

    A change that would replace a person's decision is held back: its ``after`` becomes ``before``, and its ``wanted``
    becomes the value that would have been written. Two marks count as the kit's own: the last one that it wrote, and
    the one that it found then, if nothing changed since. Every other mark counts as a person's decision. An empty
    place may be filled, unless the platform confirmed a mark there before. The same holds for comments. If a platform
    shows fewer decimals than the kit writes, the rounded mark counts as the kit's.

    Args:
        change: as the results want it; one with a note is returned unchanged. Another form of a mark is no change.
        options: holds what the kit wrote last, and the students whose marks and comments may be replaced.
    """
    if change.note:
        return change
    if is_same_mark_or_comment(change.what, change.before, change.after):
        return replace(change, after=change.before)
    platform_state = change.seen or options.sheet_state
    change = replace(change, seen=platform_state)
    last_exported = options.written.get((change.what, change.place, change.student_key))
    if (
        last_exported
        and _is_last_exported(change, last_exported)
        and is_same_mark_or_comment(change.what, last_exported.after, change.after)
    ):
        return replace(change, after=change.before)
    if _replaces_no_decision(change, last_exported):
        return change
    if ALL_STUDENTS in options.overwrite or any(_is_student_named(change, name) for name in options.overwrite):
        return replace(change, overwrites=True)
    last_mark_clause = (
        f" (the last export wrote {last_exported.after})" if last_exported and change.what == "mark" else ""
    )
    note = (
        f"set by a person{last_mark_clause} and kept; the results say {change.after}"
        if change.what == "mark"
        else "written by a person and kept"
    )
    return replace(change, after=change.before, wanted=change.after, note=note)


def _is_student_named(change: ExportChange, student_or_group_identifier: str) -> bool:
    """Return whether a name given by the staff is this change's student: by id, listed name or submission name."""
    return make_file_name_collision_key(student_or_group_identifier) in map(
        make_file_name_collision_key, (change.student_key, change.student, change.submission)
    )


def is_same_mark_or_comment(change_kind: str, text: str, other_text: str) -> bool:
    """Return whether two marks are the same to a hundredth, or two comments have the same words.

    >>> is_same_mark_or_comment("mark", "17.5", "17,50"), is_same_mark_or_comment("comment", "a &lt; b", "a < b")
    (True, True)
    """
    if change_kind == "comment":
        return html.unescape(text).split() == html.unescape(other_text).split()
    first, second = try_parse_number(text), try_parse_number(other_text)
    if first is None or second is None:
        return text.strip() == other_text.strip()
    return round_to_hundredths(first) == round_to_hundredths(second)


def is_lower_mark(mark: str, other_mark: str) -> bool:
    """Return whether a mark is lower than another; False where one of them is not a number."""
    first, second = try_parse_number(mark), try_parse_number(other_mark)
    return first is not None and second is not None and first < second


def list_mark_reductions(changes: Iterable[ExportChange]) -> list[ExportChange]:
    """Return the changes that lower a mark; the staff should check these."""
    return [change for change in changes if change.has_new_value and is_lower_mark(change.after, change.before)]


def _replaces_no_decision(change: ExportChange, last_exported: LastExportedValue | None) -> bool:
    """Return whether a change replaces no decision of a person."""
    if not change.before.strip():
        return not (last_exported and last_exported.was_confirmed and last_exported.after)
    if last_exported is None:
        return False
    if _is_last_exported(change, last_exported):
        return True
    is_unchanged = bool(change.seen) and change.seen == last_exported.platform_state_before
    return (
        is_unchanged
        and not last_exported.overwrote_decision
        and is_same_mark_or_comment(change.what, change.before, last_exported.before)
    )


def _is_last_exported(change: ExportChange, last_exported: LastExportedValue) -> bool:
    """Return whether what stands there is what the kit wrote last, as the platform shows it."""
    if is_same_mark_or_comment(change.what, change.before, last_exported.after):
        return True
    is_rounded = change.what == "mark" and change.decimals < HUNDREDTH_DECIMALS
    return is_rounded and cell_matches_mark(change.before, last_exported.after, change.decimals)


def require_overwrite_names_in_export(export: ExportResult, student_identifiers: Iterable[str]) -> None:
    """Check that each student whose marks may be replaced is in the export.

    Raises:
        CallerFault: one of them is not in it; nothing was written.
    """
    changes = (*export.changes, *export.comments)
    for name in student_identifiers:
        if name != ALL_STUDENTS and not any(_is_student_named(change, name) for change in changes):
            advice = "name a student as the list of kept marks does, by id or by submission"
            raise CallerFault(
                f"no student in this export matches '{escape_for_display(name, 80)}'", "--overwrite", advice
            )
