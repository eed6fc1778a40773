"""Write what the staff should know before a worksheet goes back to Moodle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.english_wording import choose_by_count, format_abbreviated_list, format_count
from autograder.platforms.moodle.worksheet_column_detection import WorksheetColumns
from autograder.platforms.moodle.worksheet_students import WorksheetStudentIndex

AGAIN = (
    "Set your language in Moodle to English, download the worksheet again, and export with that; for most languages, "
    "pip install 'autograd-exercise-kit[moodle]' does as well. Do not tick \"Allow updating records ...\": "
    "that also overwrites what was marked in Moodle in the meantime"
)
"""What helps where Moodle cannot read when a grade was changed."""
REPLACE = "--overwrite STUDENT or --set comments=replace"


@dataclass(frozen=True, slots=True)
class WorksheetFillingSummary:
    """Counts and names collected while a worksheet was filled in."""

    capped: int = 0
    """Students with more than full marks."""
    kept_comments: int = 0
    """Students who keep a comment that a person wrote, and their mark."""
    left_out_for_comment: tuple[str, ...] = ()
    """Students who get no new mark, because a comment that a person wrote stays."""
    outdated: int = 0
    """Rows that Moodle treats as outdated."""
    has_new_comments: bool = False
    """Whether a comment is written."""


def iterate_staff_notes(
    columns: WorksheetColumns, students: WorksheetStudentIndex, filling_summary: WorksheetFillingSummary
) -> Iterator[str]:
    """Yield sentences about a class.

    Args:
        columns: of the worksheet.
        students: of the worksheet.
        filling_summary: what was met while it was filled in.
    """
    if filling_summary.capped:
        submissions = format_count(filling_summary.capped, "submission")
        verb = choose_by_count(filling_summary.capped, "has", "have")
        yield (
            f"{submissions} {verb} more than full marks; full marks were written, because Moodle skips higher grades"
        )
    if filling_summary.outdated:
        yield (
            f"Moodle will skip {format_count(filling_summary.outdated, 'student')} marked before, because the time "
            f"of that mark cannot be read. {AGAIN}"
        )
    if filling_summary.kept_comments:
        count = filling_summary.kept_comments
        yield (
            f"{format_count(count, 'comment')} by a person {choose_by_count(count, 'stays', 'stay')}; "
            f"replace {choose_by_count(count, 'it', 'them')} with --set comments=replace"
        )
    if filling_summary.left_out_for_comment:
        yield (
            f"{format_count(len(filling_summary.left_out_for_comment), 'changed grade')} left out, because Moodle "
            f"would turn a person's comment into plain text; replace both with {REPLACE}: "
            f"{format_abbreviated_list([*filling_summary.left_out_for_comment])}"
        )
    if filling_summary.has_new_comments:
        yield (
            "download the worksheet just before the upload: if a grade was overridden or locked since then, Moodle "
            "skips its points but takes the comment, which names other points"
        )
    if columns.possible_grade_changeable_columns and columns.changeable is None:
        yield "locked grades cannot be recognised in this worksheet's language: check them in Moodle"
    if students.are_hidden:
        yield "names are hidden: the gradebook stays empty until you choose Reveal student identities in Moodle"
    if columns.has_marking_workflow:
        yield "marks have a workflow: the gradebook gets each one when its state in Moodle is Released"
    if columns.feedback_comment is None:
        yield "the worksheet has no column for comments: turn on Feedback comments, or say --set feedback_column"
