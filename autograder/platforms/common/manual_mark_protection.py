"""Keep marks and comments that people set on a platform.

A mark or comment other than what the kit wrote last is reported, and not replaced. Decisions that staff record in the
kit are in ``autograder.decisions``.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import replace

from autograder.faults import CallerFault
from autograder.file_name_collisions import make_file_name_collision_key
from autograder.platforms.common.decimal_places_inference import (
    HUNDREDTH_DECIMALS,
    cell_matches_mark,
    try_parse_decimal,
)
from autograder.platforms.common.export_points import round_to_hundredths
from autograder.platforms.common.platform_model import ExportChange, ExportOptions, ExportResult
from autograder.safe_text import escape_for_display
from autograder.store.last_exported_value import LastExportedValue

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
        change: as the results want it; one that changes nothing, or has a note, is returned unchanged.
        options: holds what the kit wrote last, and the students whose marks and comments may be replaced.
    """
    if change.note or is_same_mark_or_comment(change.what, change.before, change.after):
        return change
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
    first, second = try_parse_decimal(text), try_parse_decimal(other_text)
    if first is None or second is None:
        return text.strip() == other_text.strip()
    return round_to_hundredths(first) == round_to_hundredths(second)


def is_lower_mark(mark: str, other_mark: str) -> bool:
    """Return whether a mark is lower than another; False where one of them is not a number."""
    first, second = try_parse_decimal(mark), try_parse_decimal(other_mark)
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
