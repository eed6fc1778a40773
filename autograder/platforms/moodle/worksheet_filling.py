"""Fill in one student's row of a worksheet: the mark and the comment, unless a person's decision stays."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from decimal import Decimal

from autograder.editable_csv import EditableCsv
from autograder.faults import CallerFault
from autograder.platforms.common.export_points import rescale_points
from autograder.platforms.common.manual_mark_protection import (
    ALL_STUDENTS,
    is_same_mark_or_comment,
    protect_manual_entries,
)
from autograder.platforms.common.platform_model import ExportChange, ExportOptions, SubmissionResult
from autograder.platforms.moodle.grade_comment import COMMENT_PREFIX, format_grade_comment_as_html
from autograder.platforms.moodle.number_format import format_number, try_parse_number
from autograder.platforms.moodle.worksheet_column_detection import WorksheetColumns
from autograder.platforms.moodle.worksheet_student import WorksheetStudent
from autograder.platforms.moodle.yes_no_words import is_no_in_known_language
from autograder.reports.report_wording import format_bonus_suffix


@dataclass
class WorksheetFilling:
    """The state of a worksheet while it is filled in."""

    sheet: EditableCsv
    columns: WorksheetColumns
    options: ExportOptions
    replaces_comments: bool
    """Whether comments of others are written over, too."""
    changes: list[ExportChange] = field(default_factory=list)
    comments: list[ExportChange] = field(default_factory=list)
    rows_to_leave_out: set[int] = field(default_factory=set)
    """Rows that hold decisions of people, and nothing new: Moodle would take the formatting from their comments."""
    changed_students: list[WorksheetStudent] = field(default_factory=list)
    """The students whose rows Moodle is to import."""
    decimals: int = 2
    """Decimals of grades that Moodle shows; the worksheet has them rounded."""
    capped: int = 0
    """Students with more than full marks."""
    kept_comments: int = 0
    """Comments of people beside marks that do not change."""
    ungraded_for_comment: list[str] = field(default_factory=list)
    """Students whose mark would change, and whose comment by a person stays."""

    @property
    def has_new_comments(self) -> bool:
        """Return whether a comment is written."""
        return any(change.has_new_value for change in self.comments)

    def has_comment_by_person(self, student: WorksheetStudent) -> bool:
        """Return whether a person wrote the comment in a student's row, and not the kit."""
        comment = student.get_cell(self.columns.feedback_comment)
        return bool(comment.strip()) and not comment.lstrip().startswith(COMMENT_PREFIX.strip())


def fill_row(
    filling: WorksheetFilling, student: WorksheetStudent, result: SubmissionResult, max_points: float
) -> None:
    """Write one student's cells, and note in ``filling`` what changes."""
    columns, cells = filling.columns, student.row.cells
    old_grade = cells[columns.grade]
    full_marks = _get_full_marks(filling, student)
    grade = rescale_points(result.points, max_points, full_marks)
    filling.capped += grade > full_marks
    grade = min(grade, full_marks)
    decimal_mark = "," if _uses_decimal_comma(columns, student) else "."
    grade_text = format_number(grade, decimal_mark)
    if any(is_no_in_known_language(cells[column]) for column in columns.possible_grade_changeable_columns):
        filling.changes.append(ExportChange(student.label, old_grade, old_grade, "locked in Moodle; left unchanged"))
        return
    is_same_grade = try_parse_number(old_grade) == grade
    change = _hold_back_if_manual(
        filling, student, result, ExportChange(student.label, old_grade, old_grade if is_same_grade else grade_text)
    )
    if change.wanted:
        filling.changes.append(change)
        filling.rows_to_leave_out.add(student.row_index)
        return  # the kit's comment would name another mark
    final = result.report.final
    core, bonus = (rescale_points(points, max_points, full_marks) for points in (final.score, final.bonus))
    bonus_clause = format_bonus_suffix(result.report, min(grade - core, bonus)).replace(".", decimal_mark)
    comment_text = format_grade_comment_as_html(
        result.report, grade_text, format_number(full_marks, decimal_mark), bonus_clause
    )
    comment = _change_comment_if_different(filling, student, result, comment_text)
    if comment and comment.wanted:
        change = _leave_out_row(filling, student, change)
    filling.changes.append(change)
    _write_cells(filling, student, change, comment)


def _hold_back_if_manual(
    filling: WorksheetFilling, student: WorksheetStudent, result: SubmissionResult, change: ExportChange
) -> ExportChange:
    """Return the change of a mark or comment as it may be made; a mark's date shows if one was imported since."""
    grade_date = student.get_cell(filling.columns.grade_date).strip(" -")
    options = (
        replace(filling.options, overwrite=frozenset({ALL_STUDENTS}))
        if filling.replaces_comments and change.what == "comment"
        else filling.options
    )
    return protect_manual_entries(
        replace(
            change,
            id=student.participant_number,
            submission=result.name,
            seen=grade_date,
            decimals=filling.decimals,
        ),
        options,
    )


def _change_comment_if_different(
    filling: WorksheetFilling, student: WorksheetStudent, result: SubmissionResult, comment: str
) -> ExportChange | None:
    """Return the change of the comment as it may be made; None where it stands there, or has no column."""
    old_comment = student.get_cell(filling.columns.feedback_comment)
    if filling.columns.feedback_comment is None or is_same_mark_or_comment("comment", old_comment, comment):
        return None
    change = _hold_back_if_manual(
        filling, student, result, ExportChange(student.label, old_comment, comment, what="comment")
    )
    filling.comments.append(change)
    return change


def _leave_out_row(filling: WorksheetFilling, student: WorksheetStudent, change: ExportChange) -> ExportChange:
    """Leave out the row of a comment that stays, and return the change of its mark: none.

    Moodle takes back every comment of a worksheet, and as plain text.
    """
    filling.rows_to_leave_out.add(student.row_index)
    if not change.has_new_value:
        filling.kept_comments += 1
        return change
    filling.ungraded_for_comment.append(student.label)
    note = f"kept because of a person's comment; the results say {change.after}"
    return replace(change, after=change.before, note=note)


def _write_cells(
    filling: WorksheetFilling,
    student: WorksheetStudent,
    mark: ExportChange,
    comment: ExportChange | None,
) -> None:
    """Write what changes of one row, and note that Moodle is to take it."""
    if mark.has_new_value:
        filling.sheet.set_cell(student.row_index, filling.columns.grade, mark.after)
    if comment and comment.has_new_value and filling.columns.feedback_comment is not None:
        filling.sheet.set_cell(student.row_index, filling.columns.feedback_comment, comment.after)
    if mark.has_new_value or (comment and comment.has_new_value):
        filling.changed_students.append(student)


def _get_full_marks(filling: WorksheetFilling, student: WorksheetStudent) -> Decimal:
    """Return full marks of a row: its own, or what the caller says."""
    full_marks = try_parse_number(student.get_cell(filling.columns.max_grade))
    if filling.columns.max_grade is None and filling.options.max_points is not None:
        full_marks = Decimal(str(filling.options.max_points))
    if not full_marks:
        raise CallerFault(
            "the worksheet does not say what full marks are", filling.sheet.name, "say it with --max-score"
        )
    return full_marks


def _uses_decimal_comma(columns: WorksheetColumns, student: WorksheetStudent) -> bool:
    """Return whether Moodle uses a decimal comma.

    Full marks tell it, because nobody types them; if they have no decimals, the grade does.
    """
    full_marks = student.get_cell(columns.max_grade)
    return "," in (full_marks if re.search("[.,]", full_marks) else student.get_cell(columns.grade))
