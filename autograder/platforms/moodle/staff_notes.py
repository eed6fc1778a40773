"""Write what the staff should know before a worksheet goes back to Moodle."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.platforms.moodle.worksheet_column_detection import WorksheetColumns
from autograder.platforms.moodle.worksheet_students import WorksheetStudentIndex

AGAIN = (
    "Set your language in Moodle to English, download the worksheet again, and export with that; for most languages, "
    "pip install 'autograd-exercise-kit[moodle]' does as well. Do not tick \"Allow updating records ...\": "
    "that writes over what was marked in Moodle in the meantime, too"
)
"""What helps where Moodle cannot read when a grade was changed."""


def iterate_staff_notes(
    columns: WorksheetColumns,
    students: WorksheetStudentIndex,
    capped_count: int,
    kept_count: int,
    outdated_count: int,
) -> Iterator[str]:
    """Yield sentences about a class.

    Args:
        columns: of the worksheet.
        students: of the worksheet.
        capped_count: how many had more than full marks.
        kept_count: how many keep a comment that a person wrote.
        outdated_count: how many rows Moodle treats as outdated.
    """
    if capped_count:
        yield f"{capped_count} had more than full marks: full marks are written, Moodle skips what is above"
    if outdated_count:
        yield (
            f"{outdated_count} were marked before, at a time that cannot be read for sure: Moodle skips them. {AGAIN}"
        )
    if kept_count:
        yield (
            f"{kept_count} had a comment of somebody's, which stays, as plain text where the grade changes; "
            "--set comments=replace writes over it"
        )
    if columns.possible_changeable_columns and columns.changeable is None:
        yield "which grades Moodle lets nobody change cannot be read in this worksheet's language: look there"
    if students.are_hidden:
        yield "names are hidden: the gradebook stays empty until you choose Reveal student identities in Moodle"
    if columns.has_marking_workflow:
        yield "marks have a workflow: the gradebook gets each one when its state in Moodle is Released"
    if columns.feedback_comment is None:
        yield "the worksheet has no column for comments: turn on Feedback comments, or --set feedback_column"
