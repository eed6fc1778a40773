"""Fill in the offline grading worksheet, and pack the feedback zip.

Every other byte of the worksheet stays as Moodle wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograder.editable_csv import EditableCsv
from autograder.faults import CallerFault
from autograder.platforms.common.decimal_places_inference import infer_shown_decimals
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportOptions,
    ExportResult,
)
from autograder.platforms.moodle.feedback_zip import pack_feedback_pages
from autograder.platforms.moodle.grade_date_rewriting import (
    make_grade_dates_readable,
    mark_rows_to_skip,
)
from autograder.platforms.moodle.result_matching import match_results
from autograder.platforms.moodle.worksheet_column_detection import (
    ADVICE,
    identify_worksheet_columns,
    require_participant_rows,
)
from autograder.platforms.moodle.worksheet_export_notes import iterate_staff_notes
from autograder.platforms.moodle.worksheet_filling import WorksheetFilling
from autograder.platforms.moodle.worksheet_student import WorksheetStudent
from autograder.platforms.moodle.worksheet_student_index import WorksheetStudentIndex


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
    accepts_number_alone = options.get_choice_setting("match", "name", "number") == "number"
    matches = match_results(students, results.rows, accepts_number_alone)
    filling = WorksheetFilling(
        sheet, columns, options, options.get_choice_setting("comments", "keep", "replace") == "replace"
    )
    filling.decimals = _infer_decimals(filling, students.all)
    for student, result in matches.students_with_results:
        filling.fill_row(student, result, results.max_points)
    outdated_count = make_grade_dates_readable(
        sheet, columns, students.all, filling.changed_students, options.settings.get("timezone", "")
    )
    manual_students = (
        student
        for student in students.all
        if student not in filling.changed_students and filling.has_comment_by_person(student)
    )
    mark_rows_to_skip(sheet, columns, manual_students)
    feedback_zip, feedback_notes = pack_feedback_pages(
        students,
        matches.students_with_results,
        options.get_choice_setting("team_pages", "group", "member") == "member",
    )
    return ExportResult(
        {"worksheet.csv": sheet.encode_without_rows(filling.rows_to_leave_out), "feedback.zip": feedback_zip},
        tuple(filling.changes),
        matches.unmatched_submissions,
        matches.students_without_result,
        (*feedback_notes, *iterate_staff_notes(students, filling, outdated_count)),
        tuple(filling.comments),
    )


def _infer_decimals(filling: WorksheetFilling, students: Iterable[WorksheetStudent]) -> int:
    """Return how many decimals Moodle shows of this assignment's grades: that is a setting of its grade item."""
    grades = {student.participant_number: student.row.cells[filling.columns.grade] for student in students}
    last_mark_by_number = {number: filling.options.written.get(("mark", "", number)) for number in grades}
    return infer_shown_decimals(
        grades.values(), ((grades[number], mark.after) for number, mark in last_mark_by_number.items() if mark)
    )
