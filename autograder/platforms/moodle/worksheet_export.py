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
    given: ExportOptions
    replaces: bool
    """Whether comments of others are written over, too."""
    changes: list[ExportChange] = field(default_factory=list)
    comments: list[ExportChange] = field(default_factory=list)
    left_out: set[int] = field(default_factory=set)
    """Rows that hold decisions of people, and nothing new: Moodle would take the formatting from their comments."""
    written: list[WorksheetStudent] = field(default_factory=list)
    """The students whose rows Moodle is to import."""
    decimals: int = 2
    """Decimals of grades that Moodle shows; the worksheet has them rounded."""
    capped: int = 0
    kept: int = 0
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
    students = WorksheetStudentIndex(rows, sheet.rows[0].cells, columns, (one.origin for one in results.rows))
    matches = match_results(students, results.rows, options.get_choice_setting("match", "name", "number") == "number")
    filling = _WorksheetFilling(
        sheet, columns, options, options.get_choice_setting("comments", "keep", "replace") == "replace"
    )
    filling.decimals = _infer_decimals(filling, students.all)
    for student, result in matches.students_with_results:
        _fill(filling, student, result, results.max_points)
    stale = make_grade_dates_readable(
        sheet, columns, students.all, filling.written, options.settings.get("timezone", "")
    )
    others = (
        one for one in students.all if one not in filling.written and _is_by_a_person(_comment_in(filling, one))
    )
    mark_rows_to_skip(sheet, columns, others)
    pages = pack_feedback_pages(
        students,
        matches.students_with_results,
        options.get_choice_setting("team_pages", "group", "member") == "member",
    )
    return ExportResult(
        {"worksheet.csv": sheet.encode_without_rows(filling.left_out), "feedback.zip": pages.zip_content},
        tuple(filling.changes),
        matches.unmatched_submissions,
        matches.students_without_result,
        (*pages.notes, *iterate_staff_notes(columns, students, _make_counts(filling, stale))),
        tuple(filling.comments),
    )


def _make_counts(filling: _WorksheetFilling, outdated_count: int) -> WorksheetFillingSummary:
    return WorksheetFillingSummary(
        filling.capped,
        filling.kept,
        tuple(filling.ungraded_for_comment),
        outdated_count,
        any(change.has_new_value for change in filling.comments),
    )


def _fill(filling: _WorksheetFilling, student: WorksheetStudent, result: SubmissionResult, max_points: float) -> None:
    """Write one student's cells."""
    columns, cells = filling.columns, student.row.cells
    before = cells[columns.grade]
    maximum = _full_marks(filling, student)
    grade = rescale_points(result.points, max_points, maximum)
    filling.capped += grade > maximum
    grade = min(grade, maximum)
    mark = "," if _has_comma(columns, cells) else "."
    text = format_number(grade, mark)
    if any(is_no_in_known_language(cells[place]) for place in columns.possible_grade_changeable_columns):
        filling.changes.append(ExportChange(student.label, before, before, "locked in Moodle; left unchanged"))
        return
    same = try_parse_number(before) == grade
    change = _keep_back_if_manual(
        filling, student, result, ExportChange(student.label, before, before if same else text)
    )
    if change.wanted:
        filling.changes.append(change)
        filling.left_out.add(student.row_index)
        return  # the kit's comment would name another mark
    final = result.report.final
    core, bonus = (rescale_points(points, max_points, maximum) for points in (final.score, final.bonus))
    of_which = format_bonus_suffix(result.report, min(grade - core, bonus)).replace(".", mark)
    said = format_grade_comment_as_html(result.report, text, format_number(maximum, mark), of_which)
    comment = _change_comment_if_other(filling, student, result, said)
    if comment and comment.wanted:
        change = _leave_out_row(filling, student, change)
    filling.changes.append(change)
    _write_cells(filling, student, change, comment)


def _infer_decimals(filling: _WorksheetFilling, students: Iterable[WorksheetStudent]) -> int:
    """Return how many decimals Moodle shows of this assignment's grades: that is a setting of its grade item."""
    grades = {one.participant_number: one.row.cells[filling.columns.grade] for one in students}
    last = {number: filling.given.written.get(("mark", "", number)) for number in grades}
    return infer_shown_decimals(grades.values(), ((grades[key], one.after) for key, one in last.items() if one))


def _keep_back_if_manual(
    filling: _WorksheetFilling, student: WorksheetStudent, result: SubmissionResult, change: ExportChange
) -> ExportChange:
    """Return the change of a mark or comment as it may be made; a mark's date shows if one was imported since."""
    place = filling.columns.grade_date
    seen = student.row.cells[place].strip(" -") if place is not None else ""
    given = (
        replace(filling.given, overwrite=frozenset({ALL_STUDENTS})) if _replaces(filling, change) else filling.given
    )
    return hold_back_if_manual_decision(
        replace(
            change,
            id=student.participant_number,
            submission=result.name,
            seen=seen,
            decimals=filling.decimals,
        ),
        given,
    )


def _replaces(filling: _WorksheetFilling, change: ExportChange) -> bool:
    return filling.replaces and change.what == "comment"


def _change_comment_if_other(
    filling: _WorksheetFilling, student: WorksheetStudent, result: SubmissionResult, comment: str
) -> ExportChange | None:
    """Return the change of the comment as it may be made; None where it stands there, or has no column."""
    before = _comment_in(filling, student)
    if filling.columns.feedback_comment is None or is_same_mark_or_comment("comment", before, comment):
        return None
    change = _keep_back_if_manual(
        filling, student, result, ExportChange(student.label, before, comment, what="comment")
    )
    filling.comments.append(change)
    return change


def _leave_out_row(filling: _WorksheetFilling, student: WorksheetStudent, change: ExportChange) -> ExportChange:
    """Leave out the row of a comment that stays, and return the change of its mark: none.

    Moodle takes back every comment of a worksheet, and as plain text.
    """
    filling.left_out.add(student.row_index)
    if not change.has_new_value:
        filling.kept += 1
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
        filling.written.append(student)


def _comment_in(filling: _WorksheetFilling, student: WorksheetStudent) -> str:
    return student.row.cells[filling.columns.feedback_comment] if filling.columns.feedback_comment is not None else ""


def _is_by_a_person(comment: str) -> bool:
    """Return whether a person wrote the comment, and not the kit."""
    return bool(comment.strip()) and not comment.lstrip().startswith(COMMENT_PREFIX.strip())


def _full_marks(filling: _WorksheetFilling, student: WorksheetStudent) -> Decimal:
    """Return full marks of a row: its own, or what the caller says."""
    place, own = filling.columns.max_grade, None
    if place is not None:
        own = try_parse_number(student.row.cells[place])
    elif filling.given.max_points is not None:
        own = Decimal(str(filling.given.max_points))
    if not own:
        raise CallerFault(
            "the worksheet does not say what full marks are", filling.sheet.name, "say it with --max-score"
        )
    return own


def _has_comma(columns: WorksheetColumns, cells: tuple[str, ...]) -> bool:
    """Return whether Moodle uses a decimal comma.

    Full marks tell it, because nobody types them; if they have no decimals, the grade does.
    """
    full = cells[columns.max_grade] if columns.max_grade is not None else ""
    return "," in (full if re.search("[.,]", full) else cells[columns.grade])
