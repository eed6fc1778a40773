"""Fill in the offline grading worksheet, and pack the feedback zip.

Every other byte of the worksheet stays as Moodle wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal

from autograder.csv_sheet import EditableCsv
from autograder.faults import CallerFault
from autograder.platforms.common.export_points import rescale_points
from autograder.platforms.common.manual_mark_protection import (
    ALL_STUDENTS,
    hold_back_if_manual_decision,
    is_same_mark_or_comment,
)
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    ExportResult,
    SubmissionResult,
)
from autograder.platforms.common.shown_decimals import infer_shown_decimals
from autograder.platforms.moodle.feedback_zip import pack_feedback_pages
from autograder.platforms.moodle.grade_comment import COMMENT_PREFIX, format_grade_comment_as_html
from autograder.platforms.moodle.grade_date_rewriting import (
    make_grade_dates_readable,
    mark_rows_to_skip,
)
from autograder.platforms.moodle.number_format import format_number, try_parse_number
from autograder.platforms.moodle.result_matching import match_results
from autograder.platforms.moodle.worksheet_column_detection import (
    ADVICE,
    WorksheetColumns,
    identify_worksheet_columns,
    require_participant_rows,
)
from autograder.platforms.moodle.worksheet_export_notes import WorksheetFillingSummary, iterate_staff_notes
from autograder.platforms.moodle.worksheet_students import WorksheetStudent, WorksheetStudentIndex
from autograder.platforms.moodle.yes_no_words import is_no_in_known_language
from autograder.reports.report_wording import format_bonus_suffix


@dataclass
class _WorksheetFilling:
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
    kept_comments: int = 0
    """Comments of people beside marks that do not change."""
    ungraded_for_comment: list[str] = field(default_factory=list)
    """Students whose mark would change, and whose comment by a person stays."""


def make_class_export(results: ClassResults, options: ExportOptions) -> ExportResult:
    """Fill in the worksheet, and pack a zip of pages for students.

    Raises:
        CallerFault: there is no worksheet, or its columns cannot be told apart.
    """
    if options.sheet is None:
        raise CallerFault("the assignment's worksheet is missing", "--gradebook", ADVICE)
    sheet = EditableCsv(options.sheet, options.sheet_name or "worksheet")
    rows = require_participant_rows(sheet)
    columns = identify_worksheet_columns(sheet, [row for _, row in rows], options.settings)
    students = WorksheetStudentIndex(rows, sheet.rows[0].cells, columns, (result.origin for result in results.rows))
    matches = match_results(students, results.rows, options.get_choice_setting("match", "name", "number") == "number")
    filling = _WorksheetFilling(
        sheet, columns, options, options.get_choice_setting("comments", "keep", "replace") == "replace"
    )
    filling.decimals = _infer_decimals(filling, students.all)
    for student, result in matches.students_with_results:
        _fill_row(filling, student, result, results.max_points)
    outdated_count = make_grade_dates_readable(
        sheet, columns, students.all, filling.changed_students, options.settings.get("timezone", "")
    )
    manual_students = (
        student
        for student in students.all
        if student not in filling.changed_students and _is_by_person(_get_comment(filling, student))
    )
    mark_rows_to_skip(sheet, columns, manual_students)
    pages = pack_feedback_pages(
        students,
        matches.students_with_results,
        options.get_choice_setting("team_pages", "group", "member") == "member",
    )
    return ExportResult(
        {"worksheet.csv": sheet.encode_without_rows(filling.rows_to_leave_out), "feedback.zip": pages.zip_content},
        tuple(filling.changes),
        matches.unmatched_submissions,
        matches.students_without_result,
        (*pages.notes, *iterate_staff_notes(columns, students, _make_summary(filling, outdated_count))),
        tuple(filling.comments),
    )


def _make_summary(filling: _WorksheetFilling, outdated_count: int) -> WorksheetFillingSummary:
    return WorksheetFillingSummary(
        filling.capped,
        filling.kept_comments,
        tuple(filling.ungraded_for_comment),
        outdated_count,
        any(change.has_new_value for change in filling.comments),
    )


def _fill_row(
    filling: _WorksheetFilling, student: WorksheetStudent, result: SubmissionResult, max_points: float
) -> None:
    """Write one student's cells."""
    columns, cells = filling.columns, student.row.cells
    old_grade = cells[columns.grade]
    full_marks = _get_full_marks(filling, student)
    grade = rescale_points(result.points, max_points, full_marks)
    filling.capped += grade > full_marks
    grade = min(grade, full_marks)
    decimal_mark = "," if _uses_decimal_comma(columns, cells) else "."
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


def _infer_decimals(filling: _WorksheetFilling, students: Iterable[WorksheetStudent]) -> int:
    """Return how many decimals Moodle shows of this assignment's grades: that is a setting of its grade item."""
    grades = {student.participant_number: student.row.cells[filling.columns.grade] for student in students}
    last_mark_by_number = {number: filling.options.written.get(("mark", "", number)) for number in grades}
    return infer_shown_decimals(
        grades.values(), ((grades[number], mark.after) for number, mark in last_mark_by_number.items() if mark)
    )


def _hold_back_if_manual(
    filling: _WorksheetFilling, student: WorksheetStudent, result: SubmissionResult, change: ExportChange
) -> ExportChange:
    """Return the change of a mark or comment as it may be made; a mark's date shows if one was imported since."""
    date_column = filling.columns.grade_date
    grade_date = student.row.cells[date_column].strip(" -") if date_column is not None else ""
    options = (
        replace(filling.options, overwrite=frozenset({ALL_STUDENTS}))
        if _replaces_comment(filling, change)
        else filling.options
    )
    return hold_back_if_manual_decision(
        replace(
            change,
            id=student.participant_number,
            submission=result.name,
            seen=grade_date,
            decimals=filling.decimals,
        ),
        options,
    )


def _replaces_comment(filling: _WorksheetFilling, change: ExportChange) -> bool:
    return filling.replaces_comments and change.what == "comment"


def _change_comment_if_different(
    filling: _WorksheetFilling, student: WorksheetStudent, result: SubmissionResult, comment: str
) -> ExportChange | None:
    """Return the change of the comment as it may be made; None where it stands there, or has no column."""
    old_comment = _get_comment(filling, student)
    if filling.columns.feedback_comment is None or is_same_mark_or_comment("comment", old_comment, comment):
        return None
    change = _hold_back_if_manual(
        filling, student, result, ExportChange(student.label, old_comment, comment, what="comment")
    )
    filling.comments.append(change)
    return change


def _leave_out_row(filling: _WorksheetFilling, student: WorksheetStudent, change: ExportChange) -> ExportChange:
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
    filling: _WorksheetFilling,
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


def _get_comment(filling: _WorksheetFilling, student: WorksheetStudent) -> str:
    return student.row.cells[filling.columns.feedback_comment] if filling.columns.feedback_comment is not None else ""


def _is_by_person(comment: str) -> bool:
    """Return whether a person wrote the comment, and not the kit."""
    return bool(comment.strip()) and not comment.lstrip().startswith(COMMENT_PREFIX.strip())


def _get_full_marks(filling: _WorksheetFilling, student: WorksheetStudent) -> Decimal:
    """Return full marks of a row: its own, or what the caller says."""
    column, full_marks = filling.columns.max_grade, None
    if column is not None:
        full_marks = try_parse_number(student.row.cells[column])
    elif filling.options.max_points is not None:
        full_marks = Decimal(str(filling.options.max_points))
    if not full_marks:
        raise CallerFault(
            "the worksheet does not say what full marks are", filling.sheet.name, "say it with --max-score"
        )
    return full_marks


def _uses_decimal_comma(columns: WorksheetColumns, cells: tuple[str, ...]) -> bool:
    """Return whether Moodle uses a decimal comma.

    Full marks tell it, because nobody types them; if they have no decimals, the grade does.
    """
    full_marks = cells[columns.max_grade] if columns.max_grade is not None else ""
    return "," in (full_marks if re.search("[.,]", full_marks) else cells[columns.grade])
