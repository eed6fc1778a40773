"""Write what the staff should know before a worksheet goes back to Moodle."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.english_wording import choose_by_count, format_abbreviated_list, format_count
from autograder.platforms.moodle.worksheet_filling import WorksheetFilling
from autograder.platforms.moodle.worksheet_student_index import WorksheetStudentIndex

AGAIN = (
    "Set your language in Moodle to English, download the worksheet again, and export with that; for most languages, "
    'pip install babel does as well. Do not tick "Allow updating records ...": '
    "that also overwrites what was marked in Moodle in the meantime"
)
"""What helps where Moodle cannot read when a grade was changed."""
REPLACE = "--overwrite STUDENT or --set comments=replace"


def iterate_staff_notes(
    students: WorksheetStudentIndex, filling: WorksheetFilling, outdated_count: int
) -> Iterator[str]:
    """Yield sentences about a class; ``outdated_count`` counts the rows that Moodle treats as outdated."""
    columns = filling.columns
    if filling.capped:
        submissions = format_count(filling.capped, "submission")
        verb = choose_by_count(filling.capped, "has", "have")
        yield (
            f"{submissions} {verb} more than full marks; full marks were written, because Moodle skips higher grades"
        )
    if outdated_count:
        yield (
            f"Moodle will skip {format_count(outdated_count, 'student')} marked before, because the time "
            f"of that mark cannot be read. {AGAIN}"
        )
    if filling.kept_comments:
        count = filling.kept_comments
        yield (
            f"{format_count(count, 'comment')} by a person {choose_by_count(count, 'stays', 'stay')}; "
            f"replace {choose_by_count(count, 'it', 'them')} with --set comments=replace"
        )
    if filling.ungraded_for_comment:
        yield (
            f"{format_count(len(filling.ungraded_for_comment), 'changed grade')} left out, because Moodle "
            f"would turn a person's comment into plain text; replace both with {REPLACE}: "
            f"{format_abbreviated_list(filling.ungraded_for_comment)}"
        )
    if filling.has_new_comments:
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
