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

    def fill_row(self, student: WorksheetStudent, result: SubmissionResult, max_points: float) -> None:
        """Write one student's cells, and note what changes."""
        columns, old_grade = self.columns, student.get_cell(self.columns.grade)
        full_marks = self._get_full_marks(student)
        uncapped_grade = rescale_points(result.points, max_points, full_marks)
        self.capped += uncapped_grade > full_marks
        grade = min(uncapped_grade, full_marks)
        decimal_mark = "," if _uses_decimal_comma(columns, student) else "."
        grade_text = format_number(grade, decimal_mark)
        if any(is_no_in_known_language(student.get_cell(one)) for one in columns.possible_grade_changeable_columns):
            self.changes.append(ExportChange(student.label, old_grade, old_grade, "locked in Moodle; left unchanged"))
            return
        new_grade = old_grade if try_parse_number(old_grade) == grade else grade_text
        change = self._protect(student, result, ExportChange(student.label, old_grade, new_grade))
        if change.wanted:
            self.changes.append(change)
            self.rows_to_leave_out.add(student.row_index)
            return  # the kit's comment would name another mark
        final = result.report.final
        core, bonus = (rescale_points(points, max_points, full_marks) for points in (final.score, final.bonus))
        bonus_clause = format_bonus_suffix(result.report, min(grade - core, bonus)).replace(".", decimal_mark)
        full_marks_text = format_number(full_marks, decimal_mark)
        new_comment = format_grade_comment_as_html(result.report, grade_text, full_marks_text, bonus_clause)
        old_comment = student.get_cell(columns.feedback_comment)
        comment = ExportChange(student.label, old_comment, old_comment, what="comment")
        if columns.feedback_comment is not None and not is_same_mark_or_comment("comment", old_comment, new_comment):
            comment = self._protect(student, result, replace(comment, after=new_comment))
            self.comments.append(comment)
        if comment.wanted:  # Moodle takes back every comment of a worksheet, and as plain text
            self.rows_to_leave_out.add(student.row_index)
            if change.has_new_value:
                self.ungraded_for_comment.append(student.label)
                note = f"kept because of a person's comment; the results say {change.after}"
                change = replace(change, after=change.before, note=note)
            else:
                self.kept_comments += 1
        self.changes.append(change)
        for column, one in ((columns.grade, change), (columns.feedback_comment, comment)):
            if one.has_new_value and column is not None:
                self.sheet.set_cell(student.row_index, column, one.after)
        if change.has_new_value or comment.has_new_value:
            self.changed_students.append(student)

    def _protect(self, student: WorksheetStudent, result: SubmissionResult, change: ExportChange) -> ExportChange:
        """Return the change of a mark or comment as it may be made; a mark's date shows if one was imported since."""
        replaces_all = self.replaces_comments and change.what == "comment"
        return protect_manual_entries(
            replace(
                change,
                id=student.participant_number,
                submission=result.name,
                seen=student.get_cell(self.columns.grade_date).strip(" -"),
                decimals=self.decimals,
            ),
            replace(self.options, overwrite=frozenset({ALL_STUDENTS})) if replaces_all else self.options,
        )

    def _get_full_marks(self, student: WorksheetStudent) -> Decimal:
        """Return full marks of a row: its own, or what the caller says."""
        full_marks = try_parse_number(student.get_cell(self.columns.max_grade))
        if self.columns.max_grade is None and self.options.max_points is not None:
            full_marks = Decimal(str(self.options.max_points))
        if not full_marks:
            raise CallerFault(
                "the worksheet does not say what full marks are", self.sheet.name, "say it with --max-score"
            )
        return full_marks


def _uses_decimal_comma(columns: WorksheetColumns, student: WorksheetStudent) -> bool:
    """Return whether Moodle uses a decimal comma.

    Full marks tell it, because nobody types them; if they have no decimals, the grade does.
    """
    full_marks = student.get_cell(columns.max_grade)
    return "," in (full_marks if re.search("[.,]", full_marks) else student.get_cell(columns.grade))
